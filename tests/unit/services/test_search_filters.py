"""SEARCH-01: filters and scope come before the cut, so k matching rows are k results."""

import numpy as np
import pytest

from memory import filters
from memory.records import FOREVER, Scope, SearchQuery
from services.search import search
from store import believed, rows
from tests.rows import put_conversation, put_document, put_memories, searching_host

NEAR = 5_000
QUESTION = "Which coffee does the office drink?"
BIG = Scope(tenant="default", spaces=("big",))


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = searching_host(tmp_path_factory.mktemp("store"))
    now = host.clock()
    put_document(host, "big", "doc_far", ["The guide to harbours."])
    put_memories(
        host, "big", [f"The office does drink coffee {number}." for number in range(NEAR)], window=(now, FOREVER)
    )
    put_memories(host, "big", far("preference"), kind="preference", group="ses_2", window=(now, FOREVER))
    put_memories(host, "big", far("certain"), confidence=0.95, group="ses_3", window=(now, FOREVER))
    put_memories(host, "big", far("past"), group="ses_4", window=(0, 1_000))
    put_memories(host, "big", far("document"), group="doc_far", document="doc_far", window=(now, FOREVER))
    (episode,) = put_conversation(host, "big", "talk", ["Where are the harbours?"])
    put_memories(host, "big", far("said"), group="ses_talk", episode=episode, window=(now, FOREVER))
    put_memories(host, "big", far("bound"), group="ses_5", session="bound", window=(now, FOREVER))
    put_memories(host, "small", far("small"), window=(now, FOREVER))
    host.clock.advance(1)
    return host


def far(word):
    return [f"Harbour {word} number {number} of the coast{' drink' * (number % 2)}." for number in range(5)]


def leaf(key, value, operator=None):
    numeric = {"filterType": "numeric", "numericOperator": operator} if operator else {"filterType": "metadata"}
    return filters.parse({"AND": [{"key": key, "value": value, **numeric}]})


def found(host, scope=BIG, **options):
    hits = search(scope, host, SearchQuery(q=QUESTION, limit=5, **options)).hits
    assert [hit.similarity for hit in hits] == sorted((hit.similarity for hit in hits), reverse=True)
    return sorted(hit.text for hit in hits)


def test_a_small_space_beside_a_big_one_returns_all_it_has(host):
    assert found(host, Scope(tenant="default", spaces=("small",))) == sorted(far("small"))


def test_a_kind_that_five_far_rows_have_returns_those_five(host):
    assert found(host, filters=leaf("kind", "preference")) == sorted(far("preference"))


def test_a_least_confidence_that_five_far_rows_have_returns_those_five(host):
    assert found(host, filters=leaf("confidence", "0.9", ">=")) == sorted(far("certain"))


def test_a_time_at_which_five_far_rows_were_true_returns_those_five(host):
    assert found(host, as_of=500) == sorted(far("past"))


def test_a_document_that_five_far_rows_rest_on_returns_those_five(host):
    assert found(host, document_id="doc_far") == sorted(far("document"))


@pytest.mark.parametrize(
    ("option", "word"),
    [({"kinds": frozenset({"preference"})}, "preference"), ({"min_confidence": 0.95}, "certain"),
     ({"session_id": "talk"}, "said"), ({"session_id": "ses_talk"}, "said"), ({"session_id": "bound"}, "bound"),
     ({"kinds": frozenset({"preference"}), "min_confidence": 0.7}, "preference")],
    ids=str,
)  # fmt: skip
def test_a_filter_that_five_far_rows_pass_returns_those_five(host, option, word):
    assert found(host, **option) == sorted(far(word))


@pytest.mark.parametrize(
    "option", [{"session_id": "nowhere"}, {"kinds": frozenset({"episode"})}, {"min_confidence": 0.96}], ids=str
)
def test_a_filter_that_no_row_passes_returns_none(host, option):
    assert found(host, **option) == []


def test_a_chunk_has_no_confidence_and_is_of_no_kind(host):
    assert found(host, mode="documents", min_confidence=1.0) == ["Guide\nThe guide to harbours."]
    assert found(host, mode="documents", kinds=frozenset({"fact"})) == []


def test_a_kind_and_a_confidence_are_those_believed_then(host):
    # given a memory that was held for an unsure episode, and is a sure fact since
    (row_id,) = put_memories(host, "then", ["Mia rows."], kind="episode", confidence=0.5)
    scope, before = Scope(tenant="default", spaces=("then",)), host.clock()
    host.clock.advance(1)
    with host.store.write("default") as tx:
        believed.keep(tx, f"mem_{row_id}", at=host.clock())
        tx.execute("UPDATE memory SET kind = 'fact', confidence = 0.9 WHERE row_id = ?", (row_id,))
        rows.announce(tx, row_id, "metadata", at=host.clock())

    def kinds(**options):
        return [one for one in ("fact", "episode") if found(host, scope, kinds=frozenset({one}), **options)]

    assert (kinds(), kinds(known_at=before), kinds(known_at=host.clock())) == (["fact"], ["episode"], ["fact"])
    assert found(host, scope, min_confidence=0.8) == ["Mia rows."]
    assert found(host, scope, min_confidence=0.8, known_at=before) == []


def test_rows_that_were_superseded_use_up_nothing(host):
    # given that all near rows stop being believed
    snapshot = host.search.segment("default", "big")
    with host.store.write("default") as tx:
        near = snapshot.row_ids[1 : NEAR + 1].tolist()
        tx.executemany(
            """
            UPDATE validity SET retired_at = ?, retired_kind = 'person', retired_id = 'x', reason = 'r' WHERE row_id = ?
            """,
            [(host.clock(), row_id) for row_id in near],
        )
        tx.executemany(
            "INSERT INTO change (space_id, row_id, op, at) VALUES (?, ?, 'window', 0)",
            [(snapshot.space_id, row_id) for row_id in near],
        )
    # then the five best of the rest come back
    assert len(found(host)) == 5
    live = host.search.segment("default", "big").visible(
        BIG, as_of=host.clock(), known_at=host.clock(), kinds=("memory",)
    )
    assert int(np.count_nonzero(live)) == 25
