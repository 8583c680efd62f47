"""Kills a process before each statement of a change, one after the other, and looks at what is left each time.

A program of its own, because it forks: `python tests/acceptance/killed_writer.py FOLDER CHANGE` prints one JSON object.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from inference.fake_words import word_vectors
from memory.errors import Pending
from memory.records import Actor, NewDocument, Scope
from memory.vectors import encode_vectors
from services import asking, documents, handlers, ingest, reconcile
from services.clock import system_clock
from services.fake_models import WordModels
from services.fakes import RecordingQueue, Sent, fake_host
from services.host import Host
from services.identifiers import TimeSortedIds
from services.source_slots import SourceSlots
from services.writer import WriterLease
from store import integrity
from store.connection import Store

TENANT = "default"
SCOPE = Scope(tenant=TENANT, spaces=("home",))
ACTOR = Actor(kind="person", id="ana")
OLD, NEW = "The gate code is 4711.", "The gate code is 1848."
TEXT = "# Pump 5\n\nPump 5 has 8 valves. Pump 5 stands in hall 2.\n"
REVISED = "# Pump 5\n\nPump 5 has 9 valves. Pump 5 stands in hall 2.\n"


def open_host(folder: Path) -> Host:
    """Return a host on a folder, with everything that the pipeline needs."""
    store = Store(folder, clock=system_clock)
    host = fake_host(
        folder, store=store, clock=system_clock, new_id=TimeSortedIds(system_clock), models=WordModels(),
        queue=RecordingQueue(), **handlers.OF_HOST,
    )  # fmt: skip
    return replace(host, settings=replace(host.settings, interactive_timeout=0.0))


def pump(host: Host, writer: WriterLease) -> None:
    """Carry messages until there are none."""
    queue = host.queue
    assert isinstance(queue, RecordingQueue)
    reconcile.run(host, writer, TENANT)
    while queue.waiting:
        message = queue.waiting.pop(0)
        _carry(host, writer, message)
        reconcile.run(host, writer, TENANT)


def _carry(host: Host, writer: WriterLease, message: Sent) -> None:
    told = dict(message.payload)
    if message.task == "embed.texts":
        vectors = encode_vectors(word_vectors(told["texts"], 384))
        reconcile.item_done(host, writer, TENANT, told["item"], told["attempt"], {"status": "done", "vectors": vectors})
    elif message.task == "document.prepare":
        ingest.prepare_document(host, TENANT, told["item"], told["attempt"], slots=SourceSlots(1))
    elif message.task == "extract.group":
        ingest.extract_group(host, TENANT, told["item"], told["attempt"])
    elif message.task == "item.done":
        reconcile.item_done(host, writer, TENANT, told["item"], told["attempt"], told["result"])


def ask(host: Host, kind: str, **payload: object) -> None:
    """Keep a request without waiting for it."""
    whose = {"space": "home", "user": None, "agent": None, "session": None}
    try:
        asking.ask(SCOPE, host, ACTOR, kind, {**whose, **payload})
    except Pending:
        return


def remember(host: Host) -> None:
    """Ask for the old memory."""
    item = {
        "content": OLD, "is_static": False, "kind": None, "metadata": {}, "valid_from": None, "vector": _vector(OLD),
    }  # fmt: skip
    ask(host, "remember", items=[item])


def _vector(text: str) -> str:
    return encode_vectors(word_vectors([text], 384))


def prepare(host: Host, writer: WriterLease) -> None:
    """Have a memory and a document."""
    remember(host)
    documents.add(SCOPE, host, ACTOR, NewDocument(content=TEXT, custom_id="pump-5"))
    pump(host, writer)


def patch(host: Host) -> None:
    """Ask for a new version."""
    ask(
        host, "update", id=None, content=OLD, new_content=NEW, vector=_vector(NEW), valid_from=None, metadata=None,
        correction=False,
    )  # fmt: skip


def forget(host: Host) -> None:
    """Ask to forget the memory."""
    ask(host, "forget", id=None, content=OLD, ids=None, reason="test", batch=None)


def supersede(host: Host) -> None:
    """Hand in a revision, whose facts replace those of the one before."""
    documents.add(SCOPE, host, ACTOR, NewDocument(content=REVISED, custom_id="pump-5"))


def delete(host: Host) -> None:
    """Ask to delete the document."""
    document = documents.get(SCOPE, host, "pump-5")
    ask(host, "document.delete", document=document.id, reason="test")


CHANGES: dict[str, Callable[[Host], None]] = {
    "patch": patch, "forget": forget, "supersede": supersede, "delete": delete,
}  # fmt: skip


def live(host: Host) -> list[str]:
    """Return what is live, sorted."""
    query = (
        "SELECT statement FROM memory JOIN validity ON validity.row_id = memory.row_id"
        " WHERE retired_at IS NULL AND valid_to = 4611686018427387904 ORDER BY statement"
    )
    with host.store.read(TENANT) as db:
        return [row["statement"] for row in db.execute(query).fetchall()]


def wrong(host: Host) -> list[str]:
    """Return what is not whole."""
    with host.store.read(TENANT) as db:
        found = integrity.problems(db)
    with host.store.write(TENANT) as tx:
        return [*found, *integrity.check_full_text(tx)]


def attempt(folder: Path, at: int) -> bool:
    """Let a child do the work and kill it before its statement number `at`; returns whether it lived."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            host = open_host(folder)
            writer = WriterLease(host, f"child-{at}")
            writer.renew()
            left = [at]

            def count(statement: str) -> None:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            with host.store.maintenance(TENANT) as connection:
                connection.set_trace_callback(count)
            pump(host, writer)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise RuntimeError(f"the child failed at statement {at}")
    return not os.WIFSIGNALED(status)


def main(folder: Path, change: str) -> dict[str, object]:
    """Try every point of a change.

    Returns:
        `points` killed at, every state that was seen live, the `last` one, and what was not whole.
    """
    base = folder / "base"
    host = open_host(base)
    writer = WriterLease(host, "first")
    writer.renew()
    prepare(host, writer)
    before = live(host)
    CHANGES[change](host)
    host.store.close()
    states: list[list[str]] = []
    broken: list[str] = []
    ends: list[list[str]] = []
    at, lived = 0, False
    while not lived:
        at += 1
        copy = folder / f"at-{at}"
        shutil.copytree(base, copy)
        _release(copy)
        lived = attempt(copy, at)
        host = open_host(copy)
        broken += [f"killed at {at}: {one}" for one in wrong(host)]
        states.append(live(host))
        writer = WriterLease(host, f"after-{at}")
        _release(copy)
        writer.renew()
        pump(host, writer)
        broken += [f"after {at}: {one}" for one in wrong(host)]
        ends.append(live(host))
        host.store.close()
        shutil.rmtree(copy)
    return {"points": at, "before": before, "states": states, "ends": ends, "broken": broken}


def _release(folder: Path) -> None:
    """Let all leases run out, as a sweep does with those of the dead."""
    store = Store(folder, clock=system_clock)
    with store.control_write() as tx:
        tx.execute("UPDATE lease SET expires_at = 0")
    with store.write(TENANT) as tx:
        tx.execute("UPDATE work_item SET state = 'ready', lease_until = NULL WHERE state = 'leased'")
    store.close()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), sys.argv[2])))
