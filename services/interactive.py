"""Model calls that somebody waits for: through the queue with a deadline, or straight to a server when it is down."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from inference.wire import ModelServer
from memory.errors import BrokerDown, MemlaneError, ModelRefused, ModelTimeout, ModelUnavailable
from memory.ports import Embedded, Queue, Replies, Reranked
from memory.vectors import decode_vectors

log = logging.getLogger(__name__)

DIRECT = "The queue is down; a model server was asked directly."


class RedisInteractive:
    """The port `InteractiveModels`: a task with a deadline and a reply list."""

    def __init__(
        self,
        *,
        queue: Queue,
        replies: Replies,
        embedder: ModelServer,
        reranker: ModelServer,
        dimension: int,
        seconds: float,
    ) -> None:
        """Keep the ways to a model.

        Args:
            queue: carries the question.
            replies: carries the answer.
            embedder: asked directly when the broker is down.
            reranker: the same for reranking.
            dimension: length of a vector.
            seconds: how long a call may take in all.
        """
        self._queue = queue
        self._replies = replies
        self._embedder = embedder
        self._reranker = reranker
        self._dimension = dimension
        self._seconds = seconds

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed a few short texts.

        Args:
            texts: what to embed.

        Returns:
            Vectors, with `degraded` when the queue was passed by.

        Raises:
            ModelUnavailable: no node could be reached, directly either.
            ModelTimeout: no answer before the deadline.
            ModelRefused: the model answered with an error.
        """
        try:
            answer = self._ask("embed.texts", {"texts": list(texts)})
        except BrokerDown:
            return Embedded(vectors=self._embedder.embed(list(texts)), degraded=DIRECT)
        return Embedded(vectors=decode_vectors(answer["vectors"], self._dimension))

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None) -> Reranked:
        """Score passages against a query.

        Args:
            query: what they are scored against.
            passages: what to score.
            idf: weights of terms; None for uniform ones.

        Returns:
            Raw scores, or none and the reason why; never raises for a model or broker that does not answer.
        """
        if not passages:
            return Reranked(scores=np.zeros(0, dtype=np.float32))
        try:
            return self._rerank(query, passages, idf)
        except MemlaneError as error:
            log.warning("not reranked: %s", error.message)
            return Reranked(scores=None, degraded=f"The results were not reranked: {error.message}")

    def _rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None) -> Reranked:
        try:
            answer = self._ask("rerank.pairs", {"query": query, "passages": list(passages), "idf": idf})
        except BrokerDown:
            return Reranked(scores=self._reranker.rerank(query, list(passages), idf), degraded=DIRECT)
        return Reranked(scores=np.asarray(answer["scores"], dtype=np.float32))

    def _ask(self, task: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        reply = f"reply:{uuid4().hex}"
        deadline = self._replies.now() + round(self._seconds * 1_000_000)
        self._queue.send(task, {"reply": reply, "deadline": deadline, **question}, queue="interactive")
        try:
            answer = self._replies.wait(reply, seconds=self._seconds)
        except TimeoutError as error:
            raise ModelTimeout() from error
        if "error" in answer:
            raise _error(answer["error"])
        return answer


def _error(said: Mapping[str, str]) -> MemlaneError:
    kinds = {kind.code: kind for kind in (ModelUnavailable, ModelTimeout)}
    return kinds.get(said["code"], ModelRefused)(said["message"])
