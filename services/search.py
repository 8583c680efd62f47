"""Search: every space is asked on its own, then the best of all are merged, made whole and, if wanted, reranked."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from memory.errors import ModelError, ModelUnavailable, WrongModel
from memory.ports import Embedded
from memory.question_time import QuestionTime, read_question
from memory.records import Micros, Scope, SearchAnswer, SearchQuery
from services.ageing import DEPTH_FACTOR, asked_at, by_recency
from services.host import Host
from services.question import Meaning, Question
from services.reranking import POOL, contenders, nothing_relevant, reread
from services.results import RankedRow, hydrate
from services.space_search import Found, search_space, sight
from services.zones import offset_at

log = logging.getLogger(__name__)

Waiting = Callable[[], Embedded]

NOTHING_RELEVANT = "Nothing relevant: no result came near the question."


def search(scope: Scope, host: Host, query: SearchQuery) -> SearchAnswer:
    """Find what fits a query best among the rows a scope may see.

    Args:
        scope: whose rows; spaces that do not exist are empty.
        host: the adapters; without a segment cache of its own one is made for this call.
        query: what to look for.

    Returns:
        At most `limit` hits, and never fewer while so many rows pass scope, clocks, filters and threshold; best first,
        equal scores in the order of their rows. When a model is missing the others carry on and `degraded` says so.
        None, and the reason, when a reranker has read the best of a search that nothing narrows and none of them comes
        near the question.

    Raises:
        ModelUnavailable: no node can embed the query and full text alone finds nothing, or a distance is asked for.
        WrongModel: the vectors are of another model than the query's and full text alone finds nothing, or a distance
            is asked for.
        ModelError: a distance is asked for, and the query cannot be embedded.
    """
    started = time.perf_counter()
    now = host.clock()
    # While a model reads the query, its words are looked up.
    vector = _start_embedding(host, query, query.q)
    times = _times(query, now)
    phrases = [_start_embedding(host, query, one.phrase) for one in times.anchors]
    question = Question(
        query=query, times=times,
        as_of=now if query.as_of is None else query.as_of,
        known_at=now if query.known_at is None else query.known_at,
        depth=max(_wanted(query), POOL if query.rerank else 0),
    )  # fmt: skip
    spaces = [sight(scope, host, space, question) for space in dict.fromkeys(scope.spaces)]
    meaning, degraded, outage = _meaning(vector, phrases, needed=query.distance is not None)
    found = [search_space(host, space, question, meaning) for space in spaces]
    degraded += [one.degraded for one in found if one.degraded]
    wrong = [one.degraded for one in found if one.wrong_model]
    outage = outage or (WrongModel(wrong[0]) if wrong else None)
    if outage is not None and (query.distance is not None or _nothing_found(found)):
        raise outage
    ranked = _merge([row for one in found for row in one.rows], question.depth)
    read = contenders(ranked, query.limit) if query.rerank else 0
    hits = hydrate(scope, host, ranked[: max(_wanted(query), read)], known_at=question.known_at)
    reason = None
    if query.rerank and not read:
        host.reranks.add("skipped")
    if read:
        hits, failure = reread(host, query.q, hits, read, _joined([one.weights for one in found]))
        degraded += [failure] if failure else []
        host.reranks.add("failed" if failure else "done")
        if not _is_narrowed(query) and nothing_relevant(hits[:read]):
            hits, reason = [], NOTHING_RELEVANT
    hits = by_recency(hits, query, now=now)[: query.limit]
    for sentence in degraded:
        log.warning("search degraded: %s", sentence)
    milliseconds = (time.perf_counter() - started) * 1000
    return SearchAnswer(
        hits=tuple(hits), total=len(hits), milliseconds=milliseconds, degraded=tuple(dict.fromkeys(degraded)),
        reason=reason,
    )  # fmt: skip


def _wanted(query: SearchQuery) -> int:
    """Return how many rows are looked at for a query's results."""
    return query.limit * (1 if query.half_life_days is None else DEPTH_FACTOR)


def _is_narrowed(query: SearchQuery) -> bool:
    """Tell whether the caller said which rows to look among: then they come in their order, near or not."""
    clocks, places = (query.as_of, query.known_at), (
        query.document_id, query.filepath, query.session_id, query.filters, query.distance,
    )  # fmt: skip
    return any(one is not None for one in (*clocks, *places)) or bool(query.kinds or query.min_confidence)


def _times(query: SearchQuery, now: Micros) -> QuestionTime:
    """Read the times that a query names, unless that arm is switched off."""
    if "time" not in query.arms:
        return QuestionTime()
    asked = asked_at(query, now=now)
    return read_question(query.q, asked, offset_at(query.zone, asked))


def _start_embedding(host: Host, query: SearchQuery, text: str) -> Waiting | None:
    """Have the query, or an event that it names, embedded, unless that arm is switched off; each is kept by itself."""
    return host.models.start_embedding([text]) if "vectors" in query.arms else None


def _meaning(
    vector: Waiting | None, phrases: Sequence[Waiting | None], *, needed: bool
) -> tuple[Meaning, list[str], ModelError | None]:
    """Wait for the vectors of a query and of the events that it names.

    Returns:
        The vectors, or none, what a person should know about them, and the outage if that is the reason.

    Raises:
        ModelError: there are none, and nothing can be found without.
    """
    if vector is None:
        return Meaning(), [], None
    try:
        answers = [vector(), *(phrase() for phrase in phrases if phrase is not None)]
    except ModelError as error:
        if needed:
            raise
        outage = error if isinstance(error, ModelUnavailable | WrongModel) else None
        return Meaning(), [f"Only full text was searched: {error.message}"], outage
    vectors = np.concatenate([one.vectors for one in answers])
    return Meaning(vector=vectors[0], phrases=vectors[1:]), [one.degraded for one in answers if one.degraded], None


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
