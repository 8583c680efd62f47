"""The checks see what they are there to see."""

import random
import sqlite3
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.faults import checks
from tests.faults.chaos import Chaos, Log
from tests.faults.work import Accepted, Document

EXCUSE = "background@b0 stopped while it worked on this; see its log, then retry the job."


def ended(folder, ends):
    """Return a file with one job for each document that a client was promised, and the promise."""
    file = folder / "default.db"
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE job (id TEXT, state TEXT, reason TEXT)")
        db.executemany("INSERT INTO job VALUES (?, ?, ?)", [(f"job_{n}", *end) for n, end in enumerate(ends)])
    db.close()
    documents = [Document(custom_id=f"c-{n}", jobs=[f"job_{n}"], id=f"doc_{n}") for n in range(len(ends))]
    return file, [Accepted(documents=documents)]


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ([("done", None)] * 30 + [("failed", EXCUSE)], ""),
        ([("done", None)] * 3 + [("failed", "The model answered with an error.")], "was not spoilt, and failed"),
        ([("done", None)] * 30 + [("failed", EXCUSE)] * 5, "5 of 35 documents failed"),
        ([("partial", EXCUSE)], "none of 1 documents is done"),
        ([], "none of 0 documents is done"),
    ],
)
def test_documents_that_nobody_has_spoilt_are_done_but_for_a_few_with_an_excuse(ends, told, tmp_path):
    found = "\n".join(checks._failed_documents(*ended(tmp_path, ends)))

    assert told in found
    assert bool(told) == bool(found)


def test_a_fence_that_cannot_be_read_is_a_problem(tmp_path):
    watch = checks.FenceWatch(tmp_path / "nowhere.db")
    watch.start()
    watch.join(10)

    found = "\n".join(watch.problems())

    assert "could not be watched to the end: OperationalError" in found
    assert "no writer ever held the fence" in found


def test_a_fault_that_finds_nothing_to_be_inflicted_on_is_not_counted(tmp_path):
    fleet = SimpleNamespace(nodes={}, up=SimpleNamespace(children=lambda words: [], data_dir=tmp_path))
    chaos = Chaos(fleet, None, random.Random(1), Log(), long=False)

    @contextmanager
    def inflicted():
        yield

    chaos.faults = {"kill api": chaos.faults["kill api"], "broker away 12 s": inflicted}

    assert set(chaos.run(2.0)) == {"broker away 12 s"}
