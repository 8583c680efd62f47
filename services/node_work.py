"""What a node does with a message: call its own model, and send back what came of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory.errors import BrokerDown, MemlaneError, ModelError, ModelTimeout, ModelUnavailable
from memory.records import Micros
from memory.vectors import encode_vectors
from services.node import Node

log = logging.getLogger(__name__)

# An answer that nobody has taken after this is thrown away.
ANSWER_SECONDS = 5.0
# A finished model call is worth some patience: a broker that was killed is back within seconds.
RESULT_PATIENCE_SECONDS = 20.0
RESULT_RETRY_SECONDS = 0.5


def check_models(node: Node) -> str | None:
    """Have each server of the node do its task once: the check at the start of whoever uses it.

    Returns:
        What is wrong with one of them, a sentence; None when both are what they are there for.

    Raises:
        ModelUnavailable: one is not there yet, so that nothing is known of it.
        ModelTimeout: one did not answer in time.
    """
    try:
        node.embedder.check_kind("embedding")
        node.reranker.check_kind("rerank")
    except (ModelUnavailable, ModelTimeout):
        raise
    except ModelError as error:
        return error.message
    return None


def embed_item(node: Node, tenant: str, item: int, attempt: int, texts: Sequence[str]) -> None:
    """Embed a work item's texts and report to the ledger.

    The result says which node took how many milliseconds, and has one of three statuses: `done` with `vectors`;
    `failed` with a `reason`, when trying again would give the same; `unavailable` with a `reason`, when the model did
    not answer, which is not the item's fault.

    Args:
        node: this node.
        tenant: of the item.
        item: its id.
        attempt: of this sending.
        texts: what to embed.

    Raises:
        BrokerDown: the result could not be sent; the sweeper will have the item done again.
    """
    began = time.monotonic()
    result = {**_embed(node, texts), "node": node.settings.node, "ms": round((time.monotonic() - began) * 1000)}
    message = {"tenant": tenant, "item": item, "attempt": attempt, "result": result}
    until = time.monotonic() + RESULT_PATIENCE_SECONDS
    while True:
        try:
            return node.queue.send("item.done", message, queue="reconcile")
        except BrokerDown:
            if time.monotonic() > until:
                raise
            time.sleep(RESULT_RETRY_SECONDS)


def answer_embed(node: Node, reply: str, deadline: Micros, texts: Sequence[str]) -> None:
    """Embed texts for somebody who waits; not run at all when it is too late.

    Args:
        node: this node.
        reply: the list that is waited on.
        deadline: by the broker's clock.
        texts: what to embed.
    """
    _answer(node, reply, deadline, lambda: {"vectors": encode_vectors(node.embedder.embed(list(texts)))})


def answer_rerank(
    node: Node, reply: str, deadline: Micros, query: str, passages: Sequence[str], idf: Mapping[str, float] | None
) -> None:
    """Score passages for somebody who waits; not run at all when it is too late.

    Args:
        node: this node.
        reply: the list that is waited on.
        deadline: by the broker's clock.
        query: what they are scored against.
        passages: what to score.
        idf: weights of terms; None for uniform ones.
    """
    _answer(
        node,
        reply,
        deadline,
        lambda: {"scores": [float(score) for score in node.reranker.rerank(query, list(passages), idf)]},
    )


def _embed(node: Node, texts: Sequence[str]) -> dict[str, Any]:
    try:
        return {"status": "done", "vectors": encode_vectors(node.embedder.embed(list(texts)))}
    except (ModelUnavailable, ModelTimeout) as error:
        return {"status": "unavailable", "reason": error.message}
    except MemlaneError as error:
        return {"status": "failed", "reason": error.message}


def _answer(node: Node, reply: str, deadline: Micros, call: Callable[[], dict[str, Any]]) -> None:
    late = node.replies.now() - deadline
    if late > 0:
        log.info("dropped unrun: %.0f ms past its deadline", late / 1000)
        return
    try:
        answer = call()
    except MemlaneError as error:
        answer = {"error": {"code": error.code, "message": error.message}}
    node.replies.push(reply, answer, keep_seconds=ANSWER_SECONDS)
