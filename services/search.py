"""Search: every space is asked on its own, then the best of all are merged, made whole and, if wanted, reranked."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from memory.errors import ModelError, ModelUnavailable, WrongModel
from memory.ports import Vectors
from memory.records import Hit, Scope, SearchAnswer, SearchQuery
from memory.retrieval import mix_reranked
from services.host import Host
from services.rerank_parts import SAME_SCORE, all_equal
from services.results import RankedRow, hydrate
from services.space_search import Found, Question, search_space

log = logging.getLogger(__name__)

# How many of the best a reranker sees when fewer are asked for: 100 found no more for 2.5 times the work.
RERANK_DEPTH = 40


def search(scope: Scope, host: Host, query: SearchQuery) -> SearchAnswer:
    """Find what fits a query best among the rows a scope may see.

    Args:
        scope: whose rows; spaces that do not exist are empty.
        host: the adapters; without a segment cache of its own one is made for this call.
        query: what to look for.

    Returns:
        At most `limit` hits, and never fewer while so many rows pass scope, clocks, filters and threshold; best first,
        equal scores in the order of their rows. When a model is missing the others carry on and `degraded` says so.

    Raises:
        ModelUnavailable: no node can embed the query and full text alone finds nothing.
        WrongModel: the vectors are of another model than the query's and full text alone finds nothing.
    """
    started = time.perf_counter()
    vector, degraded, outage = _embed(host, query.q)
    now = host.clock()
    question = Question(
        query=query, vector=vector,
        as_of=now if query.as_of is None else query.as_of,
        known_at=now if query.known_at is None else query.known_at,
        depth=max(query.limit, RERANK_DEPTH) if query.rerank else query.limit,
    )  # fmt: skip
    found = [search_space(scope, host, space, question) for space in dict.fromkeys(scope.spaces)]
    degraded += [one.degraded for one in found if one.degraded]
    wrong = [one.degraded for one in found if one.wrong_model]
    outage = outage or (WrongModel(wrong[0]) if wrong else None)
    if outage is not None and _nothing_found(found):
        raise outage
    ranked = _merge([row for one in found for row in one.rows], question.depth)
    hits = hydrate(scope, host, ranked, known_at=question.known_at)
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


def _embed(host: Host, text: str) -> tuple[Vectors | None, list[str], ModelError | None]:
    """Return the query's vector, or none, what a person should know about it, and the outage if that is the reason."""
    try:
        embedded = host.models.embed([text])
    except ModelError as error:
        outage = error if isinstance(error, ModelUnavailable | WrongModel) else None
        return None, [f"Only full text was searched: {error.message}"], outage
    return embedded.vectors[0], [embedded.degraded] if embedded.degraded else [], None


def _nothing_found(found: Sequence[Found]) -> bool:
    """Return whether words alone met none of the rows there are, which is no proof that nothing fits."""
    met = any(row.relevance > 0 for one in found for row in one.rows)
    return not met and any(one.eligible for one in found)


def _merge(rows: Sequence[RankedRow], depth: int) -> list[RankedRow]:
    """Order the rows of all spaces; equal text comes once."""
    ordered = sorted(rows, key=lambda one: (-one.relevance, one.row_id))
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
    """Order hits by the reranker's and the fused opinion; as they were, and why, when it gave none.

    A hit that was not scored in time keeps the place it had: those that were are ordered among the other places.
    """
    reranked = host.models.rerank(text, [hit.text for hit in hits], weights or None)
    raw = reranked.scores
    if raw is None:
        return list(hits), reranked.degraded or "The results were not reranked."
    scored = [place for place in range(len(hits)) if place not in reranked.missing]
    if len(raw) != len(hits) or not np.isfinite(raw[scored]).all():
        return list(hits), "The results were not reranked: the reranker's answer does not fit the question."
    if all_equal(raw[scored], [hits[place].text for place in scored]):
        return list(hits), f"The results were not reranked: {SAME_SCORE}"
    mixed = mix_reranked(np.array([hits[place].similarity for place in scored], dtype=np.float32), raw[scored])
    ordered = [
        replace(hit, score=float(value), explain={**hit.explain, "rerank": float(score)})
        for hit, value, score in zip([hits[place] for place in scored], mixed, raw[scored], strict=True)
    ]
    # Stable: equal ones stay in their fused order.
    ordered.sort(key=lambda hit: -hit.score)
    return _keep_places(hits, scored, ordered), reranked.degraded


def _keep_places(hits: Sequence[Hit], scored: Sequence[int], ordered: Sequence[Hit]) -> list[Hit]:
    """Put ordered hits into the places of those that were scored; the others get the score of the one above them."""
    kept = list(hits)
    for place, hit in zip(scored, ordered, strict=True):
        kept[place] = hit
    if len(ordered) < len(hits):
        above = ordered[0].score if ordered else 0.0
        for place, hit in enumerate(kept):
            kept[place] = hit if "rerank" in hit.explain else replace(hit, score=above)
            above = kept[place].score
    return kept
