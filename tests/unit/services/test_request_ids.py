"""A message names the request that its work comes from, whoever happens to send it."""

import pytest

from memory.errors import BrokerDown, NotFound
from memory.records import Actor, NewDocument, Scope
from services import asking, documents, ledger, request_ids
from services.fakes import RecordingQueue, fake_host
from store import requests
from tests.pipeline import HOME, PERSON, Pipeline

SCOPE = Scope(tenant="default", spaces=("home",))


class NamingQueue(RecordingQueue):
    """Notes for which request each message is sent; sends nothing while the broker is away."""

    def __init__(self):
        super().__init__()
        self.away = False
        self.named = []

    def send(self, task, payload, *, queue):
        if self.away:
            raise BrokerDown
        self.named.append((task, payload.get("item"), request_ids.current()))
        super().send(task, payload, queue=queue)


@pytest.fixture
def queue():
    return NamingQueue()


@pytest.fixture
def host(tmp_path, queue):
    one = fake_host(tmp_path, queue=queue)
    yield one
    one.store.close()


def add(host, request_id, content):
    with request_ids.working_for(request_id):
        return documents.add(SCOPE, host, Actor(kind="person", id="p"), NewDocument(content=content))


def test_items_of_others_are_sent_under_their_own_request(host, queue):
    queue.away = True
    add(host, "req_a", "One.")
    add(host, "req_b", "Two.")
    add(host, None, "Three.")
    queue.away = False
    with request_ids.working_for("req_c"):
        ledger.dispatch(host, "default")

    assert [name for _, _, name in queue.named] == ["req_a", "req_b", None]


def test_question_to_the_writer_keeps_the_request_and_its_lines_name_it(tmp_path, monkeypatch):
    pipeline, seen = Pipeline(tmp_path), []
    settle = requests.settle

    def noted(tx, request_id, **outcome):
        seen.append(request_ids.current())
        settle(tx, request_id, **outcome)

    monkeypatch.setattr(requests, "settle", noted)
    with request_ids.working_for("req_a"), pytest.raises(NotFound):
        asking.ask(HOME, pipeline.host, PERSON, "document.delete", {"space": "home", "document": "doc_none"})
    with request_ids.working_for("req_b"):
        pipeline.settle()
    pipeline.host.store.close()
    assert seen == ["req_a"]
