"""What is known of the reranker of this process: how often it failed quietly, how fast it is, what its scores are."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Literal

import numpy as np
import numpy.typing as npt

from memory.retrieval import are_logits

Outcome = Literal["done", "skipped", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("done", "skipped", "failed")

# The share of the last reranking in the pace: a slow one halves what is sent next, and a few good ones make up for it.
NEWEST = 0.5


class RerankRecord:
    """Counts the searches that wanted a reranking, and learns what the reranker is like. Thread safe."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._lock = threading.Lock()
        self._counts: Counter[Outcome] = Counter()
        self._pace: float | None = None  # seconds a character
        self._logits = False  # whether one of its scores was a logit

    def add(self, outcome: Outcome) -> None:
        """Count a search that got one, did not need it, or did not get all of it."""
        with self._lock:
            self._counts[outcome] += 1

    def counts(self) -> dict[str, int]:
        """Return the counts since the process began, by outcome."""
        with self._lock:
            return {outcome: self._counts[outcome] for outcome in OUTCOMES}

    def took(self, characters: int, seconds: float) -> None:
        """Learn from a reranking, also from one that was given up.

        Args:
            characters: that were sent, 1 or more.
            seconds: until the answer.
        """
        pace = seconds / characters
        with self._lock:
            self._pace = pace if self._pace is None else NEWEST * pace + (1 - NEWEST) * self._pace

    def affordable(self, seconds: float) -> float:
        """Return how many characters may be read in so many seconds, by the last rerankings; infinite before any."""
        with self._lock:
            return float("inf") if not self._pace else seconds / self._pace

    def gives_logits(self, raw: npt.NDArray[np.float32]) -> bool:
        """Learn from raw scores, and tell whether the reranker gives logits: it does once one of its scores was one.

        Args:
            raw: float32 (m,), finite: its newest scores.
        """
        with self._lock:
            self._logits = self._logits or are_logits(raw)
            return self._logits
