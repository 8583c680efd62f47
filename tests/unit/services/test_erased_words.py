"""Erasure and words: a memory that several sources told in different words does not keep those of one that is gone."""

from dataclasses import replace

import pytest

from inference.fake_words import word_vectors
from services import verifying
from tests.pipeline import Pipeline
from tests.unit.services.test_erasure import SENTINEL, bytes_of_files, erase, found, problems
from tests.unit.services.test_extracting import done, fact, facts


@pytest.fixture
def pipeline(tmp_path):
    one = Pipeline(tmp_path)
    one.host = replace(one.host, settings=replace(one.host.settings, llm_url="http://127.0.0.1:1"))
    one.write = lambda payload: done(facts(*(fact(text) for text in (FIRST, SECOND) if text in repr(payload))))
    one.answers = lambda question: {letter: float(letter == "A") for letter in question["letters"]}
    yield one
    one.host.store.close()


FIRST, SECOND = "Ana purchased a new bicycle in Bergen.", "Ana bought a new bicycle in Bergen."


def merged(pipeline):
    """Hand in two documents that say one thing, and let the second be known by the words of the first."""
    pipeline.add(FIRST, custom_id="p1", title="p1")
    pipeline.add(SECOND, custom_id="p2", title="p2")
    assert pipeline.rows("SELECT statement, support FROM memory") == [(FIRST, 2)]


def test_a_memory_takes_the_words_of_a_source_that_is_left(pipeline):
    merged(pipeline)

    receipt = erase(pipeline, "document", "p1")

    assert (receipt.verification["found"], receipt.counts["memories_kept"]) == (0, 1)
    assert pipeline.rows("SELECT statement, speaker, support FROM memory") == [(SECOND, "p2", 1)]
    assert b"purchased" not in bytes_of_files(pipeline)
    assert found(pipeline, "Ana bicycle", mode="memories") == [f"p2: {SECOND}"]
    # its vector is made of the new words
    kept = pipeline.rows("SELECT data FROM vector JOIN memory ON memory.row_id = vector.row_id")
    assert kept == [(word_vectors([f"p2: {SECOND}"], 384).tobytes(),)]
    assert problems(pipeline) == []


def test_a_memory_goes_when_no_words_of_a_source_are_left(pipeline):
    merged(pipeline)
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE source SET quote = NULL")
        tx.execute("UPDATE candidate SET statement = '', memory_id = NULL")

    receipt = erase(pipeline, "document", "p1")

    assert pipeline.rows("SELECT count(*) FROM memory") == [(0,)]
    assert (receipt.verification["found"], receipt.counts.get("memories_kept", 0)) == (0, 0)
    assert problems(pipeline) == []


def test_a_memory_keeps_its_words_when_the_source_that_goes_used_others(pipeline):
    merged(pipeline)

    erase(pipeline, "document", "p2")

    assert pipeline.rows("SELECT statement FROM memory") == [(FIRST,)]
    assert b"Ana bought" not in bytes_of_files(pipeline)


def test_a_memory_that_no_source_bears_out_is_no_witness(pipeline):
    merged(pipeline)
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE memory SET statement = ?", (f"Ana hid {SENTINEL}.",))

    with pipeline.host.store.read("default") as db:
        assert verifying.still_said(db, [SENTINEL.encode(), b"purchased"]) == {b"purchased"}


def test_what_a_person_wrote_goes_rather_than_say_what_they_decided_against(pipeline):
    pipeline.answers = lambda question: {letter: float(letter == "D") for letter in question["letters"]}
    pipeline.add(FIRST, custom_id="p1", title="p1")
    pipeline.add(SECOND, custom_id="p2", title="p2")
    with pipeline.host.store.write("default") as tx:
        # as an edit of a conflict leaves it: the words of a person, resting on sources that say something else
        tx.execute("UPDATE memory SET statement = 'Ana sold it.', actor_kind = 'person' WHERE statement = ?", (FIRST,))
        tx.execute("UPDATE source SET memory_id = (SELECT id FROM memory WHERE statement = 'Ana sold it.')")
        tx.execute("UPDATE candidate SET memory_id = NULL")

    erase(pipeline, "document", "p1")

    assert (FIRST,) not in pipeline.rows("SELECT statement FROM memory")
    assert ("Ana sold it.",) not in pipeline.rows("SELECT statement FROM memory")
