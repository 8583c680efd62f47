"""Search: rows are scored in their own space, filtered before they are ranked, merged, and only then made whole."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from memory import filters
from memory.errors import ModelError
from memory.lexical import Lexical, relative_lengths, score_terms
from memory.ports import Vectors
from memory.records import Hit, Micros, RowKind, Scope, SearchAnswer, SearchQuery
from memory.retrieval import best, cosines, mix_reranked, score
from memory.segmentation import query_terms, segment
from memory.text_folding import fold
from services.host import Host
from services.results import Candidate, hydrate
from store import documents, segment_rows
from store.segments import SegmentCache
from store.snapshots import NOBODY, Snapshot

log = logging.getLogger(__name__)

# How many of the best a reranker sees when fewer are asked for: 100 found 0.2 points more at 15 for 2.5 times the work.
RERANK_DEPTH = 40

# A word as a reranker's tokenizer splits it off.
_WORD = re.compile(r"\w+")

KINDS: Mapping[str, tuple[RowKind, ...]] = {
    "memories": ("memory",),
    "documents": ("chunk",),
    "hybrid": ("memory", "chunk"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A query as every space is asked it."""

    query: SearchQuery
    vector: Vectors | None  # (dimension,); None when no model answered
    terms: tuple[str, ...]  # that are looked up
    as_of: Micros
    known_at: Micros
    depth: int  # how many rows are wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What one space holds for a question."""

    candidates: tuple[Candidate, ...]
    weights: Mapping[str, float]  # of the words of the query
    degraded: str | None = None


def search(scope: Scope, host: Host, query: SearchQuery) -> SearchAnswer:
    """Find what fits a query best among the rows a scope may see.

    Args:
        scope: whose rows; spaces that do not exist are empty.
        host: the adapters; without a segment cache of its own one is made for this call.
        query: what to look for.

    Returns:
        At most `limit` hits, and never fewer while so many rows pass scope, clocks, filters and threshold; best first,
        equal scores in the order of their rows. When a model is missing the others carry on and `degraded` says so.
    """
    started = time.perf_counter()
    vector, degraded = _embed(host, query.q)
    now = host.clock()
    question = _Question(
        query=query, vector=vector, terms=tuple(query_terms(query.q)),
        as_of=now if query.as_of is None else query.as_of,
        known_at=now if query.known_at is None else query.known_at,
        depth=max(query.limit, RERANK_DEPTH) if query.rerank else query.limit,
    )  # fmt: skip
    found = [_search_space(scope, host, space, question) for space in dict.fromkeys(scope.spaces)]
    degraded += [one.degraded for one in found if one.degraded]
    ranked = _merge([candidate for one in found for candidate in one.candidates], question.depth)
    hits = hydrate(scope, host, ranked)
    if query.rerank:
        hits, reason = _rerank(host, query.q, hits, _joined([one.weights for one in found]))
        degraded += [reason] if reason else []
    for reason in degraded:
        log.warning("search degraded: %s", reason)
    hits = hits[: query.limit]
    milliseconds = (time.perf_counter() - started) * 1000
    return SearchAnswer(
        hits=tuple(hits), total=len(hits), milliseconds=milliseconds, degraded=tuple(dict.fromkeys(degraded))
    )


def _embed(host: Host, text: str) -> tuple[Vectors | None, list[str]]:
    """Return the query's vector, or none, and what a person should know about it."""
    try:
        embedded = host.models.embed([text])
    except ModelError as error:
        return None, [f"Only full text was searched: {error.message}"]
    return embedded.vectors[0], [embedded.degraded] if embedded.degraded else []


def _search_space(scope: Scope, host: Host, space: str, question: _Question) -> _Found:
    query = question.query
    cache = host.search or SegmentCache(host.store)
    snapshot = cache.segment(scope.tenant, space, facts=query.filters is not None)
    if snapshot is None or not len(snapshot):
        return _Found(candidates=(), weights={})
    visible = snapshot.visible(scope, as_of=question.as_of, known_at=question.known_at, kinds=KINDS[query.mode])
    lexical = _score_terms(snapshot, question.terms, visible)
    arms = {"lexical": lexical.coverage}
    degraded = None
    if question.vector is not None:
        degraded = _mismatch(snapshot, host, question.vector)
        if degraded is None:
            arms["vectors"] = cosines(snapshot.vectors, question.vector)
    if not lexical.weights and "vectors" in arms:
        del arms["lexical"]  # punctuation alone says nothing about full text
    scored = score(
        arms,
        reading_order=snapshot.reading_order[visible[snapshot.reading_order]],
        groups=snapshot.groups,
        speaker=_speaker_rows(snapshot, query.q),
        surroundings=query.surroundings,
    )
    eligible = visible & _chosen(scope, host, snapshot, question)
    slots = best(scored.relevance, eligible, snapshot.text_keys, question.depth, query.threshold)
    candidates = tuple(
        Candidate(
            row_id=int(snapshot.row_ids[slot]),
            text_key=int(snapshot.text_keys[slot]),
            relevance=float(scored.relevance[slot]),
            explain={name: float(values[slot]) for name, values in scored.parts.items()},
        )
        for slot in slots
    )
    return _Found(candidates=candidates, weights=_word_weights(snapshot, question, visible), degraded=degraded)


def _score_terms(snapshot: Snapshot, terms: Sequence[str], visible: npt.NDArray[np.bool_]) -> Lexical:
    postings = {term: snapshot.posting(term) for term in terms}
    return score_terms(postings, visible, relative_lengths(snapshot.lengths, snapshot.kinds, visible))


def _word_weights(snapshot: Snapshot, question: _Question, visible: npt.NDArray[np.bool_]) -> Mapping[str, float]:
    """Weigh every word of the query as it is written, stop words too, for a reranker that reads all of them."""
    if not question.query.rerank:
        return {}
    terms_of = {word: segment(word) for word in _WORD.findall(fold(question.query.q))}
    postings = {term: snapshot.posting(term) for terms in terms_of.values() for term in terms}
    weights = score_terms(postings, visible, np.ones(len(snapshot), dtype=np.float32)).weights
    return {word: max(weights[term] for term in terms) for word, terms in terms_of.items() if terms}


def _speaker_rows(snapshot: Snapshot, q: str) -> npt.NDArray[np.bool_] | None:
    speaker = snapshot.named_speaker(segment(q))
    return None if speaker == NOBODY else snapshot.speakers == speaker


def _chosen(scope: Scope, host: Host, snapshot: Snapshot, question: _Question) -> npt.NDArray[np.bool_]:
    """Mark the rows that the query's own filters leave."""
    query = question.query
    chosen = np.ones(len(snapshot), dtype=np.bool_)
    if query.filters is not None:
        chosen &= snapshot.matching(lambda facts: filters.matches(query.filters, facts))
    if query.document_id is not None:
        with host.store.read(scope.tenant) as db:
            document = documents.find(scope, db, query.document_id)
            # A deleted document is found by its id alone, for reads of the past.
            wanted = document.id if document else query.document_id
            rows = segment_rows.rows_of_document(db, wanted, question.known_at)
        chosen &= snapshot.among(rows)
    return chosen


def _mismatch(snapshot: Snapshot, host: Host, vector: Vectors) -> str | None:
    """Say why a query vector cannot be compared with a space's; None when it can."""
    if snapshot.model == host.settings.embed_model and snapshot.vectors.shape[1] == len(vector):
        return None
    stored = f"{snapshot.model} ({snapshot.vectors.shape[1]} numbers)" if snapshot.model else "no model"
    return (
        f"Only full text was searched: the vectors of the store were made by {stored}, "
        f"the query's by {host.settings.embed_model} ({len(vector)} numbers)."
    )


def _merge(candidates: Sequence[Candidate], depth: int) -> list[Candidate]:
    """Order the candidates of all spaces; equal text comes once."""
    ordered = sorted(candidates, key=lambda one: (-one.relevance, one.row_id))
    first = {one.text_key: one for one in reversed(ordered)}
    return [one for one in ordered if first[one.text_key] is one][:depth]


def _joined(weights: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Take the larger weight of each word: it is telling if it is telling anywhere."""
    joined: dict[str, float] = {}
    for one in weights:
        for word, weight in one.items():
            joined[word] = max(weight, joined.get(word, 0.0))
    return joined


def _rerank(host: Host, text: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> tuple[list[Hit], str | None]:
    """Order hits by the reranker's and the fused opinion; as they were, and why, when it gave none."""
    reranked = host.models.rerank(text, [hit.text for hit in hits], weights or None)
    raw = reranked.scores
    if raw is None:
        return list(hits), reranked.degraded or "The results were not reranked."
    if len(raw) != len(hits) or not np.isfinite(raw).all():
        return list(hits), "The results were not reranked: the reranker's answer does not fit the question."
    mixed = mix_reranked(np.array([hit.similarity for hit in hits], dtype=np.float32), raw)
    scored = [
        replace(hit, score=float(value), explain={**hit.explain, "rerank": float(score)})
        for hit, value, score in zip(hits, mixed, raw, strict=True)
    ]
    # Stable: equal ones stay in their fused order.
    return sorted(scored, key=lambda hit: -hit.score), reranked.degraded
