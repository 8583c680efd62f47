"""The queues and nodes are shared: of what the others do on them a tenant is told nothing."""

from dataclasses import replace

import pytest

from memory.ports import Heartbeat
from memory.records import NewDocument, Scope
from services import documents, health, lanes
from services.fakes import fake_host
from services.keys import LOCAL


@pytest.fixture
def host(tmp_path):
    one = fake_host(tmp_path, tenants=("default", "a", "b"))
    beat = Heartbeat(
        worker="host", at=one.clock(), slots=2, in_flight=(("a", "1", 1), ("b", "7", 1)), queue_wait=0.0, pid=1,
        healthy=True, reason=None, consuming=True,
    )  # fmt: skip
    facts = one.queue.facts(at=one.clock())
    yield replace(one, facts=lambda: replace(facts, heartbeats=(beat,), queue_lengths={"host": 2}))
    one.store.close()


def add(host, tenant):
    documents.add(Scope(tenant=tenant), host, LOCAL, NewDocument(content="A text."))


def told(host, of):
    seen = lanes.lanes(host, of)
    held = [one["tenant"] for worker in seen["workers"] for one in worker["in_flight"]]
    (queue,) = [one for one in seen["queues"] if one["name"] == "host"]
    return held, queue["ready"] + queue["leased"], queue["depth"]


def test_whoever_runs_the_machine_is_told_of_all_the_work(host):
    add(host, "a")
    add(host, "b")

    assert told(host, None) == (["a", "b"], 2, 2)


def test_a_tenant_is_told_of_its_own_work_and_of_no_more(host):
    before = told(host, "b"), health.health(host, "b")
    for _ in range(3):
        add(host, "a")

    assert (told(host, "b"), health.health(host, "b")) == before
    assert before[0] == (["b"], 0, None)
    add(host, "b")
    assert told(host, "b") == (["b"], 1, None)


def test_a_limited_key_is_told_of_no_work(host):
    add(host, "a")

    assert told(host, "") == ([], 0, None)
