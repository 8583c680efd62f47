"""Interactive models made of words, for tests and for machines without a model: near means common words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from inference.fake_words import word_overlaps, word_vectors
from memory.errors import ModelUnavailable
from memory.ports import Embedded, Reranked


@dataclass(kw_only=True)
class WordModels:
    """The port `InteractiveModels`, with the faults that the real ones have."""

    dimension: int = 384
    embedder_down: bool = False
    reranker_down: bool = False
    scores: npt.NDArray[np.float32] | None = None  # what the reranker answers instead of its own scores
    asked: list[str] = field(default_factory=list)  # every text embedded
    weights: list[Mapping[str, float] | None] = field(default_factory=list)  # of every rerank call

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed texts as bags of words.

        Raises:
            ModelUnavailable: the fake embedder is down.
        """
        if self.embedder_down:
            raise ModelUnavailable()
        self.asked += texts
        vectors = word_vectors(texts, self.dimension) if texts else np.empty((0, self.dimension), dtype=np.float32)
        return Embedded(vectors=vectors)

    def start_embedding(self, texts: Sequence[str]) -> Callable[[], Embedded]:
        """Return the function that embeds."""
        return lambda: self.embed(texts)

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None) -> Reranked:
        """Score passages by the share of the query's words in them, unless told what to answer."""
        self.weights.append(idf)
        if self.reranker_down:
            return Reranked(scores=None, degraded="The results were not reranked: no model server could be reached.")
        return Reranked(scores=word_overlaps(query, passages) if self.scores is None else self.scores)
