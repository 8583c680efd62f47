"""What must be true at the end, whatever happened: nothing lost, nothing twice, the file whole."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from memory.settings import Settings
from ops.doctor import examine
from ops.launched import Launched
from tests.faults.work import Accepted, Document, facts, said

FOREVER = 4611686018427387904
ENDED = {"done", "partial", "failed", "cancelled"}


class FenceWatch(threading.Thread):
    """Reads the fence all the time: its token may never go back."""

    def __init__(self, file: Path) -> None:
        super().__init__(name="fence", daemon=True)
        self._file = file
        self.tokens: list[int] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        """Read until told to stop."""
        while not self.stopping.wait(0.1):
            (token,) = ask(self._file, "SELECT token FROM fence")[0]
            if not self.tokens or self.tokens[-1] != token:
                self.tokens.append(token)


def ask(file: Path, query: str, *arguments: object) -> list[tuple]:
    """Return the rows of a query on the tenant's file."""
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)
    try:
        return db.execute(query, arguments).fetchall()
    finally:
        db.close()


def problems(up: Launched, redis_url: str, accepted: Iterable[Accepted], tokens: list[int]) -> list[str]:
    """Return what is wrong, one sentence each."""
    file = up.data_dir / "tenants" / "default.db"
    found: list[str] = []
    for one in accepted:
        found += _documents(file, one)
        found += _conversations(file, one)
        found += _memories(file, one)
    found += _jobs(file)
    if tokens != sorted(tokens):
        found.append(f"the fence's token went back: {tokens}")
    settings = Settings(data_dir=str(up.data_dir), redis_url=redis_url)
    found += [f"doctor: {one.area}: {one.sentence}" for one in examine(settings, up.url) if one.state == "problem"]
    return found


def failures(up: Launched) -> list[str]:
    """Return the reasons of the jobs that failed."""
    file = up.data_dir / "tenants" / "default.db"
    return [row[0] for row in ask(file, "SELECT reason FROM job WHERE state IN ('failed', 'partial')")]


def open_work(up: Launched) -> int:
    """Return how many jobs, requests and candidates are not settled."""
    file = up.data_dir / "tenants" / "default.db"
    queries = (
        "SELECT count(*) FROM job WHERE state IN ('queued', 'running')",
        "SELECT count(*) FROM request WHERE state = 'waiting'",
        "SELECT count(*) FROM candidate WHERE state <> 'settled'",
    )
    return sum(ask(file, query)[0][0] for query in queries)


def _jobs(file: Path) -> Iterator[str]:
    for job, state, reason in ask(file, "SELECT id, state, reason FROM job"):
        if state not in ENDED:
            yield f"job {job} is {state}"
        elif state != "done" and not reason:
            yield f"job {job} is {state} without a reason"
    for (key,) in ask(
        file,
        "SELECT equality_key FROM memory JOIN validity ON validity.row_id = memory.row_id"
        " WHERE retired_at IS NULL AND valid_to = ? GROUP BY space_id, equality_key HAVING count(*) > 1",
        FOREVER,
    ):
        yield f"a memory is live twice: {key}"


def _live_statements(file: Path, words: str) -> list[str]:
    query = (
        "SELECT statement FROM memory JOIN validity ON validity.row_id = memory.row_id"
        " WHERE retired_at IS NULL AND valid_to = ? AND statement LIKE ?"
    )
    return [row[0] for row in ask(file, query, FOREVER, f"%{words}%")]


def _documents(file: Path, accepted: Accepted) -> Iterator[str]:
    for one in accepted.documents:
        # What was never answered was never promised.
        if one.id:
            yield from (f"document {one.custom_id}: {wrong}" for wrong in _document(file, one))


def _document(file: Path, one: Document) -> Iterator[str]:
    rows = ask(file, "SELECT id, status, live_revision FROM document WHERE custom_id = ?", one.custom_id)
    if [row[0] for row in rows] != [one.id]:
        yield f"the rows are {rows}, and {one.id} was promised"
        return
    ((_, status, live),) = rows
    if len(set(one.jobs)) != len(one.jobs) or Counter(one.jobs) != Counter(
        row[0] for row in ask(file, "SELECT id FROM job WHERE document_id = ?", one.id)
    ):
        yield "its jobs are not those that were promised, once each"
    (state, reason) = ask(file, "SELECT state, reason FROM job WHERE id = ?", one.jobs[-1])[0]
    if one.poisoned and state not in ("failed", "partial"):
        yield f"it is poisoned, and its job is {state}"
    if state == "cancelled" and not one.cancelled:
        yield f"its last job was cancelled: {reason}"
    if state == "done":
        yield from _done_document(file, one, status, live)


def _done_document(file: Path, one: Document, status: str, live: int) -> Iterator[str]:
    if (status, live) != ("done", len(one.numbers)):
        yield f"its job is done, and it is {status} with revision {live} of {len(one.numbers)}"
    chunks = ask(file, "SELECT count(*) FROM chunk WHERE document_id = ? AND revision = ?", one.id, live)[0][0]
    if chunks != 1:
        yield f"it has {chunks} chunks"
    for fact in facts(one.numbers[-1]):
        if len(found := _live_statements(file, f"{fact}.")) != 1:
            yield f"{fact!r} is live {len(found)} times"
    for number in one.numbers[:-1]:
        if found := [fact for fact in facts(number) if _live_statements(file, f"{fact}.")]:
            yield f"facts of an older revision are live: {found}"


def _conversations(file: Path, accepted: Accepted) -> Iterator[str]:
    for name, numbers in accepted.conversations.items():
        query = (
            "SELECT episode.content FROM episode JOIN session ON session.id = session_id"
            " WHERE conversation_id = ? ORDER BY seq"
        )
        kept = [row[0] for row in ask(file, query, name)]
        # The last message may have been under way when the client stopped.
        if kept != [said(number) for number in numbers]:
            yield f"conversation {name} has {len(kept)} messages instead of {len(numbers)}, or other ones"
        for number in numbers:
            if len(found := _live_statements(file, f"bicycle {number} is kept in cellar")) != 1:
                yield f"what was said of bicycle {number} is live {len(found)} times"
    for job in accepted.conversation_jobs:
        if not ask(file, "SELECT 1 FROM job WHERE id = ?", job):
            yield f"job {job} is gone"


def _memories(file: Path, accepted: Accepted) -> Iterator[str]:
    for one in accepted.lineages:
        counts = {text: len(_live_statements(file, text)) for text in one.texts}
        wanted = {text: int(text == one.texts[-1] and not one.forgotten) for text in one.texts}
        if counts != wanted:
            yield f"memory {one.texts}, forgotten: {one.forgotten}, is live {counts}"
        query = "SELECT count(*) FROM memory WHERE statement = ?"
        if any(ask(file, query, text)[0][0] != 1 for text in one.texts):
            yield f"a version of {one.texts} was written more than once, or never"
