"""Reading the best results again with a reranker: which of them, whether at all, and what its scores are worth.

Most of the time of a search with a reranker is the reranker's. So it reads only what could still come among the results
(`contenders`), and nothing where the order is clear without it. It never makes a search fail: whatever it does not
answer leaves the order as it was, and the answer says so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from memory.records import Hit
from memory.retrieval import calibrated, relevance_of
from services.host import Host
from services.rerank_parts import SAME_SCORE, all_equal
from services.results import RankedRow

Floats = npt.NDArray[np.float32]

# The most that are read. Of the evidence of a conversation benchmark 93 % is among the first 100.
POOL = 100
# What is less relevant than the last that would be returned by more than this is not read: 48 passages in the mean
# instead of 100, and the same 83.8 % of the evidence among the first 15; 0.03 reads 30 and finds 83.5 %.
REACH = 0.05
# The order is clear when the fifth is so much less relevant than the first: 14 % of the questions, of whose evidence
# the first 5 hold 98.0 % and the first 15 all, read again or not.
CLEAR = 0.2
CLEAR_PLACE = 5
# Passages are read while they have so many characters in all: 100 turns, or 11 long chunks. They take some 0.6 seconds
# of one core when the model server keeps none of them.
MOST_CHARS = 16_000

# Nothing is relevant when no result reaches any of these. None of 882 questions about conversations lost its answer,
# and 345 of 360 times a question about something else altogether was told so.
# "What did we do last week?" is answered by whatever is of that week.
FLOOR: Mapping[str, float] = {"vectors": 0.35, "lexical": 0.35, "calibrated": 0.4, "time": 1.0}


def contenders(ranked: Sequence[RankedRow], limit: int) -> int:
    """Return how many of the best rows a reranker should read: 0 where they are clear without it.

    They are when the first is far ahead and comes near the question by itself. One that is far ahead among poor ones is
    read: only so it can be said that nothing is relevant.

    Args:
        ranked: best first.
        limit: how many are wanted.
    """
    if not ranked:
        return 0
    ahead = len(ranked) >= CLEAR_PLACE and ranked[0].relevance - ranked[CLEAR_PLACE - 1].relevance >= CLEAR
    if ahead and _comes_near(ranked[0].explain):
        return 0
    least = ranked[min(limit, len(ranked)) - 1].relevance - REACH
    return sum(row.relevance >= least for row in ranked[: max(POOL, limit)])


def reread(
    host: Host, question: str, hits: Sequence[Hit], count: int, weights: Mapping[str, float]
) -> tuple[list[Hit], str | None]:
    """Order hits by what a reranker reads in them; as they were, and why, when it says nothing.

    Args:
        host: the adapters.
        question: what they are scored against.
        hits: best first.
        count: how many of the first are read, see `contenders`.
        weights: of the question's words; empty for equal ones.

    Returns:
        The same hits, and why some or all were not read, if so. Those that were have the raw score in `explain` as
        "rerank", and what it counts as, 0 to 1, as "calibrated". A hit that was not scored in time, or not sent, keeps
        the place it had: the others are ordered among their places.
    """
    sent, slow = _affordable(host, hits[:count])
    passages = [hit.text for hit in hits[:sent]]
    began = time.monotonic()
    reranked = host.models.rerank(question, passages, weights or None)
    host.reranks.took(sum(map(len, passages)) or 1, time.monotonic() - began)
    raw = reranked.scores
    if raw is None:
        return list(hits), reranked.degraded or "The results were not reranked."
    read = [place for place in range(sent) if place not in reranked.missing]
    if len(raw) != sent or not np.isfinite(raw[read]).all():
        return list(hits), "The results were not reranked: the reranker's answer does not fit the question."
    if all_equal(raw[read], [hits[place].text for place in read]):
        return list(hits), f"The results were not reranked: {SAME_SCORE}"
    among = [hits[place] for place in read]
    worth = calibrated(raw[read], logits=host.reranks.gives_logits(raw[read]))
    scored = [
        replace(hit, score=float(value), explain={**hit.explain, "rerank": float(score), "calibrated": float(share)})
        for hit, value, score, share in zip(among, _values(among, worth), raw[read], worth, strict=True)
    ]
    # Stable: equal ones stay in their fused order.
    scored.sort(key=lambda hit: -hit.score)
    return _keep_places(hits, read, scored), " ".join(filter(None, (slow, reranked.degraded))) or None


def nothing_relevant(hits: Sequence[Hit]) -> bool:
    """Tell whether no hit has a score that an answer would have; False when the reranker has read none of them.

    Hits that it did not read, such as those beyond its budget of characters, are judged by their vectors and words. So
    judged, none of the 882 questions lost its answer either, though only two results of each had been read.

    Args:
        hits: reread, in any order.
    """
    parts = [hit.explain for hit in hits]
    judged = all("calibrated" in one or "vectors" in one for one in parts)
    return judged and any("calibrated" in one for one in parts) and not any(map(_comes_near, parts))


def _comes_near(parts: Mapping[str, float]) -> bool:
    """Tell whether one of the scores there are is one that an answer would have."""
    return any(parts[name] >= least for name, least in FLOOR.items() if name in parts)


def _affordable(host: Host, hits: Sequence[Hit]) -> tuple[int, str | None]:
    """Return how many hits are sent, at least two, so that the reranker is seen to be well again; and why not all.

    Only a slow reranker is a reason: what is over the budget of characters is left out of every search alike.
    """
    whole = np.cumsum([len(hit.text) for hit in hits])
    wanted, afforded = (
        min(len(hits), max(2, int(np.searchsorted(whole, most, side="right"))))
        for most in (MOST_CHARS, host.reranks.affordable(host.settings.rerank_seconds))
    )
    if afforded >= wanted:
        return wanted, None
    return afforded, f"Only {afforded} of {wanted} results were reranked: the reranker is slow at the moment."


def _values(hits: Sequence[Hit], read: Floats) -> Floats:
    """Score hits anew with what was read in them, 0..1; hits of different spaces may have different parts."""
    values = np.zeros(len(hits), dtype=np.float32)
    by_parts: dict[frozenset[str], list[int]] = {}
    for place, hit in enumerate(hits):
        by_parts.setdefault(frozenset(hit.explain), []).append(place)
    for names, places in by_parts.items():
        parts = {name: np.array([hits[place].explain[name] for place in places], dtype=np.float32) for name in names}
        values[places] = relevance_of({**parts, "rerank": read[places]})
    return values


def _keep_places(hits: Sequence[Hit], read: Sequence[int], ordered: Sequence[Hit]) -> list[Hit]:
    """Put ordered hits into the places of those that were read; no other has more than the one above it."""
    kept = list(hits)
    for place, hit in zip(read, ordered, strict=True):
        kept[place] = hit
    above = ordered[0].score if ordered else 0.0
    for place, hit in enumerate(kept):
        if "rerank" not in hit.explain:
            # Between two that were read it has as much as the one above; behind the last its own counts.
            kept[place] = replace(hit, score=above if place < read[-1] else min(above, hit.score))
        above = kept[place].score
    return kept
