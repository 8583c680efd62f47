"""Keeps the vectors of recent queries: a question asked again costs no model call."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np

from memory.ports import Embedded, InteractiveModels, Reranked, Vectors


class CachedVectors:
    """The port `InteractiveModels` with the least recently used query vectors kept in memory. Thread safe."""

    def __init__(self, models: InteractiveModels, *, model: str, size: int) -> None:
        """Stand in front of the models.

        Args:
            models: asked for what is not kept.
            model: name of the embedding model; vectors of another are never mixed with its own.
            size: vectors kept; 0 keeps none.
        """
        self._models = models
        self._model = model
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed texts, those that are not kept in one call.

        Args:
            texts: a few short texts.

        Returns:
            Vectors in the order of the texts; `degraded` as the models said, None when all were kept.

        Raises:
            ModelUnavailable: no node could be reached, directly either.
            ModelTimeout: no answer before the deadline.
            ModelRefused: the model answered with an error.
        """
        known = self._recall(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        degraded = None
        if missing or not texts:
            embedded = self._models.embed(missing)
            degraded = embedded.degraded
            known |= dict(zip(missing, embedded.vectors, strict=True))
            self._keep({text: known[text] for text in missing})
        if not texts:
            return embedded
        return Embedded(vectors=np.stack([known[text] for text in texts]), degraded=degraded)

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None) -> Reranked:
        """Score passages against a query; never kept."""
        return self._models.rerank(query, passages, idf)

    def _recall(self, texts: Sequence[str]) -> dict[str, Vectors]:
        known = {}
        with self._lock:
            for text in texts:
                if (self._model, text) in self._kept:
                    self._kept.move_to_end((self._model, text))
                    known[text] = self._kept[self._model, text]
        return known

    def _keep(self, vectors: Mapping[str, Vectors]) -> None:
        with self._lock:
            for text, vector in vectors.items():
                self._kept[self._model, text] = vector
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
