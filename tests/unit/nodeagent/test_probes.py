"""The probes against a real HTTP server with every bend."""

import threading
import time

import numpy as np
import pytest

from inference.fake_chat import Reply
from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from inference.wire import ModelServer
from memory.errors import WrongModel
from nodeagent.kinds import First, check_kind, check_model
from nodeagent.probes import KIND_SECONDS, NOT_ASKED, PROBE_SECONDS, Probe, Probes, Silence, back_off


@pytest.fixture
def fake():
    with FakeModelServer(dimension=16) as server:
        yield server


@pytest.fixture
def probe(fake):
    made = []

    def make(role="embed", **options):
        made.append(Probe("n3", role, ModelServer(fake.url), **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def model_calls(fake):
    return [request.path for request in fake.requests if request.method == "POST"]


@pytest.mark.parametrize("role", ["embed", "rerank", "llm"])
def test_a_server_that_does_its_task_is_well(probe, role):
    one = probe(role)
    assert one.report.reason == NOT_ASKED
    assert one.look(0.0) == PROBE_SECONDS
    assert (one.report.healthy, one.report.model, one.report.reason) == (True, "fake-words", "")


@pytest.mark.parametrize("bend", [None, "nested", "bare", "floats"])
def test_every_known_shape_is_well_and_gives_the_same_vector(fake, probe, bend):
    one = probe()
    one.look(0.0)
    fake.fail_always(Fault(bend=bend))
    one.look(KIND_SECONDS)
    assert one.report.healthy


def test_a_wrong_content_type_does_not_matter_when_the_content_is_right(fake, probe):
    fake.fail_always(Fault(content_type="text/plain"))
    one = probe()
    one.look(0.0)
    assert one.report.healthy


@pytest.mark.parametrize(
    ("bend", "words"),
    [
        ("tokens", "pooling is off on node n3"),
        ("wide", "17 numbers, not 16"),
        ("other", "The model has changed"),
        ("nan", "no numbers"),
        ("zeros", "another task"),
        ("empty", "empty body"),
        ("html", "a web page"),
        ("short", "cannot be used"),
        ("twice", "cannot be used"),
        ("range", "cannot be used"),
    ],
)
def test_an_embedder_that_went_wrong_is_reported_with_the_reason(fake, probe, bend, words):
    one = probe()
    one.look(0.0)
    fake.fail_always(Fault(bend=bend))

    one.look(KIND_SECONDS)

    assert not one.report.healthy
    assert words in one.report.reason


@pytest.mark.parametrize("bend", ["flat", "empty", "html", "nan", "short", "twice", "range"])
def test_a_reranker_that_cannot_rank_is_reported(fake, probe, bend):
    fake.fail_always(Fault(bend=bend))
    one = probe("rerank")
    one.look(0.0)
    assert not one.report.healthy
    assert one.report.reason


@pytest.mark.parametrize("status", [404, 501])
def test_another_kind_of_server_on_the_port_is_reported(fake, probe, status):
    fake.fail_always(Fault(status=status, message="This server does not support embeddings."))
    one = probe()
    one.look(0.0)
    assert not one.report.healthy
    assert "start flags" in one.report.reason


def test_an_embedding_server_where_the_language_model_should_be_is_reported():
    with FakeModelServer(roles=["embed", "rerank"]) as embedder:
        one = Probe("n3", "llm", ModelServer(embedder.url))
        one.look(0.0)
        one.close()
    assert not one.report.healthy
    assert "start flags" in one.report.reason


@pytest.mark.parametrize("fault", [Fault(bend="empty"), Fault(bend="html"), Fault(status=500), Fault(refuse=True)])
def test_a_language_model_that_fails_is_reported(fake, probe, fault):
    fake.fail_always(fault)
    one = probe("llm")
    one.look(0.0)
    assert not one.report.healthy
    assert one.report.reason


def test_a_language_model_that_answers_nothing_is_reported_and_one_that_talks_is_well(fake, probe):
    fake.chat.answer_next(Reply(content=""), Reply(content="Sure! A dog is one."))
    one = probe("llm")
    one.look(0.0)
    assert not one.report.healthy
    assert "answers a question with nothing" in one.report.reason
    one.look(1.0)
    assert one.report.healthy


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(status=503), Fault(refuse=True)])
def test_an_error_is_reported(fake, probe, fault):
    fake.fail_always(fault)
    one = probe()
    one.look(0.0)
    assert not one.report.healthy


def test_a_dimension_that_is_expected_is_checked_from_the_first_answer(probe):
    one = probe(dimension=384)
    one.look(0.0)
    assert "16 numbers, not 384" in one.report.reason


def test_nobody_on_the_port_is_reported():
    with FakeModelServer() as gone:
        url = gone.url
    one = Probe("n3", "embed", ModelServer(url))
    one.look(0.0)
    assert "cannot be reached" in one.report.reason
    one.close()


def test_a_healed_server_is_well_only_after_it_did_its_task(fake, probe):
    one = probe()
    fake.fail_always(Fault(bend="tokens"))
    one.look(0.0)
    one.look(1.0)
    assert not one.report.healthy  # its health alone would have said ok
    fake.fail_always(None)
    one.look(2.0)
    assert one.report.healthy


def test_its_task_is_asked_now_and_then_and_its_health_every_time(fake, probe):
    one = probe()
    one.look(0.0)
    first = len(model_calls(fake))
    one.look(3.0)
    one.look(6.0)
    assert len(model_calls(fake)) == first
    one.look(KIND_SECONDS)
    assert len(model_calls(fake)) == 2 * first


def test_the_model_of_a_node_that_is_lent_out_is_left_alone(fake, probe):
    one = probe()
    one.look(0.0)
    before = len(model_calls(fake))
    one.look(10 * KIND_SECONDS, spare=True)
    assert (len(model_calls(fake)), one.report.healthy) == (before, True)


def test_one_late_answer_is_load_and_two_are_a_server_that_hangs():
    with FakeModelServer(dimension=16) as fake:
        one = Probe("n3", "embed", ModelServer(fake.url), health_seconds=0.2)
        one.look(0.0)
        fake._state.delay = 0.4
        one.look(3.0)
        assert one.report.healthy
        one.look(6.0)
        assert not one.report.healthy
        assert "does not answer in time" in one.report.reason
        one.close()


def test_the_silence_of_a_server_lasts_from_the_first_question_to_the_last_that_got_no_answer():
    with FakeModelServer(dimension=16) as fake:
        one = Probe("n3", "embed", ModelServer(fake.url), health_seconds=0.2)
        fake._state.delay = 0.4
        one.look(1.0)
        one.look(3.0)
        assert one.silence == Silence(first=1.0, last=3.0)
        fake._state.delay = 0.0
        one.look(6.0)
        assert one.silence is None
        one.close()


def test_a_server_that_loads_or_refuses_is_not_silent(fake, probe):
    one = probe()
    fake.fail_always(Fault(status=503))
    for now in (0.0, 3.0, 6.0):
        one.look(now)

    assert not one.report.healthy
    assert one.silence is None


def test_failures_are_probed_less_and_less_often():
    assert [back_off(failures) for failures in (1, 2, 3, 4, 5, 60)] == [1.0, 2.0, 4.0, 8.0, 12.0, 12.0]


def test_another_model_name_is_a_changed_model(fake):
    server = ModelServer(fake.url)
    with pytest.raises(WrongModel, match="from bge-m3 to fake-words"):
        check_model(server, First(model="bge-m3"), timeout=1.0)
    server.close()


@pytest.mark.parametrize(("noise", "same"), [(0.01, True), (0.2, False)])
def test_the_same_model_on_other_hardware_is_the_same(fake, noise, same):
    server = ModelServer(fake.url)
    first = First()
    check_kind(server, "embed", first, timeout=1.0)
    other = first.vector + np.float32(noise) * np.eye(16, dtype=np.float32)[3]
    known = First(dimension=16, vector=np.asarray(other / np.linalg.norm(other), dtype=np.float32))
    if same:
        check_kind(server, "embed", known, timeout=1.0)
    else:
        with pytest.raises(WrongModel, match="cosine"):
            check_kind(server, "embed", known, timeout=1.0)
    server.close()


def test_probes_follow_the_inventory(fake):
    changed = threading.Event()
    probes = Probes("n3", "", changed=changed.set)
    probes.follow({"embed": fake.url})
    assert changed.wait(5)
    assert [(report.role, report.healthy) for report in probes.reports()] == [("embed", True)]
    changed.clear()
    probes.follow({"rerank": fake.url})
    assert changed.wait(5)
    assert [report.role for report in probes.reports()] == ["rerank"]
    probes.close()
    assert probes.reports() == ()


def test_a_server_that_hangs_does_not_hold_up_another(fake):
    with FakeModelServer(delay=30.0) as hanging:
        changed = threading.Event()
        probes = Probes("n3", "", changed=changed.set)
        began = time.monotonic()
        probes.follow({"embed": hanging.url, "rerank": fake.url})
        assert changed.wait(5)
        assert time.monotonic() - began < 1.5
        assert [report.role for report in probes.reports()] == ["rerank"]
        probes.close()
