"""Cuts a text down to a budget: the best sentences that fit, in their own order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memory.sentences import sentences

Floats = npt.NDArray[np.float32]
Span = tuple[int, int]

# Without a query the middle of a text is said again and again: what has been taken already counts this much against it.
REDUNDANCY = 0.5


def units(text: str, most: int) -> list[Span]:
    """Cut a text into the pieces that are kept or dropped whole.

    Args:
        text: any text.
        most: pieces at most; beyond it neighbouring sentences are joined.

    Returns:
        Spans in order, not overlapping, none blank.
    """
    spans = sentences(text)
    if len(spans) <= most:
        return spans
    size = -(-len(spans) // most)
    return [(spans[at][0], spans[min(at + size, len(spans)) - 1][1]) for at in range(0, len(spans), size)]


def select(
    scores: Floats, costs: Sequence[int], budget: int, *, vectors: Floats | None = None, redundancy: float = 0.0
) -> list[int]:
    """Pick pieces, the best first, while they fit.

    Args:
        scores: float32 (n,).
        costs: tokens of each piece.
        budget: tokens in all, 0 or more.
        vectors: float32 (n, dimension), to tell what says the same; None: nothing does.
        redundancy: what is taken off a score for the largest cosine with a piece picked before, 0..1.

    Returns:
        Their numbers in source order; together never over the budget.
    """
    worth = scores.astype(np.float64)
    nearest = np.zeros(len(scores))
    left, picked = budget, []
    open_ = np.array([cost <= budget for cost in costs], dtype=np.bool_)
    while open_.any():
        values = np.where(open_, worth - redundancy * nearest, -np.inf)
        best = int(np.argmax(values))
        open_[best] = False
        left -= costs[best]
        picked.append(best)
        open_ &= np.array(costs) <= left
        if vectors is not None and redundancy:
            nearest = np.maximum(nearest, vectors @ vectors[best])
    return sorted(picked)


def join(text: str, spans: Sequence[Span], picked: Sequence[int]) -> str:
    """Put pieces together: what stood side by side stays as it was, a gap becomes a space or a line break.

    Args:
        text: the source.
        spans: all pieces.
        picked: numbers of the kept ones, ascending.
    """
    parts: list[str] = []
    for before, number in zip([None, *picked], picked, strict=False):
        start, end = spans[number]
        if before is not None:
            gap = text[spans[before][1] : start]
            parts.append(gap if number == before + 1 else ("\n" if "\n" in gap else " "))
        parts.append(text[start:end])
    return "".join(parts)
