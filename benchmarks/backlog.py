"""Work items put straight into the ledger of a running stack, so that the queue is measured and not the chunking.

The items embed chunks that have their vectors already: everything happens that happens to an item (leased, sent, run on
a node, answered, settled under the writer's fence), except that no new row is kept.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from uuid import uuid4

from memory.records import Micros, Scope
from ops.launched import Launched, wait_until
from services.clock import system_clock
from services.ingest import CHUNK_BATCH
from store import ledger, spaces
from store.connection import Store

TENANT = "default"
SPACE = "backlog"
# Long enough for a full batch of chunks.
PARAGRAPHS = 400


class Backlog:
    """The ledger of a stack on this machine, from beside it."""

    def __init__(self, up: Launched) -> None:
        """Ingest the text whose chunks the items are about."""
        self._up = up
        self._store = Store(up.data_dir, clock=system_clock)
        text = "\n\n".join(
            f"Pump {n} of hall {n % 7} moves {n + 12} litres a minute and was overhauled in week {n % 52 + 1}."
            for n in range(PARAGRAPHS)
        )
        sent = up.post("/v3/documents", content=text, containerTag=SPACE)
        up.job(sent["jobId"], seconds=300)
        chunks = up.get(f"/v3/documents/{sent['id']}/chunks")["chunks"][:CHUNK_BATCH]
        self.chunks: list[str] = [one["id"] for one in chunks]
        self.texts: list[str] = [one["content"] for one in chunks]

    def close(self) -> None:
        """Let go of the files."""
        self._store.close()

    def add(self, count: int) -> str:
        """Add so many items of one batch each; returns the job that owns them."""
        job, at = f"job_{uuid4().hex}", system_clock()
        with self._store.write(TENANT) as tx:
            space = spaces.ensure(Scope(tenant=TENANT, spaces=(SPACE,)), tx, at=at)
            ledger.add_job(tx, id=job, space_id=space, kind="conversation", at=at)
            ledger.add_items(
                tx, job_id=job, task="embed.texts", queue="background", payloads=[{"chunks": self.chunks}] * count,
                continuation="job.settle", tally_payload={"job": job}, at=at,
            )  # fmt: skip
        return job

    def count(self, job: str, *states: str) -> int:
        """Return how many of a job's items are in these states."""
        marks = ", ".join("?" * len(states))
        query = f"SELECT count(*) FROM work_item WHERE job_id = ? AND state IN ({marks})"
        with self._store.read(TENANT) as db:
            return int(db.execute(query, (job, *states)).fetchone()[0])

    def ends(self, job: str) -> list[Micros]:
        """Return when each done item of a job was settled, in order."""
        query = "SELECT updated_at FROM work_item WHERE job_id = ? AND state = 'done' ORDER BY updated_at"
        with self._store.read(TENANT) as db:
            return [int(row["updated_at"]) for row in db.execute(query, (job,)).fetchall()]

    def leased(self, items: Sequence[int]) -> list[int]:
        """Return those of these items that are out."""
        marks = ", ".join("?" * len(items))
        with self._store.read(TENANT) as db:
            rows = db.execute(f"SELECT id FROM work_item WHERE id IN ({marks}) AND state = 'leased'", tuple(items))
            return [int(row["id"]) for row in rows.fetchall()]

    def unfinished(self, items: Sequence[int]) -> int:
        """Return how many of these items are not done."""
        marks = ", ".join("?" * len(items))
        with self._store.read(TENANT) as db:
            query = f"SELECT count(*) FROM work_item WHERE id IN ({marks}) AND state <> 'done'"
            return int(db.execute(query, tuple(items)).fetchone()[0])

    def await_done(self, job: str, count: int, *, seconds: float) -> None:
        """Wait until so many items of a job are done."""
        wait_until(lambda: self.count(job, "done") >= count, seconds=seconds, what=f"{count} items are done")

    def cancel(self, job: str) -> float:
        """Cancel a job that is open and return how many seconds that took."""
        began = time.monotonic()
        if self._up.get(f"/v1/jobs/{job}")["state"] in ("queued", "running"):
            self._up.post(f"/v1/jobs/{job}/cancel")
        return time.monotonic() - began


def rate(ends: Sequence[Micros]) -> float:
    """Return items a second between the first and the last tenth, when every slot had work."""
    margin = max(1, len(ends) // 10)
    middle = ends[margin:-margin]
    return (len(middle) - 1) / ((middle[-1] - middle[0]) / 1e6)
