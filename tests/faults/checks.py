"""What must be true at the end, whatever happened: nothing lost, nothing twice, the file whole."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from memory.settings import Settings
from ops.doctor import examine
from ops.launched import Launched
from tests.faults.work import Accepted, Document, facts, said

FOREVER = 4611686018427387904
ENDED = {"done", "partial", "failed", "cancelled"}
# What may be said of a document that nobody has spoilt: that three processes died over it, one after the other.
EXCUSES = re.compile(r"stopped while it worked on this|ended this without a result|No result came from")
# Of the documents that nobody has spoilt: so many may fail with an excuse, which is bad luck; and one always may.
EXCUSED_SHARE = 0.05
# A mistake in Memlane is never an excuse, whatever job it meets.
MISTAKE = "Memlane failed at this"


class FenceWatch(threading.Thread):
    """Reads the fence all the time: its token may never go back."""

    def __init__(self, file: Path) -> None:
        super().__init__(name="fence", daemon=True)
        self._file = file
        self.tokens: list[int] = []
        self.error: Exception | None = None
        self.stopping = threading.Event()

    def run(self) -> None:
        """Read until told to stop; what goes wrong is kept, and ends it."""
        try:
            while not self.stopping.wait(0.1):
                (token,) = ask(self._file, "SELECT token FROM fence")[0]
                if not self.tokens or self.tokens[-1] != token:
                    self.tokens.append(token)
        except Exception as error:
            self.error = error

    def problems(self) -> Iterator[str]:
        """Say what is wrong with what was read, or that nothing was."""
        if self.error is not None:
            yield f"the fence could not be watched to the end: {self.error!r}"
        if not self.tokens:
            yield "no writer ever held the fence"
        if self.tokens != sorted(self.tokens):
            yield f"the fence's token went back: {self.tokens}"


def ask(file: Path, query: str, *arguments: object) -> list[tuple]:
    """Return the rows of a query on the tenant's file."""
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)
    try:
        return db.execute(query, arguments).fetchall()
    finally:
        db.close()


def problems(up: Launched, redis_url: str, accepted: Sequence[Accepted]) -> list[str]:
    """Return what is wrong, one sentence each."""
    file = up.data_dir / "tenants" / "default.db"
    found: list[str] = []
    for one in accepted:
        found += _documents(file, one)
        found += _conversations(file, one)
        found += _memories(file, one)
    found += _jobs(file)
    found += _failed_documents(file, accepted)
    if not sum(one.searches.get(200, 0) for one in accepted):
        found.append("no search was ever answered")
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
        if MISTAKE in (reason or ""):
            yield f"job {job} met a mistake: {reason}"
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


def _failed_documents(file: Path, accepted: Iterable[Accepted]) -> Iterator[str]:
    """Say which documents failed that nobody has spoilt or cancelled, or that too many did."""
    good = [one for each in accepted for one in each.documents if one.jobs and not (one.poisoned or one.cancelled)]
    ends = {one.custom_id: ask(file, "SELECT state, reason FROM job WHERE id = ?", one.jobs[-1])[0] for one in good}
    failed = {name: reason for name, (state, reason) in ends.items() if state in ("failed", "partial")}
    for name, reason in failed.items():
        if not EXCUSES.search(reason or ""):
            yield f"document {name} was not spoilt, and failed: {reason}"
    if len(failed) > max(1, EXCUSED_SHARE * len(good)):
        yield f"{len(failed)} of {len(good)} documents failed that nobody had spoilt"
    if not any(state == "done" for state, _ in ends.values()):
        yield f"none of {len(good)} documents is done"


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
