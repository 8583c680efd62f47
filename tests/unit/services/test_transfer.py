"""Export and import: what comes back is what went out, whole or not at all."""

from __future__ import annotations

import io
import threading
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.errors import Busy, StateConflict
from memory.records import Message, NewMemory, NewSource
from services import (
    episodes,
    erasure,
    exporting,
    import_checks,
    import_steps,
    importing,
    memories,
    purging,
    staged_imports,
)
from store import integrity, requests
from store.transfer_plan import NOT_EXPORTED, PARTS
from tests.pipeline import HOME, PERSON, Pipeline
from tests.transferring import body, export, lines, signed


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


def accept_asleep(pipeline: Pipeline, raw: bytes, monkeypatch: pytest.MonkeyPatch) -> importing.Import:
    """Accept an import while the writer is not there."""
    with monkeypatch.context() as patched:
        patched.setattr(importing.ledger, "wake_writer", lambda *_: None)
        return importing.accept(HOME, pipeline.host, PERSON, io.BytesIO(raw))


def bring(pipeline: Pipeline, raw: bytes, **options: object) -> importing.Progress:
    one = importing.accept(HOME, pipeline.host, PERSON, io.BytesIO(raw), **options)
    pipeline.settle()
    return importing.get(HOME, pipeline.host, one.id)


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


def test_what_has_failed_is_taken_back_in_steps_and_nobody_sees_it(pipeline, other, monkeypatch):
    fill(pipeline)
    raw = export(pipeline)
    monkeypatch.setattr(import_steps, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(import_steps, "UNDO_ROWS", 5)
    one = accept_asleep(other, raw, monkeypatch)
    while "memory" not in importing.get(HOME, other.host, one.id).of.counts:
        step(other)
    staged_imports.path_of(other.host, "default", one.id).unlink()
    step(other)
    # given an import that has failed
    assert importing.get(HOME, other.host, one.id).of.state == "failed"
    steps = 0
    while other.rows("SELECT count(*) FROM request WHERE state = 'waiting'") != [(0,)]:
        # then nobody sees what is left, nor may send it again before that is gone
        assert memories.listing(HOME, other.host, limit=10).total == 0
        assert lines(export(other))[0]["spaces"] == []
        if other.rows("SELECT count(*) FROM space") != [(0,)]:
            with pytest.raises(StateConflict, match="taken back"):
                importing.accept(HOME, other.host, PERSON, io.BytesIO(raw))
        step(other)
        steps += 1
    assert steps > 5
    assert problems(other) == []
    monkeypatch.undo()
    assert bring(other, raw).of.state == "finished"
    assert body(export(other)) == body(raw)


def test_an_erasure_takes_what_is_still_being_taken_back(pipeline, other, monkeypatch):
    fill(pipeline)
    monkeypatch.setattr(import_steps, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(import_steps, "UNDO_ROWS", 5)
    one = accept_asleep(other, export(pipeline), monkeypatch)
    while "memory" not in importing.get(HOME, other.host, one.id).of.counts:
        step(other)
    staged_imports.path_of(other.host, "default", one.id).unlink()
    step(other)
    with other.host.store.write("default") as tx:
        import_steps.give_up(other.host, tx)
    assert other.rows("SELECT (SELECT count(*) FROM memory) + (SELECT count(*) FROM space)") == [(0,)]
    importing.ledger.wake_writer(other.host, "default")
    other.settle()
    assert other.rows("SELECT count(*) FROM request WHERE state = 'waiting'") == [(0,)]


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


def accept_when(pipeline: Pipeline, raw: bytes, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Send an export; something happens after it was checked and before it is accepted."""
    check = import_checks.check

    def checked(*arguments: Any, **named: Any) -> import_checks.Manifest:
        manifest = check(*arguments, **named)
        # In a thread of its own: this one reads what was there when the check began.
        beside = threading.Thread(target=happens)
        beside.start()
        beside.join()
        return manifest

    monkeypatch.setattr(import_checks, "check", checked)
    with pytest.raises(Busy, match="send it again"):
        importing.accept(HOME, pipeline.host, PERSON, io.BytesIO(raw))
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]
    assert list(staged_imports.path_of(pipeline.host, "default", "").parent.glob("*")) == []


@pytest.mark.parametrize("cleaned", [True, False], ids=["files are clean", "rows alone are gone"])
def test_what_was_erased_while_it_was_checked_does_not_come_in(pipeline, monkeypatch, cleaned):
    accepted = pipeline.add("# Cranes\n\nCrane 3 lifts nine tonnes.")
    raw = export(pipeline)
    target = erasure.find_target(HOME, pipeline.host, "document", accepted.id)

    def erase() -> None:
        erasure.request(HOME, pipeline.host, PERSON, target, verify=False)
        pipeline.settle()

    office = raw.replace(b'"home"', b'"office"')
    told = signed([line for line in lines(office) if line["line"] in ("header", "space")])
    if not cleaned:
        monkeypatch.setattr(purging.importing, "tidy", lambda *_, **__: None)
    accept_when(pipeline, told, monkeypatch, erase)


def test_a_file_that_is_gone_when_it_is_to_be_accepted_is_asked_for_again(pipeline, other, monkeypatch):
    fill(pipeline)
    folder = staged_imports.path_of(other.host, "default", "").parent
    accept_when(other, export(pipeline), monkeypatch, lambda: next(folder.glob("*.jsonl")).unlink())


def test_a_file_that_is_gone_later_makes_the_import_fail_with_a_reason(pipeline, other, monkeypatch):
    fill(pipeline)
    one = accept_asleep(other, export(pipeline), monkeypatch)
    staged_imports.path_of(other.host, "default", one.id).unlink()
    importing.ledger.wake_writer(other.host, "default")
    other.settle()
    failed = importing.get(HOME, other.host, one.id).of
    assert (failed.state, failed.reason) == ("failed", "The file that was sent is not there any more; send it again.")
    assert other.rows("SELECT count(*) FROM space") == [(0,)]


def test_a_check_keeps_names_on_the_disk_and_leaves_none_there(pipeline, other):
    # given a file with 40,000 names
    made = {"created_at": 1, "updated_at": 1, "status": "done", "latest_revision": 1, "metadata": {}}
    told = [{"line": "header", "format": 1, "spaces": ["home"]}, {"line": "space", "name": "home", "created_at": 1}]
    told += [{"line": "document", "id": f"doc_{n:026}", "space": "home", **made} for n in range(20_000)]
    revision = {"revision": 1, "content": "x", "content_hash": "x", "state": "live", "job_id": "", "created_at": 1}
    told += [{"line": "revision", "document_id": f"doc_{n:026}", **revision} for n in range(20_000)]
    path = staged_imports.path_of(other.host, "default", "imp_1")
    path.parent.mkdir()
    path.write_bytes(signed(told))
    del told
    beside: set[Path] = set()

    def admit(*_: object) -> None:
        beside.update(path.parent.iterdir())

    # when it is checked
    tracemalloc.start()
    with other.host.store.read("default") as db:
        manifest = import_checks.check(other.host, db, "default", path, admit, tell=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # then they were neither in memory nor in a file that anybody can find
    assert manifest.counts["revision"] == 20_000
    assert peak < 1_000_000
    assert beside == {path}
