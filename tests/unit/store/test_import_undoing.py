"""What an import has made is taken out some at a time, all of it, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store import import_undoing
from store.import_undoing import undo, undo_some
from tests.everything import fill_with_everything
from tests.pipeline import HOME
from tests.transferring import body, export

# Of the tenant or of work under way, and of no space.
OF_NO_SPACE = {"setting", "calibration", "generation", "request", "idempotency", "fence", "change", "sqlite_sequence"}


def counts(pipeline) -> dict[str, int]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND NOT name GLOB 'search_te*'"
    names = [row[0] for row in pipeline.rows(query)]
    return {name: pipeline.rows(f'SELECT count(*) FROM "{name}"')[0][0] for name in names if name not in OF_NO_SPACE}


@pytest.fixture
def filled(pipeline):
    """A tenant with everything in two spaces; a calibration has relabelled nothing."""
    fill_with_everything(pipeline)
    with pipeline.host.store.write("default") as tx:
        tx.execute("DELETE FROM relabelling")
    return pipeline


@pytest.mark.parametrize("most", [1, 7, 1_000])
def test_nothing_is_left_of_its_spaces_and_no_step_takes_more(filled, most):
    before, stage, steps = sum(counts(filled).values()), 0, 0
    while stage is not None:
        with filled.host.store.write("default") as tx:
            stage = undo_some(tx, [1, 2], stage=stage, most=most)
        now = sum(counts(filled).values())
        assert before - now <= most + (4 if stage is None else 0)
        before, steps = now, steps + 1
    assert {name: number for name, number in counts(filled).items() if number} == {}
    assert steps > 90 // most


def test_other_spaces_stay(filled):
    (number,) = filled.rows("SELECT id FROM space WHERE name = 'home'")[0]
    away = replace(HOME, spaces=("away",))
    before = export(filled, away, vectors=True)
    with filled.host.store.write("default") as tx:
        undo(tx, [number])
    assert body(export(filled, away, vectors=True)) == body(before)
    assert filled.rows("SELECT name FROM space") == [("away",)]


def test_what_comes_in_behind_it_is_taken_out_too(filled):
    stages = [table for table, _, _ in import_undoing._STAGES]
    with filled.host.store.write("default") as tx:
        stage = undo_some(tx, [1, 2], stage=0, most=1)
        while stage is not None and stage <= stages.index("vector"):
            stage = undo_some(tx, [1, 2], stage=stage, most=1)
        # a vector that was under way
        tx.execute("INSERT INTO vector SELECT max(id), (SELECT id FROM generation), x'00000000' FROM search_row")
        again = []
        while stage is not None:
            stage = undo_some(tx, [1, 2], stage=stage, most=1)
            again.append(stage)
    assert 0 in again
    assert {name: number for name, number in counts(filled).items() if number} == {}
