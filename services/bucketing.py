"""Fills buckets: by rule in the writer's commit, or by questions to a language model that follow as work items.

The description is embedded before the writer is asked, by the route that sets a bucket or by the beat that looks for
memories that came since; in a commit nothing waits for a model.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memory.buckets import (
    BELONGS,
    BUCKET_LETTERS,
    BUCKET_PROMPT_VERSION,
    Belonging,
    Bucket,
    belongs,
    bucket_messages,
    likely,
    read_belonging,
)
from memory.calibration import counted
from memory.errors import ModelError
from memory.records import Actor, Job, Micros, WorkItem
from memory.vectors import decode_vectors, encode_vectors
from services import ledger, owed, request_ids
from services.host import Host
from services.ledger import end_job
from store import buckets, calibrations, decisions, memories, requests, tag_settings
from store import ledger as ledger_rows
from store.buckets import Unjudged
from store.connection import Reader, Writer
from store.decisions import Decision
from store.labels import JudgeName
from store.requests import Request

log = logging.getLogger(__name__)

# Memories of a commit; a person's request waits for at most one.
BATCH = 200
# Questions of a work item: a node answers one in about a second.
QUESTIONS = 8
RULES_VERSION = "bucket-rules-1"
# The tenant's setting with the buckets of every space: description by key.
SHARED = "profile_buckets"
_BEAT = Actor(kind="pipeline", id="buckets")


def encode_each(host: Host, texts: Sequence[str]) -> list[str]:
    """Return the vector of each text as it travels."""
    return [encode_vectors(vector[None]) for vector in host.models.embed(texts).vectors] if texts else []


def look(host: Host) -> None:
    """Ask the writer of every tenant to sort the memories that came since into the buckets of their space."""
    for tenant in host.store.tenants():
        with host.store.read(tenant) as db:
            # Vectors of two models do not compare; it is asked again when the configured one serves.
            waiting = [] if owed.mismatch(db, host.settings) else buckets.waiting(db)
            shared = tag_settings.of_tenant(db).get(SHARED, {})
            lacking = buckets.lacks(db, shared) and not requests.any_waiting(db, ["bucket.share"])
        if lacking:
            _ask_to_share(host, tenant, shared)
        if not waiting:
            continue
        told = list(dict.fromkeys(one.description for one in waiting))
        try:
            encoded = dict(zip(told, encode_each(host, told), strict=True))
            vectors = {str(one.id): encoded[one.description] for one in waiting}
        except ModelError as error:
            log.warning("the buckets of tenant %s wait: %s", tenant, error.message)
            continue
        with host.store.write(tenant) as tx:
            _ask(host, tx, vectors)
        ledger.wake_writer(host, tenant)


def _ask_to_share(host: Host, tenant: str, definitions: Mapping[str, str]) -> None:
    payload = {"definitions": dict(definitions), "job": ""}
    with host.store.write(tenant) as tx:
        requests.add(
            tx, request_id=host.new_id("req"), kind="bucket.share", payload=payload, actor=_BEAT, at=host.clock()
        )
    ledger.wake_writer(host, tenant)


def _ask(host: Host, tx: Writer, vectors: Mapping[str, str]) -> None:
    # No job has the empty id: there is none to end when this fails.
    payload = {"job": "", "vectors": dict(vectors)}
    requests.add(
        tx, request_id=host.new_id("req"), kind="bucket.fill", payload=payload, actor=_BEAT, at=host.clock()
    )  # fmt: skip


def fill(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Sort a batch of memories into their buckets."""
    return {"judged": fill_some(host, tx, asked.payload["vectors"], at=host.clock())}


def fill_some(host: Host, tx: Writer, vectors: Mapping[str, str], *, at: Micros) -> int:
    """Judge a batch by rule or ask about it; asks the writer again when more is left. Returns how many were judged."""
    if owed.mismatch(tx, host.settings):
        return 0
    known = {int(one): bucket for one in vectors if (bucket := buckets.get(tx, int(one))) is not None}
    found = buckets.unjudged(tx, list(known), most=BATCH) if known else []
    dimension = owed.configured(host)[1]
    described = {one: decode_vectors(vectors[str(one)], dimension)[0] for one in known}
    alike = [_similarity(one, described[one.bucket_id]) for one in found]
    if host.has_llm:
        _question(host, tx, found, alike, known, at=at)
    else:
        for one, similarity in zip(found, alike, strict=True):
            _by_rule(host, tx, one, similarity, known[one.bucket_id], at=at)
    if len(found) == BATCH:
        _ask(host, tx, vectors)
    else:
        buckets.sweep(tx, list(known), at=at)
    return len(found)


def _similarity(one: Unjudged, described: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> float:
    mine = np.frombuffer(one.vector, dtype="<f4")
    length = float(np.linalg.norm(described)) or 1.0
    return float(mine @ described) / length if mine.shape == described.shape else 0.0


def _by_rule(host: Host, tx: Writer, one: Unjudged, similarity: float, bucket: Bucket, *, at: Micros) -> None:
    """Decide by rule; what does not belong leaves no decision, as what is distinct leaves none."""
    if not belongs(similarity, one.statement, bucket.description):
        buckets.keep(tx, bucket.id, one.memory_id, belongs=False, decision_id=None, at=at)
        return
    _keep(host, tx, one.memory_id, one.statement, bucket, BELONGS, {}, model="rules", version=RULES_VERSION, at=at)


def _question(
    host: Host,
    tx: Writer,
    found: Sequence[Unjudged],
    alike: Sequence[float],
    known: Mapping[int, Bucket],
    *,
    at: Micros,
) -> None:
    """Queue the questions of a batch, a job for each bucket; until they are answered nothing belongs."""
    for bucket in known.values():
        mine = [(one, similarity) for one, similarity in zip(found, alike, strict=True) if one.bucket_id == bucket.id]
        for one, _ in mine:
            buckets.keep(tx, bucket.id, one.memory_id, belongs=False, decision_id=None, at=at)
        asked = [one.memory_id for one, similarity in mine if likely(similarity, one.statement, bucket.description)]
        if asked:
            _queue(host, tx, bucket, asked, at=at)


def _queue(host: Host, tx: Writer, bucket: Bucket, asked: Sequence[str], *, at: Micros) -> None:
    job_id = host.new_id("job")
    ledger_rows.add_job(
        tx, id=job_id, space_id=buckets.space_of(tx, bucket.id), kind="judging", caused_by=request_ids.current(), at=at
    )
    batches = [asked[start : start + QUESTIONS] for start in range(0, len(asked), QUESTIONS)]
    ledger_rows.add_items(
        tx, job_id=job_id, task="judge.options", queue="background",
        payloads=[{"bucket": bucket.id, "memories": list(batch)} for batch in batches],
        continuation="bucket.judged", tally_payload={"job": job_id}, at=at,
    )  # fmt: skip


def is_mine(item: WorkItem) -> bool:
    """Tell whether a judge's work item is about a bucket."""
    return "bucket" in item.payload


def questions(host: Host, item: WorkItem) -> Mapping[str, Any]:
    """Return the message of a work item: ids become texts only when it is sent."""
    with host.store.read(item.tenant) as db:
        bucket, texts = _asked(db, item)
    if bucket is None:
        return {"questions": []}
    asked = [
        {"id": memory_id, "letters": list(BUCKET_LETTERS), "messages": bucket_messages(text, bucket)}
        for memory_id, text in texts.items()
    ]
    return {"questions": asked}


def _asked(db: Reader, item: WorkItem) -> tuple[Bucket | None, Mapping[str, str]]:
    found = [memories.find(db, str(one)) for one in item.payload["memories"]]
    return buckets.get(db, int(item.payload["bucket"])), {one.id: one.statement for one in found if one is not None}


def accept(host: Host, tx: Writer, item: WorkItem, result: Mapping[str, Any]) -> None:
    """Keep a judge's answers; those on what was erased or taken away meanwhile are dropped."""
    bucket, texts = _asked(tx, item)
    at = host.clock()
    for answer in result["answers"] if bucket is not None else ():
        memory_id = str(answer["id"])
        if memory_id not in texts or bucket is None:
            continue
        verdict, shares = read_belonging({str(k): float(v) for k, v in answer["probabilities"].items()})
        _keep(
            host, tx, memory_id, texts[memory_id], bucket, verdict, shares, model=str(answer.get("model") or "llm"),
            version=BUCKET_PROMPT_VERSION, at=at, node=result.get("node"), milliseconds=answer.get("ms"),
        )  # fmt: skip


def judged(host: Host, tx: Writer, job: Job, payload: Mapping[str, Any]) -> None:
    """End the job of a bucket's questions; what was not answered does not belong."""
    failed = ledger_rows.get_job(tx, job.id).items_failed
    warning = f"{failed} work items failed; their memories are in no bucket." if failed else None
    end_job(host, tx, job.id, state="partial" if failed else "done", warning=warning)


def _keep(
    host: Host,
    tx: Writer,
    memory_id: str,
    text: str,
    bucket: Bucket,
    verdict: Belonging,
    shares: Mapping[str, float],
    *,
    model: str,
    version: str,
    at: Micros,
    node: str | None = None,
    milliseconds: int | None = None,
) -> None:
    """Log an answer, and let the memory be in the bucket as it counts under the active calibration."""
    trust, calibration_id = calibrations.trust(tx, JudgeName(judge="bucket", model=model, prompt_version=version))
    counts = counted(verdict, shares, trust)
    decision = Decision(
        id=host.new_id("dec"), space_id=buckets.space_of(tx, bucket.id), judge="bucket", memory_id=memory_id,
        inputs={"bucket": bucket.key, "description": bucket.description, "memory": text}, probabilities=shares,
        verdict=verdict, model=model, prompt_version=version, node=node, milliseconds=milliseconds, at=at,
        relabelled=None if counts == verdict else counts, calibration_id=calibration_id,
    )  # fmt: skip
    decisions.add(tx, decision)
    buckets.keep(tx, bucket.id, memory_id, belongs=counts == BELONGS, decision_id=decision.id, at=at)


HANDLERS = {"bucket.fill": fill}
CONTINUATIONS = {"bucket.judged": judged}
