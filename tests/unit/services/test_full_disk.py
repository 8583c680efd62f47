"""A disk that is full in the middle of the writer's transaction: all of it waits, and goes on when there is room."""

import io

import pytest

from memory.errors import Pending, StoreError
from memory.records import NewMemory, Scope
from services import importing, ledger, memories, merging
from services.sweeping import sweep
from tests.pipeline import PERSON, Pipeline
from tests.transferring import export

NEW, OLD = (Scope(tenant="default", spaces=(name,)) for name in ("new", "old"))
EVERY = Scope(tenant="default", spaces=("new", "old"))


def work_on_a_full_disk(pipeline: Pipeline, *, pages: int = 0) -> None:
    """Let the file grow by so many pages at most, and see that the writer could not go on."""
    _bound(pipeline, pages)
    with pytest.raises(StoreError, match="disk is full"):
        work(pipeline)
    _bound(pipeline, 1_000_000)
    pipeline.clock.advance(1_000)


def _bound(pipeline: Pipeline, pages: int) -> None:
    with pipeline.host.store.write("default") as tx:
        (now,) = tx.execute("PRAGMA page_count").fetchone()
        tx.execute(f"PRAGMA max_page_count = {now + pages:d}")


def work(pipeline: Pipeline) -> None:
    pipeline.writer.renew()
    sweep(pipeline.host, pipeline.queue.facts(at=pipeline.clock()))
    ledger.wake_writer(pipeline.host, "default")
    pipeline.settle()


def add_boats(pipeline: Pipeline, count: int) -> None:
    for number in range(count):
        text = f"# Boat {number}\n\nAnn owns boat number {number} of Oslo " + f"word{number} " * 300
        pipeline.add(text, scope=OLD, custom_id=f"b{number}")


def is_sound(pipeline: Pipeline) -> bool:
    broken = pipeline.rows("PRAGMA foreign_key_check")
    return not broken and not pipeline.rows("SELECT id FROM request WHERE state <> 'done'")


@pytest.mark.parametrize("pages", [0, 4, 12])
def test_a_request_waits_for_room(pipeline, pages):
    add_boats(pipeline, 3)
    pipeline.queue.down = True
    texts = [f"Eve sings song {number} " + f"la{number} " * 1_500 for number in range(30)]
    with pytest.raises(Pending):
        memories.remember(NEW, pipeline.host, PERSON, [NewMemory(content=text) for text in texts])
    pipeline.queue.down = False

    work_on_a_full_disk(pipeline, pages=pages)
    assert pipeline.rows("SELECT state FROM request WHERE kind = 'remember'") == [("waiting",)]
    assert pipeline.rows("SELECT count(*) FROM memory WHERE statement LIKE 'Eve%'") == [(0,)]

    work(pipeline)
    assert pipeline.rows("SELECT count(*) FROM memory WHERE statement LIKE 'Eve%'") == [(30,)]
    assert is_sound(pipeline)


def test_a_merge_goes_on_when_there_is_room(pipeline):
    add_boats(pipeline, 30)
    pipeline.writer.renew()
    memories.remember(NEW, pipeline.host, PERSON, [NewMemory(content="Cid keeps bees.")])
    pipeline.settle()
    pipeline.queue.down = True
    merge_id = merging.merge(EVERY, pipeline.host, PERSON, ["old"], "new").id
    pipeline.queue.down = False

    work_on_a_full_disk(pipeline)
    assert merging.get(EVERY, pipeline.host, merge_id, every=True).state in ("queued", "running")

    work(pipeline)
    assert merging.get(EVERY, pipeline.host, merge_id, every=True).state == "completed"
    assert is_sound(pipeline)


@pytest.mark.parametrize("pages", [0, 5, 20])
def test_an_import_goes_on_when_there_is_room(pipeline, other, pages):
    add_boats(pipeline, 20)
    raw = export(pipeline, EVERY, vectors=True)
    other.queue.down = True
    one = importing.accept(
        EVERY, other.host, PERSON, io.BytesIO(raw), rename=None, within=None, repeated=lambda _: None
    )
    other.queue.down = False

    work_on_a_full_disk(other, pages=pages)
    waiting = importing.get(EVERY, other.host, one.id).of
    assert (waiting.is_open, waiting.reason) == (True, None)

    work(other)
    assert importing.get(EVERY, other.host, one.id).of.state == "finished"
    assert other.rows("SELECT count(*) FROM document") == [(20,)]
    assert is_sound(other)


@pytest.mark.parametrize("pages", [20, 62, 68, 116, 122])
def test_candidates_are_settled_once_when_there_is_room(pipeline, pages):
    held = [True]
    pipeline.held = lambda sent: held[0] and sent.task == "embed.texts"
    text = "\n\n".join(
        f"Ann{number} owns boat number {number} with " + " ".join(f"item{number}x{part}" for part in range(60)) + "."
        for number in range(60)
    )
    pipeline.add(text, scope=NEW, title="Boats")
    held[0] = False

    work_on_a_full_disk(pipeline, pages=pages)
    assert pipeline.rows("SELECT count(*) FROM candidate WHERE outcome = 'failed'") == [(0,)]

    for _ in range(3):
        work(pipeline)
        pipeline.clock.advance(300)
    assert pipeline.rows("SELECT outcome, count(*) FROM candidate GROUP BY outcome") == [("added", 60)]
    assert pipeline.rows("SELECT status FROM document") == [("done",)]
    assert is_sound(pipeline)
