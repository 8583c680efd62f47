import pytest

from memory.errors import IdempotencyMismatch
from memory.records import Idempotency, Scope
from services.fakes import SteppedClock
from store import idempotency
from store.connection import Store

SCOPE = Scope(tenant="default")
ASKED = Idempotency(route="POST /v3/documents", key="k1", body_hash="aa")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path, clock=SteppedClock())
    store.ensure_tenant("default")
    with store.write("default") as tx:
        idempotency.remember(SCOPE, tx, ASKED, status=202, response={"id": "doc_ä"}, at=5)
    yield store
    store.close()


def lookup(store, asked, scope=SCOPE):
    with store.read("default") as db:
        return idempotency.lookup(scope, db, asked)


def test_a_repeated_request_gets_the_first_answer(store):
    assert lookup(store, ASKED) == (202, {"id": "doc_ä"})


@pytest.mark.parametrize("change", [{"key": "k2"}, {"route": "POST /v4/memories"}])
def test_another_key_or_route_is_new(store, change):
    fields = {"route": ASKED.route, "key": ASKED.key, "body_hash": ASKED.body_hash, **change}
    assert lookup(store, Idempotency(**fields)) is None


def test_another_body_is_refused(store):
    with pytest.raises(IdempotencyMismatch):
        lookup(store, Idempotency(route=ASKED.route, key=ASKED.key, body_hash="bb"))


@pytest.mark.parametrize("scope", [Scope(tenant="default", spaces=("b",)), Scope(tenant="default", user="u")])
def test_another_scope_does_not_learn_the_answer(store, scope):
    with pytest.raises(IdempotencyMismatch):
        lookup(store, ASKED, scope)


def test_answers_go_after_seven_days(store):
    with store.write("default") as tx:
        assert idempotency.prune(tx, now=5 + idempotency.KEEP_MICROS) == 0
        assert idempotency.prune(tx, now=6 + idempotency.KEEP_MICROS) == 1
    assert lookup(store, ASKED) is None
