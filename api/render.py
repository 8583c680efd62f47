"""Records as JSON: `/v3` and `/v4` in camelCase with Supermemory's words, `/v1` in snake_case with ours.

A function here returns plain JSON values; what a caller has stored (metadata) passes through unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic.alias_generators import to_camel

from memory.records import (
    BEGINNING,
    FOREVER,
    Accepted,
    Actor,
    Answer,
    Citation,
    Compressed,
    Forgetting,
    Job,
    Memory,
    Micros,
    Page,
    Review,
    Source,
    Window,
    Written,
)
from memory.secrets import REMOVED
from memory.temporal import to_iso

Row = TypeVar("Row")
Json = dict[str, Any]

# float32 carries about 7 digits; the rest is noise of the conversion.
SCORE_DIGITS = 6

# A document has Supermemory's words; partial is done with a warning, cancelled is failed with a reason.
DOCUMENT_STATUS = {"done": "done", "partial": "done", "failed": "failed", "cancelled": "failed"}


def camel(fields: Mapping[str, Any]) -> Json:
    """Return the fields with their own names in camelCase; values are left alone."""
    return {to_camel(name): value for name, value in fields.items()}


def present(fields: Mapping[str, Any]) -> Json:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def moment(at: Micros | None, zone: str | None = None) -> str | None:
    """Return a time as ISO 8601; None for no time and for the open ends of a window."""
    return None if at is None or at in (BEGINNING, FOREVER) else to_iso(at, zone)


def score(value: float) -> float:
    """Return a score without the digits that single precision does not have."""
    return round(value, SCORE_DIGITS)


def accepted(answer: Accepted) -> Json:
    """Return what was accepted and the job that owes the rest."""
    return present({"id": answer.id, "status": answer.status, "jobId": answer.job_id, "warning": answer.warning})


def finished(answer: Accepted, job: Job) -> Json:
    """Return what was accepted with the state its job has reached."""
    status = DOCUMENT_STATUS.get(job.state, answer.status)
    failure = job.reason if status == "failed" else None
    return {
        **accepted(answer),
        "status": status,
        **present({"errorMessage": failure, "warning": job.warning or answer.warning}),
    }


def memory_entry(row: Memory) -> Json:
    """Return a memory in Supermemory's words."""
    return {
        "id": row.id, "memory": row.text, "version": row.version, "isLatest": row.is_latest,
        "isForgotten": row.is_forgotten, "forgetReason": row.forget_reason, "isStatic": row.is_static,
        "isInference": row.is_inferred, "isDisputed": row.is_disputed, "isUnjudged": row.is_unjudged,
        "isRetired": row.is_retired, "parentMemoryId": row.parent_id, "rootMemoryId": row.root_id,
        "sourceCount": row.support, "metadata": dict(row.metadata), "containerTag": row.space, "kind": row.kind,
        "confidence": row.confidence, "createdAt": moment(row.recorded_at), "updatedAt": moment(row.updated_at),
        "validFrom": _valid_from(row), "validTo": _valid_to(row), "forgetAfter": moment(row.forget_after),
        "sources": [camel(source(one)) for one in row.sources],
        "sourceDocumentIds": list(dict.fromkeys(one.document_id for one in row.sources if one.document_id)),
    }  # fmt: skip


def memory(row: Memory) -> Json:
    """Return a memory in our words, with its windows and sources."""
    return {
        "id": row.id, "memory": row.text, "statement": row.statement, "speaker": row.speaker,
        "said_at": moment(row.said_at, row.said_zone), "kind": row.kind, "version": row.version,
        "root_id": row.root_id, "parent_id": row.parent_id, "is_latest": row.is_latest,
        "is_forgotten": row.is_forgotten, "forget_reason": row.forget_reason,
        "forget_after": moment(row.forget_after), "is_static": row.is_static, "is_disputed": row.is_disputed,
        "is_unjudged": row.is_unjudged, "is_inferred": row.is_inferred, "is_retired": row.is_retired,
        "confidence": row.confidence, "support": row.support, "metadata": dict(row.metadata),
        "container_tag": row.space, "actor": actor(row.actor), "valid_from": _valid_from(row),
        "valid_to": _valid_to(row), "recorded_at": moment(row.recorded_at), "updated_at": moment(row.updated_at),
        "windows": [window(one) for one in row.windows], "sources": [source(one) for one in row.sources],
    }  # fmt: skip


def new_memories(written: Written) -> Json:
    """Return memories that were written directly, and what of it waits for a person."""
    rows = {"documentId": None, "memories": [memory_entry(row) for row in written.memories]}
    rows |= _secret_warning(written.memories)
    return {**rows, "conflicts": list(written.conflicts)} if written.conflicts else rows


def updated_memory(row: Memory) -> Json:
    """Return the new version of a memory."""
    return {**memory_entry(row), **_secret_warning([row])}


def _secret_warning(rows: Iterable[Memory]) -> Json:
    """Say of written memories that a secret was left out of them."""
    if not any(REMOVED in row.statement for row in rows):
        return {}
    return {"warning": f"What looks like a key, token, password or card number was kept as {REMOVED}."}


def forgetting(outcome: Forgetting) -> Json:
    """Return what forget-matching would forget or has forgotten."""
    matches = [{"id": match.id, "memory": match.text, "score": score(match.score)} for match in outcome.matches]
    count = len(matches)
    noun = "memory" if count == 1 else "memories"
    verb = f"{count} {noun} would be forgotten" if outcome.dry_run else f"{count} {noun} forgotten"
    return {
        "dryRun": outcome.dry_run, "count": count, "forgetBatchId": outcome.batch_id, "summary": f"{verb}.",
        "candidates" if outcome.dry_run else "forgotten": matches,
    }  # fmt: skip


def window(row: Window) -> Json:
    """Return one claim of validity on both clocks."""
    return {
        "valid_from": moment(row.valid_from), "valid_to": moment(row.valid_to),
        "recorded_at": moment(row.recorded_at), "retired_at": moment(row.retired_at), "reason": row.reason,
        "actor": actor(row.actor), "retired_by": actor(row.retired_by) if row.retired_by else None,
    }  # fmt: skip


def actor(who: Actor) -> Json:
    """Return who did it."""
    return {"kind": who.kind, "id": who.id}


def source(row: Source) -> Json:
    """Return where something came from; absent parts are left out."""
    return present(
        {
            "kind": row.kind, "id": row.id, "document_id": row.document_id, "revision": row.revision,
            "chunk_id": row.chunk_id, "conversation_id": row.conversation_id, "message_index": row.message_index,
            "title": row.title, "quote": row.quote, "start": row.start, "end": row.end,
            "said_at": moment(row.said_at),
        }
    )  # fmt: skip


def citation(row: Citation) -> Json:
    """Return one numbered piece of evidence; `source` is the first of its sources."""
    sources = [source(one) for one in row.sources]
    first = sources[0] if sources else {"kind": "direct", "id": row.id}
    return {
        "n": row.n, "id": row.id, "text": row.text, "similarity": score(row.similarity), "source": first,
        "sources": sources,
    }  # fmt: skip


def answer(row: Answer) -> Json:
    """Return an answer with its evidence and what it saved."""
    body = {
        "answer": row.answer,
        "citations": [citation(one) for one in row.citations],
        "context": row.context,
        "tokens": tokens(context=row.context_tokens, source=row.source_tokens),
        "model": row.model,
    }
    return {**body, **degraded(row.degraded)}


def compressed(row: Compressed) -> Json:
    """Return a text cut down to what matters."""
    # An empty text is as short as it was.
    ratio = round(row.tokens_after / row.tokens_before, 3) if row.tokens_before else 1.0
    body = {
        "text": row.text, "tokens": {"context": row.tokens_after, "source": row.tokens_before}, "ratio": ratio,
        "kept": row.kept, "dropped": row.dropped,
    }  # fmt: skip
    return {**body, **degraded(row.degraded)}


def tokens(*, context: int, source: int) -> Json:
    """Return what is handed over against what it stands for; the ratio is source / context."""
    return {"context": context, "source": source, "ratio": round(source / context, 1) if context else None}


def job(row: Job) -> Json:
    """Return a job."""
    return {
        "id": row.id, "kind": row.kind, "state": row.state, "container_tag": row.space,
        "document_id": row.document_id, "revision": row.revision, "session_id": row.session_id,
        "reason": row.reason, "warning": row.warning, "items_total": row.items_total, "items_done": row.items_done,
        "items_failed": row.items_failed, "created_at": moment(row.created_at),
        "updated_at": moment(row.updated_at), "finished_at": moment(row.finished_at),
        **present({"extraction": row.extraction}),
    }  # fmt: skip


def listed(page: Page[Row], key: str, show: Callable[[Row], Json], *, number: int | None = None) -> Json:
    """Return a page of a listing under a key, with its pagination in camelCase."""
    return {key: [show(row) for row in page.rows], "pagination": camel(pagination(page, number=number))}


def pagination(page: Page[Any], *, number: int | None = None) -> Json:
    """Return where a page stands; the limit is the one applied."""
    return {
        "current_page": number or 1, "limit": page.limit, "total_items": page.total,
        "total_pages": -(-page.total // page.limit), "next_cursor": page.next_cursor,
    }  # fmt: skip


def degraded(reasons: Sequence[str]) -> Json:
    """Return what was skipped and why; nothing when nothing was."""
    return {"degraded": list(reasons)} if reasons else {}


def _valid_from(row: Memory) -> str | None:
    believed = [one.valid_from for one in row.windows if one.retired_at is None]
    return moment(min(believed)) if believed else None


def _valid_to(row: Memory) -> str | None:
    believed = [one.valid_to for one in row.windows if one.retired_at is None]
    return moment(max(believed)) if believed else None


def conflict(row: Review) -> Json:
    """Return an entry of the review list with the memory it is about."""
    candidate = {
        "statement": row.statement, "quote": row.quote, "speaker": row.speaker,
        "said_at": moment(row.said_at, row.said_zone), "confidence": row.confidence, "source_id": row.source_id,
        "support": row.support,
    }  # fmt: skip
    judged = {"verdict": row.verdict, "probabilities": dict(row.probabilities), "model": row.model}
    return {
        "id": row.id, "kind": row.kind, "state": row.state, "container_tag": row.space,
        "memory": memory(row.memory) if row.memory else None, "candidate": candidate if row.statement else None,
        "judge": judged if row.verdict else None, "proposed": row.proposed, "decision_id": row.decision_id,
        "opened_at": moment(row.opened_at), "resolution": row.resolution,
        "resolved_at": moment(row.resolved_at), "resolved_by": actor(row.resolved_by) if row.resolved_by else None,
        "reason": row.reason,
    }  # fmt: skip
