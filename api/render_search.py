"""Results of a search as JSON, in Supermemory's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.render import camel, degraded, moment, present, score, source
from memory.records import Document, Hit, Memory, SearchAnswer
from services.document_search import DocumentAnswer, FoundDocument
from services.hit_details import Details, Wanted

Json = dict[str, Any]

NOTHING = Wanted()


def search(
    answer: SearchAnswer,
    *,
    sources: bool,
    explain: bool,
    details: Mapping[str, Details] | None = None,
    wanted: Wanted = NOTHING,
    summaries: bool = False,
    remarks: Sequence[str] = (),
) -> Json:
    """Return the results of a search.

    Args:
        answer: what was found.
        sources: whether each result says where it comes from.
        explain: whether it says what each arm's part was.
        details: what is told of each result beside, by its id.
        wanted: which of that; what is wanted and not there is an empty list.
        summaries: whether documents have their summary.
        remarks: what is to be said in `degraded` beside what was skipped.
    """
    known = details or {}
    results = [
        {**hit(row, sources=sources, explain=explain), **_details(row, known.get(row.id, Details()), wanted, summaries)}
        for row in answer.hits
    ]
    body = {"results": results, "total": answer.total, "timing": round(answer.milliseconds, 1)}
    return {**body, **present({"reason": answer.reason}), **degraded((*answer.degraded, *remarks))}


def hit(row: Hit, *, sources: bool, explain: bool) -> Json:
    """Return one search result."""
    fact = row.memory
    shown = {
        "id": row.id, row.kind: row.text, "similarity": score(row.similarity), "metadata": dict(row.metadata),
        "updatedAt": moment(row.updated_at), "containerTag": row.space,
    }  # fmt: skip
    rare = {
        "version": fact.version if fact else None, "rootMemoryId": fact.root_id if fact else None,
        "isDisputed": True if fact and fact.is_disputed else None,
        "isUnjudged": True if fact and fact.is_unjudged else None,
        "isForgotten": True if fact and fact.is_forgotten else None,
        "documentId": row.document_id, "position": row.position, "title": row.title, "filepath": row.filepath,
        "sources": [camel(source(one)) for one in row.sources] if sources else None,
        "explain": {name: score(part) for name, part in row.explain.items()} if explain else None,
    }  # fmt: skip
    return {**shown, **present(rare)}


def _details(row: Hit, found: Details, wanted: Wanted, summaries: bool) -> Json:
    told: Json = {}
    if wanted.documents:
        told["documents"] = [_document(one, summaries) for one in found.documents]
    if wanted.chunks and row.memory is not None:
        told["chunks"] = [_chunk(one) for one in found.chunks]
    if wanted.versions and row.memory is not None:
        version = row.memory.version
        told["context"] = {
            "parents": [_version(one, version) for one in found.before],
            "children": [_version(one, version) for one in found.after],
            "related": [],
        }
    return told


def _document(row: Document, summaries: bool) -> Json:
    shown = {
        "id": row.id, "title": row.title, "type": row.type, "metadata": dict(row.metadata),
        "createdAt": moment(row.created_at), "updatedAt": moment(row.updated_at),
    }  # fmt: skip
    return {**shown, "summary": row.summary} if summaries else shown


def _chunk(row: Any) -> Json:
    return {"content": row.text, "documentId": row.document_id, "position": row.position}


def _version(row: Memory, of: int) -> Json:
    """Return a version of a chain; `version` says how many steps it is away, as in Supermemory."""
    shown = {
        "id": row.id, "memory": row.text, "relation": "updates", "version": row.version - of,
        "updatedAt": moment(row.updated_at), "metadata": dict(row.metadata),
    }  # fmt: skip
    return {**shown, **present({"isForgotten": True if row.is_forgotten else None})}


def documents(answer: DocumentAnswer, *, summaries: bool, remarks: Sequence[str] = ()) -> Json:
    """Return the documents that fit a question, each with its chunks.

    Args:
        answer: what was found.
        summaries: whether each has its summary.
        remarks: what is to be said in `degraded` beside what was skipped.
    """
    body = {
        "results": [_found(one, summaries) for one in answer.found],
        "total": len(answer.found),
        "timing": round(answer.milliseconds, 1),
    }
    return {**body, **present({"reason": answer.answer.reason}), **degraded((*answer.answer.degraded, *remarks))}


def _found(one: FoundDocument, summaries: bool) -> Json:
    row = one.document
    shown = {
        "documentId": row.id, "customId": row.custom_id, "title": row.title, "type": row.type,
        "score": score(one.score), "metadata": dict(row.metadata), "containerTag": row.space,
        "createdAt": moment(row.created_at), "updatedAt": moment(row.updated_at),
        "chunks": [*_matching(one.matching), *_around(one.around)],
    }  # fmt: skip
    rare = present({"filepath": row.filepath, "content": row.content})
    return {**shown, **rare, **({"summary": row.summary} if summaries else {})}


def _matching(hits: Iterable[Hit]) -> Iterable[Json]:
    for one in hits:
        yield {"content": one.text, "isRelevant": True, "position": one.position, "score": score(one.similarity)}


def _around(chunks: Iterable[Any]) -> Iterable[Json]:
    for one in chunks:
        yield {"content": one.text, "isRelevant": False, "position": one.position, "score": 0.0}
