"""Keeps the vectors of recent queries: a question asked again costs no model call."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from memory.ports import Embedded, InteractiveModels, Reranked, Vectors


class CachedVectors:
    """The port `InteractiveModels` with the least recently used query vectors kept in memory. Thread safe.

    A query is embedded alone. Calls with several texts are the sentences of a text, which are not asked for again, and
    go straight through.
    """

    def __init__(self, models: InteractiveModels, *, model: str, size: int) -> None:
        """Stand in front of the models.

        Args:
            models: asked for what is not kept.
            model: name of the embedding model; a vector of another is never taken for its own.
            size: vectors kept; 0 keeps none.
        """
        self._models = models
        self._model = model
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed texts; a single one is remembered.

        Args:
            texts: a few short texts.

        Returns:
            Vectors in the order of the texts; `degraded` as the models said, None when the vector was kept.

        Raises:
            ModelUnavailable: no node could be reached, directly either.
            ModelTimeout: no answer before the deadline.
            ModelRefused: the model answered with an error.
        """
        kept = self._find(texts)
        return self._keep(texts, self._models.embed(texts)) if kept is None else Embedded(vectors=kept)

    def start_embedding(self, texts: Sequence[str]) -> Callable[[], Embedded]:
        """Ask the models unless the vector is kept; see `embed`.

        Args:
            texts: a few short texts.

        Returns:
            Waits for the vectors.
        """
        kept = self._find(texts)
        if kept is not None:
            return partial(Embedded, vectors=kept)
        answer = self._models.start_embedding(texts)
        return lambda: self._keep(texts, answer())

    def _find(self, texts: Sequence[str]) -> Vectors | None:
        if len(texts) != 1:
            return None
        key = (self._model, texts[0])
        with self._lock:
            vectors = self._kept.get(key)
            if vectors is not None:
                self._kept.move_to_end(key)
        return vectors

    def _keep(self, texts: Sequence[str], embedded: Embedded) -> Embedded:
        if embedded.cut or len(texts) != 1:
            # What was cut has to be said again when it is asked again.
            return embedded
        with self._lock:
            self._kept[self._model, texts[0]] = embedded.vectors
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return embedded

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None) -> Reranked:
        """Score passages against a query; never kept."""
        return self._models.rerank(query, passages, idf)
