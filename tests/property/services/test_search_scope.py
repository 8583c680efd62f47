from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.records import Scope, SearchQuery
from services.search import search
from tests.rows import put_memories, searching_host

SPACES = ("red", "green", "blue")
USERS = (None, "ann", "bob")
WORDS = ("tea", "rum", "boat", "moon", "snow")


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
