"""What a node does with a message: call its own model, and send back what came of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inference.chat import check_chat
from inference.fitting import embed_whole
from memory.errors import BrokerDown, MemlaneError, ModelError, ModelTimeout, ModelUnavailable
from memory.ports import Vectors
from memory.token_estimate import estimate_tokens
from memory.vectors import encode_vectors
from services.node import Node
from services.served_model import NodeAtFault, ServedModel

log = logging.getLogger(__name__)

# A finished model call is worth some patience: a broker that was killed is back within seconds.
RESULT_PATIENCE_SECONDS = 20.0
RESULT_RETRY_SECONDS = 0.5
# How much goes to a server that somebody may be about to wait for: two chunks of prose, or four short texts, are under
# half a second of one slow core. Source: design section 4.
MICRO_BATCH_TEXTS = 4
MICRO_BATCH_TOKENS = 600.0


def check_models(node: Node) -> str | None:
    """Have each server of the node do its task once: the check at the start of whoever uses it.

    Returns:
        What is wrong with one of them, a sentence; None when all are what they are there for.

    Raises:
        ModelUnavailable: one is not there yet, so that nothing is known of it.
        ModelTimeout: one did not answer in time.
    """
    checks: list[tuple[ServedModel, Callable[[], object]]] = [
        (node.embedder, lambda: node.embedder.server.check_kind("embedding")),
        (node.reranker, lambda: node.reranker.server.check_kind("rerank")),
        (node.llm, lambda: check_chat(node.llm.server)),
    ]
    absent: ModelError | None = None
    for model, check in checks:
        try:
            if model.server.url:
                check()
        except (ModelUnavailable, ModelTimeout) as error:
            absent = error
        except ModelError as error:
            return error.message
    if absent is not None:
        raise absent
    return None


def embed_item(node: Node, tenant: str, item: int, attempt: int, texts: Sequence[str]) -> None:
    """Embed a work item's texts and report to the ledger.

    The result says which node took how many milliseconds, and has one of three statuses: `done` with `vectors`;
    `failed` with a `reason`, when the node's model is well and these texts are at fault; `unavailable` with a `reason`,
    when the model fails, which is not the item's fault.

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
    report(node, tenant, item, attempt, _embed(node, texts), began=began)


def report(node: Node, tenant: str, item: int, attempt: int, outcome: Mapping[str, Any], *, began: float) -> None:
    """Tell the ledger what came of a work item.

    Args:
        node: this node.
        tenant: of the item.
        item: its id.
        attempt: of this sending.
        outcome: `status` and what goes with it.
        began: when the work began, monotonic seconds.

    Raises:
        BrokerDown: it could not be sent for some time; the sweeper will have the item done again.
    """
    result = {**outcome, "node": node.name, "ms": round((time.monotonic() - began) * 1000)}
    message = {"tenant": tenant, "item": item, "attempt": attempt, "result": result}
    until = time.monotonic() + RESULT_PATIENCE_SECONDS
    while True:
        try:
            return node.queue.send("item.done", message, queue="reconcile")
        except BrokerDown:
            if time.monotonic() > until:
                raise
            time.sleep(RESULT_RETRY_SECONDS)


def micro_batch(texts: Sequence[str]) -> int:
    """Return how many of the first texts make a micro-batch; at least one.

    Args:
        texts: what is still to be embedded.
    """
    tokens = 0.0
    for count, text in enumerate(texts[:MICRO_BATCH_TEXTS]):
        tokens += estimate_tokens(text)
        if count and tokens > MICRO_BATCH_TOKENS:
            return count
    return min(len(texts), MICRO_BATCH_TEXTS)


def _embed(node: Node, texts: Sequence[str]) -> Mapping[str, Any]:
    try:
        return {"status": "done", "vectors": encode_vectors(_vectors(node, texts))}
    except NodeAtFault as fault:
        log.warning("an item waits: %s", fault.message)
        return {"status": "unavailable", "reason": f"{node.name}: {fault.message}"}
    except MemlaneError as error:
        return {"status": "failed", "reason": error.message}


def _vectors(node: Node, texts: Sequence[str]) -> Vectors:
    """Embed in as few calls as the node's interactive work allows: one, when nobody else uses the server."""
    model = node.embedder
    left = list(texts)
    done: list[Vectors] = [np.zeros((0, node.settings.embed_dimension), dtype=np.float32)]
    while left:
        size = len(left)
        if model.gate.is_shared():
            size = micro_batch(left)
            model.gate.give_way()
        batch, left = left[:size], left[size:]
        done.append(model.call(lambda batch=batch: embed_whole(model.server, batch)))  # type: ignore[misc]
    return np.concatenate(done)
