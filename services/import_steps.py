"""The writer's part of an import: rows are made of the lines of an export.

Some lines in each transaction, in spaces without names, so that whatever a person asks for goes in between and nobody
sees a half of it. The last transaction names the spaces. A process that ends in between goes on where the last
transaction ended.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memory.errors import InvalidInput, MemlaneError
from memory.records import Actor
from services import consolidating, ingest, ledger, owed, request_ids, staged_imports
from services.host import Host
from store import documents, generation_work, generations, import_undoing, importing, imports, requests, sources
from store import ledger as ledger_rows
from store.connection import Writer
from store.imports import Import
from store.requests import Request
from store.savepoints import attempt
from store.spaces import PUT_AWAY
from store.transfer_lines import Lines

log = logging.getLogger(__name__)

# About as long as other large steps of the writer: what a person asks for waits for one of them at most.
STEP_SECONDS = 0.1
UNDO_ROWS = 2_500  # take about as long
_PIPELINE = Actor(kind="pipeline", id="import")


def ask(host: Host, tx: Writer, kind: str, import_id: str, **more: Any) -> None:
    """Ask the writer for the next step of an import."""
    # Of the pipeline, so that what a person asks for goes between two steps. No job has the empty id.
    requests.add(
        tx, request_id=host.new_id("req"), kind=kind, payload={"job": "", "import": import_id, **more}, actor=_PIPELINE,
        caused_by=request_ids.current(), at=host.clock(),
    )  # fmt: skip


def give_up(host: Host, tx: Writer) -> None:
    """End the imports that go on, inside an erasure: what they would bring may be what is erased."""
    import_undoing.undo(tx, imports.hidden(tx))
    for import_id in imports.open_ids(tx):
        imports.end(tx, import_id, "failed", reason="An erasure ended it; send it again.", at=host.clock())
    imports.blank(tx)


def _step(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Make rows of some lines, and ask for the next step or end the import."""
    import_id = str(asked.payload["import"])
    one = imports.find(tx, import_id)
    if one is None or not one.is_open:
        return {}
    with attempt(tx) as tried:
        _some(host, tx, tenant, one)
    if tried.error is not None:
        error = tried.error
        log.warning("import %s of tenant %s failed: %s", import_id, tenant, type(error).__name__)
        reason = error.message if isinstance(error, MemlaneError) else ledger.words(error)
        imports.end(tx, import_id, "failed", reason=reason, at=host.clock())
        ask(host, tx, "import.undo", import_id, stage=0)
        ask(host, tx, "import.clear", import_id)
    return {"import": import_id}


def _undo(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Take out some of what an import that has failed has made rows of."""
    import_id = str(asked.payload["import"])
    spaces = list(imports.numbers(tx, import_id).values())
    stage = import_undoing.undo_some(tx, spaces, stage=int(asked.payload["stage"]), most=UNDO_ROWS) if spaces else None
    if stage is not None:
        ask(host, tx, "import.undo", import_id, stage=stage)
    return {"import": import_id}


def _some(host: Host, tx: Writer, tenant: str, one: Import) -> None:
    target = _target(host, tx, one)
    known, counts = Lines(tx), Counter(one.counts)
    number, place, until = one.done, one.place, time.monotonic() + STEP_SECONDS
    with staged_imports.opened(host, tenant, one.id) as file:
        file.seek(place)
        for raw in staged_imports.lines(file):
            number += 1
            place += len(raw)
            line = staged_imports.parse(raw, number)
            if line.get("line") == "end":
                _finish(host, tx, one, counts)
                return
            _insert(tx, known, line, target, number, counts)
            if time.monotonic() > until:
                break
    imports.advance(tx, one.id, done=number, place=place, counts=counts)
    ask(host, tx, "import.step", one.id)


def _insert(
    tx: Writer, known: Lines, line: Mapping[str, Any], target: importing.Target, number: int, counts: Counter[str]
) -> None:
    try:
        read = known.read(line)
        if importing.insert(tx, read, target):
            counts[read.part.name] += 1
    except InvalidInput as error:
        raise InvalidInput(f"Line {number} {error.message}.", field="body", line=number) from error


def _target(host: Host, tx: Writer, one: Import) -> importing.Target:
    """Return where lines go; vectors of another model than the configured one are made anew."""
    model, dimension = owed.configured(host)
    own = generations.for_vectors(tx, model=model, dimension=dimension, at=host.clock())
    if one.model is None or one.dimension is None:
        return importing.Target(spaces=imports.numbers(tx, one.id), vectors=None, candidates=None)
    made = generations.for_vectors(tx, model=one.model, dimension=one.dimension, at=host.clock())
    serving = generations.serving(tx)
    fits = made in (own, serving.id if serving else None)
    return importing.Target(spaces=imports.numbers(tx, one.id), vectors=made if fits else None, candidates=made)


def _finish(host: Host, tx: Writer, one: Import, counts: Mapping[str, int]) -> None:
    """Name the spaces, begin anew what was under way, and have vectors made of what has none."""
    at = host.clock()
    imports.advance(tx, one.id, done=one.lines, place=0, counts=counts)
    named = importing.reveal(tx, one.id, hidden=f"{PUT_AWAY}{one.id}:before")
    for space_id in named.values():
        for job in importing.cut_off(tx, space_id):
            _begin_anew(host, tx, job)
    _have_vectors_made(host, tx, list(named.values()))
    imports.end(tx, one.id, "finished", at=at)
    ask(host, tx, "import.clear", one.id)


def _begin_anew(host: Host, tx: Writer, job: Mapping[str, Any]) -> None:
    """Do again what was under way when it was exported; what it had come to by then is recognised."""
    importing.requeue(tx, job["id"], at=host.clock())
    if job["kind"] == "conversation":
        consolidating.again(host, tx, str(job["session_id"]), job["id"])
    else:
        document_id, number = str(job["document_id"]), int(job["revision"])
        if documents.revision(tx, document_id, number).state == "live":
            ingest.add_extraction(host, tx, job_id=job["id"], document_id=document_id, revision=number)
        else:
            source = sources.find(tx, document_id, number)
            fetched = source is not None and source.kind == "url" and source.size == 0
            ledger_rows.add_items(
                tx, job_id=job["id"], task="document.fetch" if fetched else "document.prepare",
                queue="host" if source is None else "sources", payloads=[{"document": document_id, "revision": number}],
                continuation=None, at=host.clock(),
            )  # fmt: skip
    if not ledger_rows.open_items(tx, job["id"]):
        ingest.ask_writer(host, tx, "job.settle", {"job": job["id"]})


def _have_vectors_made(host: Host, tx: Writer, space_ids: Sequence[int]) -> None:
    serving = generations.serving(tx)
    if serving is None or not owed.is_configured(host.settings, serving):
        return
    # Of a space that has such a job already, a writer that began meanwhile has seen to it.
    wanted = [one for one in space_ids if generation_work.open_job(tx, one, serving.id) is None]
    lacking = {one: generations.lacking_in(tx, one, serving.id) for one in wanted}
    owed.queue(host, tx, serving.id, {one: rows for one, rows in lacking.items() if rows}, at=host.clock())
    owed.queue_candidates(host, tx, serving.id, at=host.clock())


def _clear(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Remove the file of an import that has ended, in a step after the one that ended it."""
    staged_imports.path_of(host, tenant, str(asked.payload["import"])).unlink(missing_ok=True)
    return {}


HANDLERS = {"import.step": _step, "import.undo": _undo, "import.clear": _clear}
