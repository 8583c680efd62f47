"""A space that is searched by pools answers as one whose every row is scored."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.records import Scope, SearchQuery
from services import search_pool
from services.fake_models import WordModels
from services.fakes import SteppedClock, fake_host
from services.search import search
from store import native
from store.connection import Store
from store.segments import SegmentCache
from store.vector_scan import Scanning
from tests.rows import put_memories

SCOPE = Scope(tenant="default", spaces=("home",))
WORDS = "tea rum gin boat car bike rain snow sun cat dog owl red blue green song book film".split()
ROWS = 900
KERNELS = [None, pytest.param(native.kernel(), marks=pytest.mark.skipif(
    native.kernel() is None, reason="the native part is not installed: make setup with a C compiler"))]  # fmt: skip


@pytest.fixture(scope="module", params=KERNELS, ids=["numpy", "native"])
def host(request, tmp_path_factory):
    """A space of many sessions, of which some say the same over and over, that counts as large."""
    folder = tmp_path_factory.mktemp("large")
    store = Store(folder, clock=(clock := SteppedClock()), busy_seconds=2.0)
    scanning = Scanning(exact_rows=50, kernel=request.param)
    made = fake_host(
        folder, models=WordModels(), store=store, clock=clock, search=SegmentCache(store, scanning=scanning)
    )
    chooser = random.Random(4)
    for group in range(60):
        said = [" ".join(chooser.choices(WORDS, k=chooser.randint(1, 5))) for _ in range(ROWS // 60)]
        kind = "preference" if group % 6 == 0 else "fact"
        put_memories(made, "home", said, group=f"ses_{group}", kind=kind, user="ann" if group % 10 == 1 else None)
    yield made
    store.close()


@pytest.fixture(autouse=True, scope="module")
def small_pools():
    """Pools as small beside this space as those of a large one."""
    kept = search_pool.OF_EACH_ARM, search_pool.FEW
    search_pool.OF_EACH_ARM, search_pool.FEW = 60, 40
    yield
    search_pool.OF_EACH_ARM, search_pool.FEW = kept


@given(
    q=st.lists(st.sampled_from([*WORDS, "moon"]), min_size=1, max_size=5).map(" ".join),
    kinds=st.sampled_from([frozenset(), frozenset({"preference"}), frozenset({"preference", "fact"})]),
    user=st.sampled_from([None, "ann", "bob"]),
    limit=st.integers(1, 40),
)
@settings(deadline=None, max_examples=60)
def test_a_pool_never_costs_results_and_lets_nothing_in(host, q, kinds, user, limit):
    scope = Scope(tenant="default", spaces=("home",), user=user)
    pooled = search(scope, host, SearchQuery(q=q, kinds=kinds, limit=limit)).hits
    exact = search(scope, host, SearchQuery(q=q, kinds=kinds, limit=limit, exact=True)).hits
    assert len(pooled) == len(exact)
    assert len({one.text for one in pooled}) == len(pooled)
    assert all(one.memory.kind in kinds for one in pooled if kinds)
    assert [one.score for one in pooled] == sorted((one.score for one in pooled), reverse=True)


def test_the_best_of_a_pool_are_the_best_of_all(host):
    chooser = random.Random(5)
    met = []
    for _ in range(60):
        q = " ".join(chooser.choices(WORDS, k=3))
        exact, pooled = (
            [hit.id for hit in search(SCOPE, host, SearchQuery(q=q, limit=10, exact=exact)).hits]
            for exact in (True, False)
        )
        met.append(len(set(exact) & set(pooled)) / 10)
    assert sum(met) / len(met) >= 0.97
