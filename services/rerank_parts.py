"""Cuts a reranking into parts for several nodes, and puts their answers together again. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

# Fewer passages are not worth another message and another node: a short one takes some 4 ms of one core.
LEAST_PASSAGES = 8
# What a server without a reranking head answers; two different texts never score the same by a model that has one.
SAME_SCORE = "The reranker gives every passage the same score."


def part_positions(count: int, workers: int) -> list[list[int]]:
    """Deal passages to parts, in turn: long passages rarely come one by one, so the parts are of like size.

    Args:
        count: passages, at least one.
        workers: that may take a part.

    Returns:
        Positions of each part's passages; every position once.
    """
    parts = max(1, min(workers, count // LEAST_PASSAGES))
    return [list(range(start, count, parts)) for start in range(parts)]


def all_equal(scores: Floats, passages: Sequence[str]) -> bool:
    """Return whether different passages all have one score.

    Args:
        scores: float32 (n,), finite.
        passages: the texts, n.
    """
    return len(set(passages)) > 1 and not np.ptp(scores)


def joined(count: int, parts: Sequence[Sequence[int]], answers: Mapping[int, Floats]) -> tuple[Floats, frozenset[int]]:
    """Put the scores of the parts into the order of the passages.

    Args:
        count: passages.
        parts: positions of each part's passages.
        answers: scores by part; an answer of the wrong length counts as none.

    Returns:
        float32 (count,), NaN where there is no score; and the positions without one.
    """
    scores = np.full(count, np.nan, dtype=np.float32)
    for number, positions in enumerate(parts):
        found = answers.get(number)
        if found is not None and len(found) == len(positions):
            scores[list(positions)] = found
    return scores, frozenset(int(position) for position in np.flatnonzero(~np.isfinite(scores)))
