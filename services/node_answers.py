"""What a node does with a question that somebody waits for: answer it, or pass it on to a node that can."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.fitting import Fitted, embed_beginnings, rerank_fitting
from memory.errors import BrokerDown, MemlaneError, ModelRefused
from memory.fleet import Role
from memory.records import Micros
from memory.vectors import encode_vectors
from services.node import Node
from services.rerank_parts import SAME_SCORE, all_equal
from services.served_model import NodeAtFault, ServedModel

log = logging.getLogger(__name__)

# An answer that nobody has taken after this is thrown away.
ANSWER_SECONDS = 5.0
# A question that comes back to a node that could not answer it is held this long, so that others get it first.
HOLD_SECONDS = 0.02
# Passings of one question; with more, whoever waits does better to ask the servers itself.
MOST_PASSES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with who waits for its answer, and until when."""

    reply: str  # the list that is waited on
    deadline: Micros  # by the broker's clock
    part: int = 0  # of a question that was cut into parts
    tried: tuple[str, ...] = field(default=())  # nodes that could not answer it
    passes: int = 0


def answer_embed(node: Node, asked: Asked, texts: Sequence[str]) -> None:
    """Embed texts for somebody who waits; not run at all when it is too late.

    Args:
        node: this node.
        asked: who waits.
        texts: what to embed.
    """

    def call(seconds: float) -> dict[str, Any]:
        fitted = embed_beginnings(node.embedder.server, texts, timeout=seconds)
        return {"vectors": encode_vectors(fitted.values), "cut": fitted.cut}

    _answer(node, asked, "embed", {"texts": list(texts)}, call)


def answer_rerank(
    node: Node, asked: Asked, query: str, passages: Sequence[str], idf: Mapping[str, float] | None
) -> None:
    """Score passages for somebody who waits; not run at all when it is too late.

    Args:
        node: this node.
        asked: who waits.
        query: what they are scored against.
        passages: what to score.
        idf: weights of terms; None for uniform ones.
    """

    def call(seconds: float) -> dict[str, Any]:
        fitted = rerank_fitting(node.reranker.server, query, passages, idf, timeout=seconds)
        _doubt_equal(node.reranker, fitted, passages)
        return {"scores": [float(score) for score in fitted.values], "cut": fitted.cut}

    _answer(node, asked, "rerank", {"query": query, "passages": list(passages), "idf": idf}, call)


_TASKS: Mapping[Role, str] = {"embed": "embed.texts", "rerank": "rerank.pairs"}


def _answer(
    node: Node, asked: Asked, role: Role, question: Mapping[str, Any], call: Callable[[float], dict[str, Any]]
) -> None:
    try:
        _answer_or_pass_on(node, asked, role, question, call)
    except BrokerDown:
        # Whoever asked has asked a model server directly by now.
        log.warning("an answer to %s could not be sent: the broker cannot be reached", _TASKS[role])


def _answer_or_pass_on(
    node: Node, asked: Asked, role: Role, question: Mapping[str, Any], call: Callable[[float], dict[str, Any]]
) -> None:
    left = (asked.deadline - node.replies.now()) / 1_000_000
    if left <= 0:
        log.info("dropped unrun: %.0f ms past its deadline", -left * 1000)
        return
    others = node.peers(role, asked.tried)
    if node.name in asked.tried and others and asked.passes < MOST_PASSES:
        return _pass_on(node, asked, role, question)
    model = node.embedder if role == "embed" else node.reranker
    # Another node still needs its turn when this one hangs.
    seconds = left / 2 if others else left
    try:
        with model.gate.ahead():
            answer = model.call(lambda: call(seconds), in_haste=True)
    except NodeAtFault as fault:
        if others and asked.passes < MOST_PASSES:
            _pass_on(node, asked, role, question)
        else:
            _reply(node, asked, {"error": {"code": fault.code, "message": fault.message, "node_at_fault": True}})
        if fault.doubted is not None:
            model.breaker.blames_node(fault.doubted)
        return
    except MemlaneError as error:
        answer = {"error": {"code": error.code, "message": error.message}}
    _reply(node, asked, answer)


def _pass_on(node: Node, asked: Asked, role: Role, question: Mapping[str, Any]) -> None:
    if node.name in asked.tried:
        time.sleep(HOLD_SECONDS)
    node.queue.send(
        _TASKS[role],
        {
            **question,
            "reply": asked.reply,
            "deadline": asked.deadline,
            "part": asked.part,
            "tried": sorted({*asked.tried, node.name}),
            "passes": asked.passes + 1,
        },
        queue="interactive",
    )


def _reply(node: Node, asked: Asked, answer: Mapping[str, Any]) -> None:
    answer = {**answer, "part": asked.part, "node": node.name}
    node.replies.push(asked.reply, answer, keep_seconds=ANSWER_SECONDS)


def _doubt_equal(reranker: ServedModel, fitted: Fitted, passages: Sequence[str]) -> None:
    """Ask the canary when all passages have one score, as from a server without a reranking head."""
    if not all_equal(fitted.values, passages):
        return
    doubt = ModelRefused(SAME_SCORE)
    if reranker.breaker.blames_node(doubt):
        raise NodeAtFault(doubt)
