"""Scores rows against a query and picks the best: one number for the order and for what is shown as similarity.

The number is absolute. It is made of the row, its surroundings and its space, never of the other rows that happen to be
in the pool, so a threshold means the same for every query and filter:

    own        = 0.5 * max(0, cosine) + 0.5 * coverage        (the arm that is there, when one is missing)
    relevance  = 1 - (1 - own) (1 - 0.3 before) (1 - 0.3 after) (1 - 0.5 group) (1 - 0.1 speaker)

Coverage is `memory.lexical`, before/after/group are `memory.surroundings`, speaker is 1 for the rows of the one speaker
whom the query names. Share of the evidence in the top 5/10/15 of a conversation benchmark (6 conversations, 882
questions, over HTTP): 67.4/77.0/81.5; vectors alone 45.5/55.5/62.7 and full text alone 64.3/73.4/77.8, both with
surroundings; without surroundings and speaker 62.3/70.5/74.8. Dividing the arms by the extremes of the pool instead
found 74.0 in the top 15 where this absolute fusion found 74.8 (an earlier tokenizer, no surroundings): one number
serves both ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.surroundings import look_around

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Every weight of retrieval. Round numbers: what is not worth a tenth was left out."""

    # Each arm misses what the other finds; 0.4 vectors is 0.3 points worse at 15, 0.6 is 1.7 worse.
    vectors: float = 0.5
    lexical: float = 0.5
    # An answer stands beside its question: 3.1 points at 15. 0.2 is within 0.3; more lets a neighbour win.
    neighbour: float = 0.3
    # A question about a session's subject means its turns: 3.1 points. 0.7 gains nothing.
    group: float = 0.5
    # Whoever is named said it more often than not: 2.5 points, and too little to carry a row by itself.
    speaker: float = 0.1
    # The reranker's share of the order of what it has seen, the rest is the relevance above. With late interaction 0.3
    # gains 0.8 points at 5 and at 10 and loses none at 15; 0.5 gains 1.0, 0.1 and loses 0.2; 0.7 loses 1.1 at 15.
    rerank: float = 0.3


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The relevance of every row of a space, with what it is made of; only visible rows mean something."""

    relevance: Floats  # float32 (n,), 0..1: what orders and what is shown
    parts: Mapping[str, Floats]  # float32 (n,) each, 0..1: vectors, lexical, own, before, after, group, speaker


def score(
    arms: Mapping[str, Floats],
    *,
    reading_order: Slots,
    groups: npt.NDArray[np.int32],
    speaker: Mask | None = None,
    surroundings: bool = True,
    weights: Weights = WEIGHTS,
) -> Scored:
    """Score the rows of one space by the formula above.

    Args:
        arms: "vectors" and "lexical", float32 (n,), 0..1; one of them may be missing.
        reading_order: the visible slots sorted by group and position.
        groups: int32 (n,), equal for rows of one session or document.
        speaker: bool (n,), rows of the one speaker whom the query names; None when it names none or several.
        surroundings: False: each row stands on its own text alone, as it must where a match is acted upon.
        weights: of every part.
    """
    own = fuse(arms, {"vectors": weights.vectors, "lexical": weights.lexical})
    parts = {**arms, "own": own}
    if not surroundings:
        return Scored(relevance=own, parts=parts)
    around = look_around(own[reading_order], groups[reading_order])
    for name, values in (("before", around.before), ("after", around.after), ("group", around.group)):
        parts[name] = np.zeros_like(own)
        parts[name][reading_order] = values
    parts["speaker"] = np.zeros_like(own) if speaker is None else speaker.astype(np.float32)
    relevance = either(
        [
            (1.0, own),
            (weights.neighbour, parts["before"]),
            (weights.neighbour, parts["after"]),
            (weights.group, parts["group"]),
            (weights.speaker, parts["speaker"]),
        ]
    )
    return Scored(relevance=relevance, parts=parts)


def cosines(vectors: Floats, query: Floats) -> Floats:
    """Compare every row with the query, exactly.

    Args:
        vectors: float32 (n, dimension), rows of length 1 or 0.
        query: float32 (dimension,), of length 1.

    Returns:
        float32 (n,), 0..1: the cosine, 0 where it is negative.
    """
    return np.asarray(np.clip(vectors @ query, 0.0, 1.0), dtype=np.float32)


def fuse(arms: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Average the scores of the arms that are there.

    Args:
        arms: float32 (n,) by arm, each 0..1, at least one.
        weights: positive weight by arm; those of absent arms do not count.

    Returns:
        float32 (n,), 0..1; the same whatever the order of the arms.
    """
    names = sorted(arms)
    whole = sum(weights[name] for name in names)
    total = np.zeros_like(arms[names[0]])
    for name in names:
        total += np.float32(weights[name] / whole) * arms[name]
    return total


def either(chances: Sequence[tuple[float, Floats]]) -> Floats:
    """Combine signals so that each can only raise the result and none can lift it over 1.

    Args:
        chances: (weight 0..1, float32 (n,) of values 0..1).

    Returns:
        float32 (n,): 1 minus the product of (1 - weight * value).
    """
    rest = np.ones_like(chances[0][1])
    for weight, values in chances:
        rest *= 1 - np.float32(weight) * values
    return 1 - rest


def best(scores: Floats, eligible: Mask, keys: npt.NDArray[np.int64], k: int, threshold: float = 0.0) -> Slots:
    """Pick the k best eligible rows, the first of each key only.

    Args:
        scores: float32 (n,).
        eligible: bool (n,), applied before anything is ranked: k rows come back while k with different keys are there.
        keys: int64 (n,), equal for rows of equal text.
        k: most rows, 1 or more.
        threshold: rows that score lower are not eligible.

    Returns:
        Slots, best first; equal scores in the order of the slots.
    """
    slots = np.flatnonzero(eligible & (scores >= threshold))
    values = scores[slots]
    pool = 2 * k
    while True:
        ranked = _top(slots, values, pool)
        _, firsts = np.unique(keys[ranked], return_index=True)
        if len(firsts) >= k or pool >= len(slots):
            return ranked[np.sort(firsts)[:k]]
        pool *= 4


def _top(slots: Slots, values: Floats, m: int) -> Slots:
    """Return at least the m best slots in order (all that tie with the last of them too)."""
    if m < len(slots):
        least = np.partition(values, len(values) - m)[len(values) - m]
        kept = values >= least
        slots, values = slots[kept], values[kept]
    return slots[np.lexsort((slots, -values))]


def mix_reranked(relevance: Floats, raw: Floats, weight: float = WEIGHTS.rerank) -> Floats:
    """Order reranked rows by both opinions.

    A reranker's raw scores have no common scale (cosines of one, logits of another), so they are spread over 0..1
    among the rows it saw; so is the relevance. The result orders those rows and says nothing outside of them.

    Args:
        relevance: float32 (m,), 0..1.
        raw: float32 (m,), higher is better.
        weight: the reranker's share, 0..1.

    Returns:
        float32 (m,), 0..1.
    """
    return np.float32(1 - weight) * _spread(relevance) + np.float32(weight) * _spread(raw)


def _spread(values: Floats) -> Floats:
    if not len(values) or float(values.max()) == float(values.min()):
        return np.zeros_like(values)
    low, high = values.min(), values.max()
    return np.asarray((values - low) / (high - low), dtype=np.float32)
