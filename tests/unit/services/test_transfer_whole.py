"""Whatever has happened in a tenant, its export can be made rows of: it names nothing that it does not tell of."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

from memory.errors import StateConflict
from memory.records import Scope
from services import importing, merging
from tests.everything import fill_with_everything
from tests.pipeline import HOME, PERSON, Pipeline
from tests.transferring import body, export, lines

BOTH = replace(HOME, spaces=("away", "home"))
HAPPENED: dict[str, tuple[str, ...]] = {
    "an erasure has taken jobs": (
        "DELETE FROM work_item", "DELETE FROM tally", "DELETE FROM job",
    ),
    "candidates are still under way": ("UPDATE candidate SET state = 'ready'",),
    "a job was cancelled halfway": ("UPDATE revision SET state = 'cancelled'",),
    "an erasure has taken what a decision is of": ("UPDATE decision SET candidate_seq = NULL, memory_id = NULL",),
    "a merge stopped when jobs had moved": (
        "UPDATE job SET space_id = 3 - space_id", "UPDATE decision SET space_id = 3 - space_id",
    ),
    # Their rows move with them; here these are left to the memories.
    "a merge stopped when documents had moved": (
        "UPDATE chunk SET row_id = NULL", "DELETE FROM vector",
        "DELETE FROM validity WHERE row_id NOT IN (SELECT row_id FROM memory)",
        "DELETE FROM search_row WHERE kind = 'chunk'", "UPDATE document SET space_id = 1",
    ),
    "a merge stopped when candidates had moved": ("UPDATE candidate SET space_id = 1",),
    "a bucket is of another space": ("UPDATE bucket_memory SET bucket_id = 3 - bucket_id",),
}  # fmt: skip


def bring(pipeline: Pipeline, raw: bytes) -> Any:
    """Import an export; returns what became of it."""
    one = importing.accept(HOME, pipeline.host, PERSON, io.BytesIO(raw))
    pipeline.settle()
    return importing.get(HOME, pipeline.host, one.id).of


@pytest.mark.parametrize("what", HAPPENED)
def test_an_export_names_nothing_that_it_does_not_tell_of(pipeline, other, what):
    fill_with_everything(pipeline)
    with pipeline.host.store.write("default") as tx:
        tx.execute("PRAGMA defer_foreign_keys = ON")
        for statement in HAPPENED[what]:
            tx.execute(statement)
    raw = export(pipeline, BOTH)

    done = bring(other, raw)

    assert (done.state, done.reason) == ("finished", None)
    again = export(other, BOTH)
    mine, theirs = ([line for line in body(one) if b'{"line":"job"' not in line] for one in (raw, again))
    assert theirs == mine


NARROW = {"user": {"user": "ann"}, "another user": {"user": "bob"}, "session": {"session": "run"},
          "another session": {"session": "other"}, "agent": {"agent": "helper"}}  # fmt: skip


@pytest.mark.parametrize("whose", NARROW)
def test_what_is_told_to_one_can_be_made_rows_of(pipeline, other, whose):
    fill_with_everything(pipeline)
    # A chain of versions of which the first is of another session.
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE memory SET session_id = 'past' WHERE version = 1")
        tx.execute("UPDATE memory SET session_id = NULL WHERE version = 2")
    raw = export(pipeline, replace(BOTH, **NARROW[whose]), whole=False)
    assert {"memory", "document"} <= {line["line"] for line in lines(raw)} or whose.startswith("another")
    done = bring(other, raw)
    assert (done.state, done.reason) == ("finished", None)


def test_merged_spaces_with_the_same_buckets_come_back(pipeline, other, monkeypatch):
    fill_with_everything(pipeline)
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE bucket SET retired_at = NULL")
    scope = Scope(tenant="default", spaces=("away", "home"))
    pipeline.held = lambda message: True
    with monkeypatch.context() as patched:
        patched.setattr(merging.ledger, "wake_writer", lambda *_: None)
        merge = merging.merge(scope, pipeline.host, PERSON, ["away"], "home")
    # What is between two spaces is no whole.
    with pytest.raises(StateConflict, match="being merged"):
        export(pipeline, BOTH)
    pipeline.held = lambda message: False
    merging.ledger.wake_writer(pipeline.host, "default")
    pipeline.settle()
    assert merging.get(scope, pipeline.host, merge.id, every=True).state == "completed"
    raw = export(pipeline, BOTH)
    assert lines(raw)[0]["spaces"] == ["home"]
    done = bring(other, raw)
    assert (done.state, done.reason) == ("finished", None)
    assert body(export(other, BOTH)) == body(raw)


def test_the_calibration_of_a_tenant_stays_and_what_came_after_another_does_not_come(pipeline, other):
    fill_with_everything(pipeline)
    # given a tenant that went back to the fit before, so that the later one names it
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE calibration SET state = 'retired', retired_at = 9 WHERE previous_id IS NOT NULL")
        tx.execute("UPDATE calibration SET state = 'active', retired_at = NULL WHERE previous_id IS NULL")
    raw = export(pipeline, BOTH)
    # when it comes into one that has a fit of the same judge
    with other.host.store.write("default") as tx:
        tx.execute(
            "INSERT INTO calibration VALUES ('cal_own', 'pair', 'm', '1', '{\"verdicts\": {}}', 1, NULL, 'active',"
            " 'person', 'eve', 1, NULL, NULL, NULL)"
        )
    done = bring(other, raw)
    # then that one stays, alone, and decisions name none that is not there
    assert (done.state, done.reason) == ("finished", None)
    assert other.rows("SELECT id FROM calibration") == [("cal_own",)]
    assert other.rows("SELECT count(*), count(calibration_id) FROM decision") == [(2, 0)]
    assert other.rows("SELECT count(*) FROM relabelling") == [(0,)]
