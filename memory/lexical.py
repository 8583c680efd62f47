"""How well the words of a query are met by rows: BM25, scaled so that 1 means every word is met.

Statistics come in with the postings of one space, over the rows a caller may see: they never mix spaces, and a word's
weight does not depend on what a filter leaves over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# BM25's constants. Memories are short and a word is rarely said twice by chance: the customary 1.2 and 0.75 found 0.7
# points less of the evidence in the top 15 of a conversation benchmark, 1.7 in the top 10.
SATURATION = 0.9
LENGTH_WEIGHT = 0.4


@dataclass(frozen=True, slots=True)
class Posting:
    """Where one term stands."""

    slots: Integers  # int32 (m,), each once; ascending where there are no strengths
    counts: npt.NDArray[np.uint16]  # (m,), how often, 1 or more
    strengths: Floats | None = None  # float32 (m,), 0..1, how nearly a row says it; None: every one says it itself


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the full-text arm found."""

    coverage: Floats  # float32 (n,), 0..1: the weight of the query's words that a row meets
    weights: Mapping[str, float]  # idf of each query term; empty when the query has no words
    said: tuple[tuple[Integers, Floats, float], ...] = ()  # by term: slots that say it, shares they meet, whole share


def score_terms(postings: Mapping[str, Posting], visible: Mask, lengths: Floats) -> Lexical:
    """Score every row by the query's terms.

    A term's weight is its idf over the visible rows, ln(1 + (N - df + 0.5) / (df + 0.5)). A row gets the weight times
    the saturated count, which is 1 for a term said once in a row of average length, and the sum is divided by the
    weight of all terms and cut at 1. A term that no row has still counts against the coverage. A row that says only
    something akin gets that times its strength, and counts as so much of a row in df.

    Args:
        postings: of each query term, in the order of the query; empty arrays for unknown ones.
        visible: bool (n,), the rows that count for the statistics.
        lengths: float32 (n,), terms of each row divided by the average of its kind.

    Returns:
        Coverage of all n rows (only those of visible rows mean something) and the weight of each term.
    """
    total = int(np.count_nonzero(visible))
    weights: dict[str, float] = {}
    scores = np.zeros(len(visible), dtype=np.float32)
    said: list[tuple[Integers, Floats]] = []
    for term, posting in postings.items():
        slots, counts, strengths = _seen(posting, visible)
        frequency = float(len(slots) if strengths is None else strengths.sum(dtype=np.float64))
        weights[term] = float(np.log1p((total - frequency + 0.5) / (frequency + 0.5)))
        damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * lengths.take(slots))
        weight = np.float32(weights[term]) if strengths is None else np.float32(weights[term]) * strengths
        met = np.asarray(weight * counts * (SATURATION + 1) / (counts + damping), dtype=np.float32)
        said.append((slots, met))
        scores[slots] += met
    whole = np.float32(sum(weights.values()) or 1.0)
    scores /= whole
    np.minimum(scores, np.float32(1.0), out=scores)
    shares = (weight / float(whole) for weight in weights.values())
    met_by_term = tuple((slots, met / whole, share) for (slots, met), share in zip(said, shares, strict=True))
    return Lexical(coverage=scores, weights=weights, said=met_by_term)


def _seen(posting: Posting, visible: Mask) -> tuple[Integers, Floats, Floats | None]:
    """Return slots, counts and strengths of the visible rows of a posting."""
    slots, counts, strengths = posting.slots, posting.counts.astype(np.float32), posting.strengths
    found = visible.take(slots)
    if found.all():
        return slots, counts, strengths
    return slots[found], counts[found], None if strengths is None else strengths[found]


def relative_lengths(lengths: Integers, kinds: npt.NDArray[np.int8], visible: Mask) -> Floats:
    """Divide the number of terms of each row by the average of the visible rows of its kind.

    Args:
        lengths: int32 (n,), terms of each row.
        kinds: int8 (n,), 0 for memories and 1 for chunks.
        visible: bool (n,).

    Returns:
        float32 (n,); 1 where there is no average.
    """
    relative = np.ones(len(lengths), dtype=np.float32)
    for kind in (0, 1):
        rows = kinds == kind
        counted = lengths[rows & visible]
        if len(counted) and counted.any():
            relative[rows] = lengths[rows] / np.float32(counted.mean())
    return relative
