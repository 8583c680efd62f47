"""Tasks of a node: model calls. These processes hold no data and never import the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from celery import Celery

from memory.records import Micros
from services import node_answers, node_chat, node_work
from services.node import Node
from services.node_answers import Asked
from services.node_chat import Question, Sending
from workers.app import task
from workers.in_flight import InFlight


def register(app: Celery, node: Node, in_flight: InFlight) -> None:
    """Give the app the tasks that a node runs.

    Args:
        app: the process's app.
        node: its models and its way back.
        in_flight: where work items and calls are counted.
    """

    @task(app, "embed.texts")
    def embed_texts(
        *,
        texts: Sequence[str],
        reply: str | None = None,
        deadline: Micros = 0,
        tenant: str = "",
        item: int = 0,
        attempt: int = 0,
        **passed: Any,
    ) -> None:
        if reply is not None:
            with in_flight.answering():
                return node_answers.answer_embed(node, Asked(reply=reply, deadline=deadline, **passed), texts)
        with in_flight.holding(tenant, item, attempt):
            node_work.embed_item(node, tenant, item, attempt, texts)

    @task(app, "rerank.pairs")
    def rerank_pairs(
        *,
        reply: str,
        deadline: Micros,
        query: str,
        passages: Sequence[str],
        idf: Mapping[str, float] | None = None,
        **passed: Any,
    ) -> None:
        with in_flight.answering():
            node_answers.answer_rerank(node, Asked(reply=reply, deadline=deadline, **passed), query, passages, idf)

    @task(app, "judge.options")
    def judge_options(
        *, tenant: str, item: int, attempt: int, questions: Sequence[Mapping[str, Any]], passes: int = 0
    ) -> None:
        sending = Sending(tenant=tenant, item=item, attempt=attempt)
        if not node_chat.can_ask(node):
            return node_chat.pass_on(node, sending, "judge.options", {"questions": questions}, passes=passes)
        with in_flight.holding(tenant, item, attempt):
            node_chat.judge_item(node, sending, [Question(**question) for question in questions])

    @task(app, "extract.group")
    def extract_group(
        *, tenant: str, item: int, attempt: int, messages: Sequence[Mapping[str, str]], passes: int = 0, **asked: Any
    ) -> None:
        sending = Sending(tenant=tenant, item=item, attempt=attempt)
        if not node_chat.can_ask(node):
            told = {"messages": messages, **asked}
            return node_chat.pass_on(node, sending, "extract.group", told, passes=passes)
        with in_flight.holding(tenant, item, attempt):
            node_chat.extract_item(node, sending, messages, **asked)
