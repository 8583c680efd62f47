import logging
from dataclasses import replace

import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from memory.errors import ModelUnavailable
from memory.settings import Settings
from ops.launched import wait_until
from services import lanes, node_work, wiring_node
from services.fakes import RecordingQueue, fake_host
from workers import model_check
from workers.model_check import ModelCheck


def test_servers_are_asked_until_they_answer_and_then_no_more(monkeypatch, caplog):
    monkeypatch.setattr(model_check, "LOOK_SECONDS", 0.01)
    answers = iter([ModelUnavailable(), ModelUnavailable(), "The server is a chat server.", "asked again"])

    def ask():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    with caplog.at_level(logging.ERROR):
        check = ModelCheck(ask)
        wait_until(check.trouble, seconds=5, what="the servers have answered")
        wait_until(lambda: caplog.messages, seconds=5, what="the log says so")
        check.stop()
    assert check.trouble() == "The server is a chat server."
    assert caplog.messages == ["The server is a chat server."]


def test_a_server_of_the_wrong_kind_is_named_and_one_that_is_away_is_not_judged(tmp_path):
    with FakeModelServer() as server:
        settings = Settings(data_dir=str(tmp_path), embed_url=server.url, rerank_url=server.url)
        node = wiring_node.build(settings, queue=RecordingQueue(), replies=None, lane="interactive")
        assert node_work.check_models(node) is None
        server.fail_always(Fault(status=501, message="This server does not support embeddings."))
        assert "start flags" in node_work.check_models(node)
        server.fail_always(Fault(refuse=True))
        with pytest.raises(ModelUnavailable):
            node_work.check_models(node)
        node.embedder.server.close()
        node.reranker.server.close()
        node.health.stop()


def test_trouble_of_a_worker_is_a_warning_of_the_service(tmp_path):
    queue = RecordingQueue()
    known = queue.facts(working={"interactive@local": ()})
    beats = tuple(replace(beat, reason="It gives every passage the same score.") for beat in known.heartbeats)
    host = fake_host(tmp_path, queue=queue, facts=lambda: replace(known, heartbeats=beats))
    assert "interactive@local: It gives every passage the same score." in lanes.lanes(host)["warnings"]
