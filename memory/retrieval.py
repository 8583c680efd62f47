"""Scores rows against a query and picks the best: one number for the order and for what is shown as similarity.

The number is absolute. It is made of the row, its surroundings and its space, never of the other rows that happen to be
in the pool, so a threshold means the same for every query and filter:

    own        = 0.5 vectors + 0.5 lexical                    (what the row says by itself)
    base       = 0.4 vectors + 0.3 words + 0.3 group          (of those that are there, scaled to a sum of 1)
    relevance  = 1 - (1 - base (1 - 0.1 question)) (1 - 0.1 entities) (1 - 0.2 time)

Vectors is the cosine, 0 where negative; lexical is `memory.lexical`'s coverage of the query's words by the row, words
the coverage by the row and those around it, group the mean of the three best `own` of the row's session or document
(both `memory.surroundings`); question is 1 for a row that asks something itself; entities is how far a row is linked to
the names in the query (`memory.names`) and time how near it lies to the time it names.

What a reranker has read is scored anew, by the same formula with

    base       = 0.5 rerank + 0.1 vectors + 0.2 words + 0.2 group

Share of the evidence among the first 5/10/15 of a conversation benchmark (6 conversations, 882 questions, no entities,
no time): 70.0/79.5/82.5, with late interaction 72.9/80.5/83.8. The neighbours' own relevance in the place of their
words found 66.3/74.9/78.9; a regression over 17 such features, fitted on the other five conversations each time, found
83.4 among the first 15 at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from memory.surroundings import best_of_group

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]

# By so much a cosine of half precision (11 bits) may exceed 1.
COSINE_ROUNDING = 1e-3
# A similarity is shown with six digits: one that is sent back as threshold keeps its own row.
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Every weight of retrieval. Round numbers: what is not worth a tenth was left out."""

    # Of what a row is worth by itself. Each arm misses what the other finds.
    vectors: float = 0.5
    lexical: float = 0.5
    # The words of the neighbours count nearly as the row's own, so full text needs less than half. Of the evidence the
    # first 15 have 82.5 %, with a tenth moved from one to another 79.9 to 82.7; less for words is the wrong way.
    base: Mapping[str, float] = field(default_factory=lambda: {"vectors": 0.4, "words": 0.3, "group": 0.3})
    # The reranker has read what the vector only sums up, and takes most of its part: 84.2 %, and with a tenth moved
    # 82.2 to 84.5.
    reread: Mapping[str, float] = field(
        default_factory=lambda: {"rerank": 0.5, "vectors": 0.1, "words": 0.2, "group": 0.2}
    )
    # Who asks says little: 0.7 points among the first 15, and as much at 0.2.
    question: float = 0.1
    # Whoever is named said it more often than not: too little to carry a row by itself.
    entities: float = 0.1
    # What lies in the time that is named, among rows that fit as well; never by itself.
    time: float = 0.2


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The relevance of every row of a pool, with what it is made of."""

    relevance: Floats  # float32 (m,), 0..1: what orders and what is shown
    parts: Mapping[str, Floats]  # float32 (m,) each, 0..1: of the names in the formula those that there are


def score(
    arms: Mapping[str, Floats],
    *,
    groups: npt.NDArray[np.int32],
    sizes: Slots | None = None,
    words: Floats | None = None,
    questions: Mask | None = None,
    entities: Floats | None = None,
    time: Floats | None = None,
    surroundings: bool = True,
    weights: Weights = WEIGHTS,
) -> Scored:
    """Score the rows of a pool of one space by the formula above.

    Args:
        arms: "vectors" and "lexical", float32 (m,), 0..1, of rows sorted by group and position; one may be missing.
        groups: int32 (m,), equal for rows of one session or document.
        sizes: (m,), rows of each group, for a pool that leaves rows out; None: it has them all.
        words: float32 (m,), 0..1, the query's words met by each row and those around it; None without full text.
        questions: bool (m,), rows that ask something themselves; None: not known.
        entities: float32 (m,), 0..1, how far each row is linked to what the query names; None when it names nothing.
        time: float32 (m,), 0..1, how close each row lies to the time that the query names; None when it names none.
        surroundings: False: each row stands on its own text alone, as it must where a match is acted upon.
        weights: of every part.
    """
    own = fuse(arms, {"vectors": weights.vectors, "lexical": weights.lexical})
    parts = {**arms, "own": own}
    if not surroundings:
        return Scored(relevance=own, parts=parts)
    parts["group"] = best_of_group(own, groups, sizes)
    asking = None if questions is None else questions.astype(np.float32)
    others = {"words": words, "question": asking, "entities": entities, "time": time}
    parts |= {name: values for name, values in others.items() if values is not None}
    return Scored(relevance=relevance_of(parts, weights), parts=parts)


def relevance_of(parts: Mapping[str, Floats], weights: Weights = WEIGHTS) -> Floats:
    """Put the parts of rows together by the formula above.

    Args:
        parts: float32 (m,) by name, each 0..1; with "rerank" the second formula is used. Others are not looked at. At
            least one of those that make up the base.
        weights: of every part.

    Returns:
        float32 (m,), 0..1.
    """
    shares = weights.reread if "rerank" in parts else weights.base
    base = fuse({name: parts[name] for name in shares if name in parts}, shares)
    if "question" in parts:
        base = base * (1 - np.float32(weights.question) * parts["question"])
    raising = [(getattr(weights, name), parts[name]) for name in ("entities", "time") if name in parts]
    return either([(1.0, base), *raising])


def are_logits(raw: Floats) -> bool:
    """Tell whether raw reranker scores must be logits: one of them is no cosine and no probability.

    Args:
        raw: float32 (m,), finite, of one reranker.
    """
    return float(np.abs(raw).max(initial=0.0)) > 1 + COSINE_ROUNDING


def calibrated(raw: Floats, *, logits: bool) -> Floats:
    """Bring raw reranker scores to 0..1, each by itself.

    Late interaction gives cosines and some servers give probabilities: these are what they are. A cross-encoder gives
    logits, which go through the logistic function that it was trained with.

    Args:
        raw: float32 (m,), finite.
        logits: what the reranker gives. It is a property of the reranker and not of one answer, which may hold no score
            that shows it: see `are_logits`.

    Returns:
        float32 (m,), 0..1, in the order of the raw scores.
    """
    if logits:
        return np.asarray(1 / (1 + np.exp(-np.clip(raw, -60, 60))), dtype=np.float32)
    return np.asarray(np.clip(raw, 0, 1), dtype=np.float32)


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
        threshold: rows that score lower, by more than `ROUNDING`, are not eligible.

    Returns:
        Slots, best first; equal scores in the order of the slots.
    """
    slots = np.flatnonzero(eligible & (scores >= np.float32(threshold - ROUNDING)))
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
