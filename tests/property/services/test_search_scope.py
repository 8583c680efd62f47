from collections.abc import Sequence
from itertools import count
from string import ascii_lowercase
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.records import BEGINNING, FOREVER, Scope, SearchQuery
from services.search import search
from store import rows
from tests.rows import ACTOR, put_memories, searching_host

SPACES = ("red", "green", "blue")
USERS = (None, "ann", "bob")
WORDS = ("tea", "rum", "boat", "moon", "snow")
NAMES = ("Anna", "Anna Berg", "Berlin", "NASA")
# One is written in the other, so that a query for one may mean the other.
COMPOUNDS = ("supermarket", "supermarketplace", "market", "rowboat", "boatyard", "moonlight")
CROWD = " ".join(f"supermarket{one} {one}supermarket moonlight{one} boatyard{one}" for one in ascii_lowercase)
# Whose rows ann sees, and what she does not see: those of others, of other spaces, staged, forgotten, no longer true.
SEEN = ("ann", "everybody")
UNSEEN = ("bob", "elsewhere", "staged", "forgotten", "over")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A store with 90 rows over three spaces and three owners, and where each row is."""
    host = searching_host(tmp_path_factory.mktemp("store"))
    owners = {}
    for space in SPACES:
        for user in USERS:
            texts = [f"{WORDS[number % 5]} {WORDS[number % 3]} {space} {user} {number}" for number in range(10)]
            for row_id in put_memories(host, space, texts, user=user, group=f"{space}{user}"):
                owners[f"mem_{row_id}"] = (space, user)
    return host, owners


@given(
    spaces=st.lists(st.sampled_from((*SPACES, "nowhere")), min_size=1, max_size=4),
    user=st.sampled_from((*USERS, "eve")),
    words=st.lists(st.sampled_from((*WORDS, *SPACES, "ann")), max_size=4),
    limit=st.integers(1, 100),
    rerank=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_no_read_returns_a_row_outside_its_scope_nor_fewer_than_there_are(
    world, spaces: Sequence[str], user, words, limit, rerank
):
    # given a scope
    host, owners = world
    scope = Scope(tenant="default", spaces=tuple(spaces), user=user)
    allowed = {
        one for one, (space, owner) in owners.items() if space in spaces and (user is None or owner in (None, user))
    }
    # when it asks for anything
    answer = search(scope, host, SearchQuery(q=" ".join(words), limit=limit, rerank=rerank))
    hits = answer.hits
    # then it gets what is its own, as much as there is, each once, unless a reranker found none of it relevant
    if answer.reason is not None:
        assert rerank
        assert not hits
        return
    ids = [hit.id for hit in hits]
    assert set(ids) <= allowed
    assert len(set(ids)) == len(ids) == min(limit, len(allowed))
    assert all(hit.space in spaces for hit in hits)


NUMBERS = count()


def exact_vectors(texts: Sequence[str], dimension: int) -> npt.NDArray[np.float32]:
    """Embed texts so that cosines are multiples of 1/16: the same in whatever order their products are added."""
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    width = dimension // 16
    for row, text in enumerate(texts):
        words = text.split() or [""]
        for part in range(16):
            word = words[part % len(words)]
            vectors[row, part * width + crc32(word.encode()) % width] = 0.25
    return vectors


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A store to which every example adds spaces of its own."""
    with pytest.MonkeyPatch.context() as patched:
        for module in ("tests.rows", "services.fake_models"):
            patched.setattr(f"{module}.word_vectors", exact_vectors)
        yield searching_host(tmp_path_factory.mktemp("store"))


def put(host, space: str, whose: str, text: str, group: str, position: int) -> None:
    window = None if whose == "staged" else (BEGINNING, 1 if whose == "over" else FOREVER)
    user = {"everybody": None, "bob": "bob"}.get(whose, "ann")
    where = f"{space}-elsewhere" if whose == "elsewhere" else space
    (row_id,) = put_memories(host, where, [text], group=group, start=position, user=user, window=window)
    if whose == "forgotten":
        with host.store.write("default") as tx:
            rows.retire_windows(tx, row_id, at=host.clock(), actor=ACTOR, reason="forgotten")


def scores(host, placed: Sequence[tuple[int, tuple[str, str, str]]], query: SearchQuery):
    """Put rows into a new space and return all that ann is told of them, best first."""
    space = f"space-{next(NUMBERS)}"
    for position, (whose, text, group) in placed:
        put(host, space, whose, text, group, position)
    answer = search(Scope(tenant="default", spaces=(space,), user="ann"), host, query)
    told = [(hit.text, hit.similarity, hit.score, dict(hit.explain)) for hit in answer.hits]
    return told, answer.degraded, answer.reason


def a_row(whose: Sequence[str], *words: str):
    text = st.lists(st.sampled_from((*WORDS, *NAMES, *COMPOUNDS, *words)), min_size=1, max_size=5).map(" ".join)
    return st.tuples(st.sampled_from(whose), text, st.sampled_from(("monday", "tuesday")))


@given(
    placed=st.lists(st.one_of(a_row(SEEN), a_row(UNSEEN, CROWD)), min_size=1, max_size=16),
    words=st.lists(st.sampled_from((*WORDS, *NAMES, "anna", "berlin", *COMPOUNDS)), max_size=4),
    rerank=st.booleans(),
)
@example(
    placed=[("ann", "supermarketplace moon", "monday"), ("bob", CROWD, "monday"), ("ann", "rum", "monday")],
    words=["supermarket"],
    rerank=False,
)
@example(
    placed=[("ann", "tea with Anna", "monday"), ("forgotten", "Anna Berg", "tuesday"), ("ann", "rum", "monday")],
    words=["tea", "Anna Berg"],
    rerank=True,
)
@example(
    placed=[("ann", "tea", "monday"), ("bob", "NASA", "tuesday"), ("everybody", "rum", "monday")],
    words=["tea", "NASA"],
    rerank=False,
)
@settings(deadline=None, max_examples=40)
def test_rows_that_a_scope_does_not_see_change_no_bit_of_the_scores_of_those_it_sees(host, placed, words, rerank):
    # given rows of which a scope sees some
    query = SearchQuery(q=" ".join(words), limit=100, rerank=rerank)
    numbered = list(enumerate(placed))
    # when the same is asked of all of them, and of those alone that it sees
    among_others = scores(host, numbered, query)
    alone = scores(host, [one for one in numbered if one[1][0] in SEEN], query)
    # then the answer is the same
    assert among_others == alone
