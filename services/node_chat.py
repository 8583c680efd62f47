"""What a node does with a message for its language model: ask, ask again after a bad answer, report to the ledger."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from inference.chat import Message, choose, write
from memory.errors import BadAnswer, MemlaneError, ModelTimeout
from services.node import Node
from services.node_work import report
from services.served_model import NodeAtFault

log = logging.getLogger(__name__)

# Of one question. Temperature 0 answers alike each time, but a server under load, or restarted meanwhile, does not.
MOST_TRIES = 3
# Passings of one work item from nodes that cannot ask a language model; with more, it waits at the host.
MOST_PASSES = 12
# How long a passed item is held: first briefly, for the next node may be free, then longer, for all of them are busy.
# It grows to a second, well under the 5 s after which the host takes an item in nobody's hands for lost.
HOLD_SECONDS = 0.05
HOLD_GROWTH = 1.5
LONGEST_HOLD_SECONDS = 1.0
# A work item ends within so many of the longest calls, whatever its tries: longer, and its worker counts as stalled.
LONGEST_CALLS = 2

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to be answered by a letter."""

    id: str
    messages: Sequence[Message]
    letters: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """One sending of one work item."""

    tenant: str
    item: int
    attempt: int


def can_ask(node: Node) -> bool:
    """Return whether the node has a language model that is not known to fail."""
    return bool(node.llm.server.url) and node.llm.breaker.reason is None


def pass_on(node: Node, sending: Sending, task: str, message: Mapping[str, Any], *, passes: int) -> None:
    """Put a message back for another node; one that has come around too often waits at the host.

    Args:
        node: this node, which cannot ask a language model.
        sending: of the item.
        task: of the message.
        message: what it carries besides the sending.
        passes: how often it was put back.

    Raises:
        BrokerDown: it could not be sent; the sweeper will have the item sent again.
    """
    began = time.monotonic()
    if passes >= MOST_PASSES:
        return _report(node, sending, {"status": "unavailable", "reason": _why_not(node)}, began=began)
    hold = min(LONGEST_HOLD_SECONDS, HOLD_SECONDS * HOLD_GROWTH**passes)
    time.sleep(hold / node.settings.time_factor)
    ids = {"tenant": sending.tenant, "item": sending.item, "attempt": sending.attempt}
    node.queue.send(task, {**message, **ids, "passes": passes + 1}, queue="background")


def judge_item(node: Node, sending: Sending, questions: Sequence[Question]) -> None:
    """Answer a work item's questions by letters and report to the ledger.

    A result that is `done` has for each question its `probabilities` by letter, none when every try was a bad answer:
    then it is undecided. Otherwise as `embed_item`.

    Args:
        node: this node.
        sending: of the item.
        questions: answered one after the other.

    Raises:
        BrokerDown: the result could not be sent; the sweeper will have the item done again.
    """
    began = time.monotonic()
    asking = _Asking(node)
    outcome = _outcome(node, lambda: {"answers": [_answer(asking, question) for question in questions]})
    _report(node, sending, outcome, began=began)


def extract_item(
    node: Node, sending: Sending, messages: Sequence[Message], schema: Mapping[str, Any], max_tokens: int
) -> None:
    """Have a JSON object written for a work item and report to the ledger.

    A result that is `done` has the `text`. When even the last try was cut, empty or no object, it says so with
    `broken`, and the text is what there is of it, for whole items to be saved. Otherwise as `embed_item`.

    Args:
        node: this node.
        sending: of the item.
        messages: what the model is told.
        schema: JSON schema of what it writes.
        max_tokens: greatest length.

    Raises:
        BrokerDown: the result could not be sent; the sweeper will have the item done again.
    """
    began = time.monotonic()
    asking = _Asking(node)
    _report(node, sending, _outcome(node, lambda: _text(asking, messages, schema, max_tokens)), began=began)


class _Asking:
    """The calls of one work item: counts bad answers, and keeps to the time that all of them may take."""

    def __init__(self, node: Node) -> None:
        self.bad = 0
        self.server = node.llm.server
        self.name = node.settings.llm_model  # of the model, for the records; empty: as the server says
        self._node = node
        self._longest = node.settings.background_timeout
        self._until = time.monotonic() + LONGEST_CALLS * self._longest

    def ask(self, call: Callable[[float], Answer]) -> Answer:
        """Make a call with the seconds it may take; a bad answer is counted and raised."""
        model = self._node.llm
        left = self._until - time.monotonic()
        if left <= 0:
            raise ModelTimeout("The model server took too long for all that was asked.")
        if model.gate.is_shared():
            model.gate.give_way()
        try:
            return model.call(lambda: call(min(left, self._longest)))
        except BadAnswer:
            self.bad += 1
            self._node.bad_answers.add()
            raise


def _answer(asking: _Asking, question: Question) -> Mapping[str, Any]:
    server = asking.server
    began, bad_before = time.monotonic(), asking.bad
    answer: dict[str, Any] = {"id": question.id, "probabilities": {}, "model": ""}
    for _ in range(MOST_TRIES):
        try:
            found = asking.ask(lambda left: choose(server, question.messages, question.letters, timeout=left))
        except BadAnswer:
            continue
        answer |= {"probabilities": dict(found.probabilities), "model": asking.name or found.model}
        break
    return {**answer, "ms": round((time.monotonic() - began) * 1000), "bad": asking.bad - bad_before}


def _text(
    asking: _Asking, messages: Sequence[Message], schema: Mapping[str, Any], max_tokens: int
) -> Mapping[str, Any]:
    server = asking.server

    def call(left: float) -> Mapping[str, Any]:
        written = write(server, messages, schema=schema, max_tokens=max_tokens, timeout=left)
        if not _is_object(written.text):
            raise BadAnswer("The model's answer is no JSON object.", salvage=written.text)
        return {"text": written.text, "model": asking.name or written.model}

    outcome: Mapping[str, Any] = {}
    tries = 0
    while tries < MOST_TRIES:
        tries += 1
        before = outcome
        try:
            outcome = asking.ask(call)
        except BadAnswer as error:
            outcome = {"text": error.details.get("salvage", ""), "model": "", "broken": error.message}
        except ModelTimeout:
            if not outcome:
                raise
            break
        # The same words again, cut or not: the model will not answer otherwise however often it is asked.
        if "broken" not in outcome or outcome == before:
            break
    return {**outcome, "tries": tries, "bad": asking.bad}


def _outcome(node: Node, work: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    try:
        return {"status": "done", **work()}
    except NodeAtFault as fault:
        log.warning("an item waits: %s", fault.message)
        return {"status": "unavailable", "reason": f"{node.name}: {fault.message}"}
    except MemlaneError as error:
        return {"status": "failed", "reason": error.message}


def _report(node: Node, sending: Sending, outcome: Mapping[str, Any], *, began: float) -> None:
    report(node, sending.tenant, sending.item, sending.attempt, outcome, began=began)


def _why_not(node: Node) -> str:
    if not node.llm.server.url:
        return "No node with an LLM server took this; `memlane nodes list` says how they do."
    return f"{node.name}: {node.llm.breaker.reason or 'its LLM server is not used at the moment'}"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
