"""A store whose rows another version of the segmentation cut: every row is cut anew, and readers notice."""

import json
import sqlite3
from contextlib import closing

import pytest

from memory.records import BEGINNING, FOREVER, NewMemory, SearchQuery
from memory.segmentation import TOKENIZER_VERSION, segment
from ops import doctor
from services import configured_model, memories, reconcile, resegmenting, search
from services.fakes import SteppedClock
from store import integrity, schema
from store.segments import SegmentCache
from tests.pipeline import HOME, PERSON, Pipeline

# The last file whose rows were of version 1.
OLD_FILE = 8
# What version 1 made of the texts: it kept the dots of Indian letters, and did not know that "stole" is of "steal".
MEMORIES = {
    "पासवर्ड बदलना ज़रूरी है": "पासवर्ड बदलना ज़रूरी है",
    "Somebody stole the bicycle of Zoe": "somebody stol the bicycl of zoe",
}
CHUNK = "बाज़ार सोमवार को बंद है"
CHUNK_SHADOW = "guid बाज़ार सोमवार को बंद है"


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A file as the version before wrote it, opened by this one."""
    (tmp_path / "tenants").mkdir()
    path = tmp_path / "tenants" / "default.db"
    backups = tmp_path / "backups"
    schema.prepare(tmp_path / "control.db", schema.migrations("control"), backups=backups, now=1)
    schema.prepare(path, schema.migrations("tenant")[:OLD_FILE], backups=backups, now=1)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO space (id, name, created_at, next_row) VALUES (1, 'home', 1, 100)")
        db.execute(
            "INSERT INTO generation (id, model, dimension, state, created_at)"
            " VALUES (1, 'all-MiniLM-L6-v2', 384, 'serving', 1)"
        )
        for number, (text, shadow) in enumerate(MEMORIES.items()):
            row_id = put(db, number, "memory", shadow)
            db.execute(
                "INSERT INTO memory (id, space_id, row_id, root_id, version, statement, kind, confidence, equality_key,"
                " model, actor_kind, actor_id, recorded_at, updated_at, entities)"
                " VALUES (?1, 1, ?2, ?1, 1, ?3, 'fact', 0.9, ?3, 'direct', 'person', 'local', 1, 1, ?4)",
                (f"mem_{number}", row_id, text, json.dumps([{"name": "ines roe"}] if number else [])),
            )
            db.execute(
                "INSERT INTO source (memory_id, kind, quote, recorded_at) VALUES (?, 'direct', ?, 1)",
                (f"mem_{number}", text),
            )
        db.execute(
            "INSERT INTO document (id, space_id, title, metadata, status, latest_revision, live_revision, created_at,"
            " updated_at) VALUES ('doc_1', 1, 'Guide', '{}', 'done', 1, 1, 1, 1)"
        )
        db.execute("INSERT INTO revision VALUES ('doc_1', 1, ?, 'hash', 5, 'live', 'job_1', 1)", (CHUNK,))
        row_id = put(db, 9, "chunk", CHUNK_SHADOW)
        db.execute(
            "INSERT INTO chunk VALUES ('chk_1', 'doc_1', 1, 0, 0, ?, ?, ?, 'hash', ?, '')",
            (len(CHUNK), json.dumps(["Guide"]), CHUNK, row_id),
        )
    monkeypatch.setattr(resegmenting, "BATCH", 2)
    return Pipeline(tmp_path, clock=SteppedClock())


def put(db, number, kind, shadow):
    row_id = 1 << 32 | number
    db.execute(
        "INSERT INTO search_row (id, space_id, kind, group_key, position, shadow, terms, tokenizer)"
        " VALUES (?, 1, ?, ?, 0, ?, ?, 1)",
        (row_id, kind, f"group {number}", shadow, len(shadow.split())),
    )
    db.execute("INSERT INTO vector VALUES (?, 1, ?)", (row_id, bytes(4 * 384)))
    db.execute(
        "INSERT INTO validity (row_id, valid_from, valid_to, recorded_at, actor_kind, actor_id)"
        " VALUES (?, ?, ?, 1, 'pipeline', 'job_1')",
        (row_id, BEGINNING, FOREVER),
    )
    return row_id


def exactly(pipeline, word):
    """Return how many rows say a word itself, by a reader that has been there from the start."""
    snapshot = pipeline.host.search.segment("default", "home")
    return len(snapshot.posting(segment(word)[0]).slots)


def rows(pipeline):
    with pipeline.host.store.read("default") as db:
        return db.execute("SELECT shadow, terms, tokenizer FROM search_row ORDER BY id").fetchall()


def problems(pipeline):
    with pipeline.host.store.write("default") as tx:
        return integrity.check_full_text(tx) + integrity.problems(tx)


def test_every_row_of_an_older_file_is_cut_anew_and_found_by_readers_that_had_it(old):
    words = ("जरूरी", "steal", "बाजार")
    assert [exactly(old, word) for word in words] == [0, 0, 0]

    reconcile.run(old.host, old.writer, "default")

    assert {row["tokenizer"] for row in rows(old)} == {TOKENIZER_VERSION}
    assert all(len(row["shadow"].split()) == row["terms"] for row in rows(old))
    assert [exactly(old, word) for word in words] == [1, 1, 1]
    assert problems(old) == []


def test_rows_of_a_file_without_names_get_them(old):
    assert len(old.host.search.segment("default", "home").linked("zoe").slots) == 0
    reconcile.run(old.host, old.writer, "default")
    assert len(old.host.search.segment("default", "home").linked("zoe").slots) == 1
    with old.host.store.read("default") as db:
        found = db.execute("SELECT names FROM search_row ORDER BY id").fetchall()
    # As of a new row: of the statement alone, with what a model had found in it.
    assert [row["names"] for row in found] == ["", "somebody zoe ines_roe ines roe", "guide"]


def test_text_comes_back_as_it_was_sent(old):
    reconcile.run(old.host, old.writer, "default")

    hits = search.search(HOME, old.host, SearchQuery(q="ज़रूरी", arms=frozenset({"lexical"}), limit=1))

    assert [hit.text for hit in hits.hits] == list(MEMORIES)[:1]


def test_what_was_ended_in_between_goes_on_and_a_second_look_changes_nothing(old):
    next(resegmenting.turn(old.host, "default", old.writer.token))
    assert [row["tokenizer"] for row in rows(old)] == [TOKENIZER_VERSION, TOKENIZER_VERSION, 1]
    assert problems(old) == []

    reconcile.run(old.host, old.writer, "default")
    done = rows(old)
    old.host.segmented.clear()
    reconcile.run(old.host, old.writer, "default")

    assert {row["tokenizer"] for row in done} == {TOKENIZER_VERSION}
    assert rows(old) == done


def test_the_text_of_a_row_cannot_be_changed_otherwise(old):
    with pytest.raises(Exception, match="never changes"), old.host.store.write("default") as tx:
        tx.execute("UPDATE search_row SET shadow = 'other'")


def test_a_fresh_reader_sees_the_new_terms_too(old):
    reconcile.run(old.host, old.writer, "default")

    snapshot = SegmentCache(old.host.store).segment("default", "home")

    assert len(snapshot.posting("जरूरी").slots) == 1


def outdated(pipeline):
    return [row["tokenizer"] for row in rows(pipeline)].count(1)


def test_nobody_waits_for_the_rows(old):
    memories.remember(HOME, old.host, PERSON, [NewMemory(content="The market is closed on Monday.")])

    assert outdated(old) == 3


def test_a_request_goes_before_each_batch(old, monkeypatch):
    left = []
    monkeypatch.setattr(reconcile.requests, "next_waiting", lambda db: left.append(outdated(old)))

    reconcile.run(old.host, old.writer, "default")

    assert left == [3, 1, 0]


def test_a_turn_ends_and_the_writer_gets_another_until_no_row_is_left(old, monkeypatch):
    monkeypatch.setattr(resegmenting, "TURN_SECONDS", 0.0)
    left = []
    while True:
        configured_model.look(old.host, old.writer.token)
        if not old.queue.waiting:
            break
        old.settle()
        left.append(outdated(old))

    assert left == [1, 0, 0]
    assert exactly(old, "steal") == 1


def test_doctor_says_how_many_rows_are_left(old):
    def said():
        findings = doctor._tenant(old.host.settings, old.host.store, "default", False)
        return [one.sentence for one in findings if "earlier version" in one.sentence]

    assert [sentence.split()[0] for sentence in said()] == ["3"]
    reconcile.run(old.host, old.writer, "default")
    assert said() == []
