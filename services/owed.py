"""What is owed a vector.

Each vector goes into the generation of the model that made it. A row or candidate that has none of the serving
generation gets one as soon as the configured model is the one that serves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.records import Actor, Job, Micros, WorkItem
from memory.settings import Settings
from memory.vectors import Vectors, decode_vectors
from services import request_ids
from services.host import Host
from store import generation_work, generations, memories, requests, rows
from store import ledger as ledger_rows
from store.connection import Reader, Writer
from store.generations import Generation
from store.rows import NewRow

# As many as there are chunks in an item: most rows of a store are chunks.
ROW_BATCH = 16
CANDIDATE_BATCH = 32
# Stands for a row that was erased after its item was made, so that the other vectors stay in their places.
_GONE = "-"


def configured(host: Host) -> tuple[str, int]:
    """Return the configured embedding model and the length of its vectors."""
    return host.settings.embed_model, host.settings.embed_dimension


def made_by(host: Host, payload: Mapping[str, Any]) -> tuple[str, int]:
    """Return the model that made the vectors of a request, and the length of one; the configured one if it is not told.

    Args:
        host: the adapters.
        payload: of the request.
    """
    name, dimension = payload.get("made_by") or configured(host)
    return str(name), int(dimension)


def read_vector(tx: Writer, text: str, model: tuple[str, int], *, at: Micros) -> tuple[bytes, int]:
    """Return a vector as it travels as it is kept, with the number of its generation."""
    name, dimension = model
    generation = generations.for_vectors(tx, model=name, dimension=dimension, at=at)
    return decode_vectors(text, dimension).tobytes(), generation


def is_configured(settings: Settings, generation: Generation | None) -> bool:
    """Tell whether the configured model makes vectors of a generation."""
    return generation is not None and generation.is_of(settings.embed_model, settings.embed_dimension)


def mismatch(db: Reader, settings: Settings) -> str | None:
    """Say which model the store was built with and which one is configured, when these differ; else None."""
    serving = generations.serving(db)
    if serving is None or is_configured(settings, serving):
        return None
    return (
        f"wrong_model: the vectors of the store were made by {serving.name}, configured is {settings.embed_model} "
        f"({settings.embed_dimension} numbers). Searches go by words alone. Configure {serving.model} again, or run "
        "`memlane reembed start`, then `memlane reembed switch`."
    )


def add_row(host: Host, tx: Writer, new: NewRow, *, at: Micros) -> int:
    """Insert a search row with its vector; one of another generation than the configured, serving one is made again.

    Returns:
        The row id.
    """
    row_id = rows.add_row(tx, new, at=at)
    serving = generations.serving(tx)
    if serving is not None and serving.id != new.generation_id and is_configured(host.settings, serving):
        queue(host, tx, serving.id, {new.space_id: [row_id]}, at=at)
    return row_id


def renew(host: Host, tx: Writer, memory_ids: Sequence[str], *, at: Micros) -> None:
    """Have memories that say something in other words embedded, when the configured model is the one that serves."""
    serving = generations.serving(tx)
    if serving is None or not is_configured(host.settings, serving):
        return
    by_space: dict[int, list[int]] = {}
    for memory_id in memory_ids:
        one = memories.find(tx, memory_id)
        if one is not None:
            by_space.setdefault(one.row_id >> rows.ROW_BITS, []).append(one.row_id)
    queue(host, tx, serving.id, by_space, at=at)


def queue(
    host: Host,
    tx: Writer,
    generation_id: int,
    by_space: Mapping[int, Sequence[int]],
    *,
    at: Micros,
    last: bool = False,
) -> list[str]:
    """Queue the embedding of rows for a generation, as a job of each space.

    Args:
        host: the adapters.
        tx: the transaction.
        generation_id: that the vectors are for.
        by_space: row ids by space.
        at: now.
        last: after all other work.

    Returns:
        The ids of the jobs.
    """
    jobs = []
    for space_id, row_ids in by_space.items():
        job_id = host.new_id("job")
        ledger_rows.add_job(
            tx, id=job_id, space_id=space_id, kind="reembedding", caused_by=request_ids.current(), at=at
        )
        add_items(tx, job_id, generation_id, row_ids, at=at, last=last)
        jobs.append(job_id)
    return jobs


def add_items(tx: Writer, job_id: str, generation_id: int, row_ids: Sequence[int], *, at: Micros, last: bool) -> None:
    """Add the items that embed rows to a job; when they are done it is seen whether more rows have come."""
    batches = [list(row_ids[start : start + ROW_BATCH]) for start in range(0, len(row_ids), ROW_BATCH)]
    later = {"dream": True} if last else {}
    ledger_rows.add_items(
        tx, job_id=job_id, task="embed.texts", queue="background",
        payloads=[{"rows": batch, "generation": generation_id, **later} for batch in batches],
        continuation="generation.embedded", tally_payload={"job": job_id, "generation": generation_id}, at=at,
    )  # fmt: skip


def queue_candidates(host: Host, tx: Writer, generation_id: int, *, at: Micros) -> int:
    """Have the candidates whose vector is of another generation embedded again, those of the review list too.

    Ready ones wait in their own job until that is done.

    Returns:
        How many.
    """
    strange = generation_work.strange_candidates(tx, generation_id)
    generation_work.await_vectors(tx, [one["seq"] for one in strange])
    jobs: dict[str, list[int]] = {}
    spaces: dict[int, str] = {}
    for one in strange:
        job_id = one["job_id"]
        if one["state"] == "settled":
            job_id = spaces.get(one["space_id"]) or _new_job(host, tx, one["space_id"], at=at)
            spaces[one["space_id"]] = job_id
        jobs.setdefault(job_id, []).append(one["seq"])
    for job_id, seqs in jobs.items():
        batches = [seqs[start : start + CANDIDATE_BATCH] for start in range(0, len(seqs), CANDIDATE_BATCH)]
        ledger_rows.add_items(
            tx, job_id=job_id, task="embed.texts", queue="background",
            payloads=[{"candidates": batch} for batch in batches], continuation="job.settle",
            tally_payload={"job": job_id}, at=at,
        )  # fmt: skip
    return len(strange)


def _new_job(host: Host, tx: Writer, space_id: int, *, at: Micros) -> str:
    job_id = host.new_id("job")
    ledger_rows.add_job(tx, id=job_id, space_id=space_id, kind="reembedding", caused_by=request_ids.current(), at=at)
    return job_id


def texts(db: Reader, row_ids: Sequence[int]) -> list[str]:
    """Return the texts that rows are embedded by, one for each id."""
    found = generations.texts(db, row_ids)
    return [found.get(row_id, _GONE) for row_id in row_ids]


def accept(tx: Writer, item: WorkItem, vectors: Vectors, generation_id: int, *, at: Micros) -> None:
    """Keep the vectors of an item that embeds rows, in the generation of the model that made them."""
    for row_id, vector in zip(item.payload["rows"], vectors, strict=True):
        generations.add_vector(tx, row_id, generation_id, vector.tobytes(), at=at)


def embedded(host: Host, tx: Writer, job: Job, payload: Mapping[str, Any]) -> None:
    """Ask the writer to see whether a job that embeds anew is at its end."""
    actor = Actor(kind="pipeline", id=job.id)
    requests.add(
        tx, request_id=host.new_id("req"), kind="generation.embedded", payload=payload, actor=actor,
        caused_by=request_ids.current(), at=host.clock(),
    )  # fmt: skip


CONTINUATIONS = {"generation.embedded": embedded}
