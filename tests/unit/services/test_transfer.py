"""Export and import: what comes back is what went out, whole or not at all."""

from __future__ import annotations

import io
import json
import tracemalloc
from dataclasses import replace

import pytest

from memory.records import Message, NewMemory, NewSource, Scope
from services import episodes, erasure, exporting, import_steps, importing, memories, staged_imports
from store import integrity, requests
from store.transfer_plan import NOT_EXPORTED, PARTS
from tests.pipeline import HOME, PERSON, Pipeline


@pytest.fixture
def pipeline(tmp_path):
    one = Pipeline(tmp_path / "one")
    yield one
    one.host.store.close()


@pytest.fixture
def other(tmp_path):
    one = Pipeline(tmp_path / "two")
    yield one
    one.host.store.close()


def fill(pipeline: Pipeline) -> None:
    """Put something of every kind into a store."""
    host = pipeline.host
    pipeline.add("# Cranes\n\nCrane 3 lifts nine tonnes.\n\nThe depot opens at seven every day.", custom_id="d")
    pipeline.add("# Cranes\n\nCrane 3 lifts nine tonnes.\n\nThe depot opens at six every day.", custom_id="d")
    pipeline.say(Message(role="user", name="Ines", content="I moved to Porto.", metadata={"a": ["ü", "\u2028"]}))
    pipeline.say(Message(role="user", name="Ines", content="I live in Oslo now.", said_at=10**15, said_zone="+01:00"))
    made = memories.remember(HOME, host, PERSON, [NewMemory(content="Ann likes tea.", metadata={"k": 1.5})]).memories
    pipeline.settle()
    memories.update(HOME, host, PERSON, memory_id=made[0].id, new_content="Ann likes green tea.")
    gone = memories.remember(HOME, host, PERSON, [NewMemory(content="Bob is tall.")]).memories[0]
    memories.forget(HOME, host, PERSON, memory_id=gone.id, reason="wrong")
    pipeline.settle()


def export(pipeline: Pipeline, scope: Scope = HOME, **options: bool) -> bytes:
    out = io.BytesIO()
    exporting.write(scope, pipeline.host, out.write, **{"vectors": False, "whole": True, **options})
    return out.getvalue()


def accept_asleep(pipeline: Pipeline, raw: bytes, monkeypatch: pytest.MonkeyPatch) -> importing.Import:
    """Accept an import while the writer is not there."""
    with monkeypatch.context() as patched:
        patched.setattr(importing.ledger, "wake_writer", lambda *_: None)
        return importing.accept(HOME, pipeline.host, PERSON, io.BytesIO(raw))


def bring(pipeline: Pipeline, raw: bytes, **options: object) -> importing.Progress:
    one = importing.accept(HOME, pipeline.host, PERSON, io.BytesIO(raw), **options)
    pipeline.settle()
    return importing.get(HOME, pipeline.host, one.id)


def lines(raw: bytes) -> list[dict]:
    return [json.loads(line) for line in raw.decode().splitlines(keepends=False) if line]


def body(raw: bytes) -> list[bytes]:
    """Return the lines but the first and the last, which name a time and a hash."""
    return raw.split(b"\n")[1:-2]


def problems(pipeline: Pipeline) -> list[str]:
    with pipeline.host.store.read("default") as db:
        return integrity.problems(db)


@pytest.mark.parametrize("vectors", [True, False])
def test_what_comes_back_is_what_went_out(pipeline, other, vectors):
    fill(pipeline)
    raw = export(pipeline, vectors=vectors)
    kinds = {line["line"] for line in lines(raw)}
    assert kinds >= {"space", "document", "revision", "session", "episode", "row", "chunk", "memory", "source",
                     "candidate", "job", "tombstone"}  # fmt: skip

    done = bring(other, raw)

    assert (done.of.state, done.of.reason, done.owed) == ("finished", None, 0)
    assert body(export(other, vectors=vectors)) == body(raw)
    assert problems(other) == []


def test_every_table_is_exported_or_says_why_not(pipeline):
    tables = {
        name
        for (name,) in pipeline.rows(
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite%'"
        )
    }
    exported = {part.table for part in PARTS}
    assert exported & set(NOT_EXPORTED) == set()
    assert exported | set(NOT_EXPORTED) == tables


def test_an_open_end_of_a_window_is_left_out_for_readers_whose_numbers_are_short(pipeline):
    fill(pipeline)
    largest = max(
        value
        for line in lines(export(pipeline))
        for one in (line, *line.get("windows", ()))
        for value in one.values()
        if isinstance(value, int)
    )
    assert largest < 2**53


def test_nobody_sees_a_half_of_it_and_it_goes_on_where_it_was(pipeline, other, monkeypatch):
    fill(pipeline)
    raw = export(pipeline)
    monkeypatch.setattr(import_steps, "STEP_SECONDS", 0.0)  # a line in each transaction
    one = accept_asleep(other, raw, monkeypatch)

    seen = set()
    while (now := importing.get(HOME, other.host, one.id).of).is_open:
        assert other.rows("SELECT name FROM space WHERE name >= char(2)") == []
        assert memories.listing(HOME, other.host, limit=10).total == 0
        assert export(other) != raw
        seen.add(now.done)
        # A process that ends in the middle of a step leaves what was there before it.
        with monkeypatch.context() as patched:
            patched.setattr(import_steps, "_finish", interrupt)
            patched.setattr(import_steps.imports, "advance", interrupt)
            with pytest.raises(KeyboardInterrupt):
                step(other)
        assert importing.get(HOME, other.host, one.id).of == now
        step(other)

    assert len(seen) > 20
    step(other)
    other.settle()
    assert body(export(other)) == body(raw)


def interrupt(*arguments: object, **named: object) -> None:
    raise KeyboardInterrupt


def step(pipeline: Pipeline) -> None:
    """Carry out the request that waits first, as the writer does."""
    host = pipeline.host
    with host.store.read("default") as db:
        asked = requests.next_waiting(db)
    with host.store.fenced("default", pipeline.writer.token) as tx:
        import_steps.HANDLERS[asked.kind](host, tx, "default", asked)
        requests.settle(tx, asked.id, state="done", result={}, at=host.clock())


def test_what_a_person_asks_for_goes_between_two_steps(pipeline, other, monkeypatch):
    fill(pipeline)
    raw = export(pipeline)
    monkeypatch.setattr(import_steps, "STEP_SECONDS", 0.0)
    one = accept_asleep(other, raw, monkeypatch)
    step(other)
    away = replace(HOME, spaces=("away",))
    made = memories.remember(away, other.host, PERSON, [NewMemory(content="Cy likes rain.")])
    assert len(made.memories) == 1
    other.settle()
    assert importing.get(HOME, other.host, one.id).of.state == "finished"
    assert body(export(other)) == body(raw)


def test_a_space_that_fills_meanwhile_makes_the_import_fail_and_is_left_alone(pipeline, other, monkeypatch):
    fill(pipeline)
    one = accept_asleep(other, export(pipeline), monkeypatch)
    other.add("Mine.")
    other.settle()
    failed = importing.get(HOME, other.host, one.id).of
    assert (failed.state, failed.reason) == ("failed", "The space 'home' is not empty any more.")
    assert [row[0] for row in other.rows("SELECT content FROM revision")] == ["Mine."]
    assert other.rows("SELECT count(*) FROM space") == [(1,)]


def test_vectors_of_another_model_are_made_anew(pipeline, tmp_path):
    fill(pipeline)
    raw = export(pipeline, vectors=True)
    small = Pipeline(tmp_path / "small", model="other", dimension=16)
    done = bring(small, raw)
    assert (done.of.state, done.owed) == ("finished", 0)
    assert body(export(small)) == body(export(pipeline))
    assert {len(data) for (data,) in small.rows("SELECT data FROM vector")} == {64}
    small.host.store.close()


def test_files_and_texts_that_were_not_read_yet_are_read_in_their_own_slots(pipeline, other):
    pipeline.held = other.held = lambda message: message.task == "document.prepare"
    source = NewSource(kind="file", name="lift.md", body=b"# Lift\n\nThe limit is 40 kg.\n")
    pipeline.add("", source=source)
    pipeline.add("The limit of crane 5 is 70 kg.")

    bring(other, export(pipeline))

    assert sorted(message.queue for message in other.queue.waiting) == ["host", "sources"]
    other.held = lambda message: False
    other.settle()
    assert other.rows("SELECT status FROM document") == [("done",), ("done",)]


def test_memory_does_not_grow_with_the_export(pipeline):
    said = [Message(role="system", kind="outcome", content=f"{number} " + "x" * 1_000) for number in range(2_000)]
    for number in range(5):
        episodes.append(replace(HOME, session=f"run {number}"), pipeline.host, PERSON, said)
    tracemalloc.start()
    written = 0

    def keep(raw: bytes) -> None:
        nonlocal written
        written += len(raw)

    exporting.write(HOME, pipeline.host, keep, vectors=False, whole=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert written > 13_000_000
    assert peak < 500_000


def test_an_erasure_ends_an_import_that_goes_on_and_its_file_goes_too(pipeline, other, monkeypatch):
    fill(pipeline)
    raw = export(pipeline)
    monkeypatch.setattr(import_steps, "STEP_SECONDS", 0.0)
    one = accept_asleep(other, raw, monkeypatch)
    for _ in range(20):
        step(other)
    assert other.rows("SELECT count(*) > 0 FROM episode") == [(1,)]
    asked = erasure.request(
        HOME, other.host, PERSON, erasure.find_target(HOME, other.host, "subject", "ines"), verify=True
    )
    other.settle()
    other.settle()

    ended = importing.get(HOME, other.host, one.id).of
    assert (ended.state, ended.spaces) == ("failed", ())
    receipt = erasure.get(HOME, other.host, asked.id)
    assert receipt.state == "finished"
    assert other.rows("SELECT (SELECT count(*) FROM memory) + (SELECT count(*) FROM space)") == [(0,)]
    folder = staged_imports.path_of(other.host, "default", "").parent
    assert list(folder.glob("*")) == []
    # And it can be sent again.
    assert bring(other, raw).of.state == "finished"


def test_a_writer_that_begins_in_the_middle_makes_vectors_once(pipeline, other, monkeypatch):
    fill(pipeline)
    raw = export(pipeline)
    monkeypatch.setattr(import_steps, "STEP_SECONDS", 0.0)
    one = accept_asleep(other, raw, monkeypatch)
    while "memory" not in importing.get(HOME, other.host, one.id).of.counts:
        step(other)
    other.host.begun.clear()  # as in a process that has just started
    other.add("Something else.", scope=replace(HOME, spaces=("away",)))
    other.settle()
    done = importing.get(HOME, other.host, one.id)
    assert (done.of.state, done.owed) == ("finished", 0)
    assert [row for row in other.rows("SELECT kind, state FROM job WHERE state NOT IN ('done')")] == []
    assert problems(other) == []
    assert set(body(raw)) <= set(body(export(other)))
