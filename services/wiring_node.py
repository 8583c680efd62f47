"""Composition root of a node: which servers its workers call. Never imports the store."""

from __future__ import annotations

from inference.wire import ModelServer
from memory.ports import Queue, Replies
from memory.settings import Settings
from services.node import Node


def build(settings: Settings, *, queue: Queue, replies: Replies, lane: str) -> Node:
    """Make the adapters of a worker process.

    Args:
        settings: of this process; `embed_url` and `rerank_url` are this node's own servers.
        queue: carries results to the host.
        replies: carries answers to whoever waits.
        lane: interactive or background, which decides how long a model call may take.

    Returns:
        The node. No connection is made yet.
    """
    timeout = settings.interactive_timeout if lane == "interactive" else settings.background_timeout
    return Node(
        settings=settings,
        embedder=ModelServer(
            settings.embed_url, settings.node_key, timeout=timeout, dimension=settings.embed_dimension
        ),
        reranker=ModelServer(settings.rerank_url, settings.node_key, timeout=timeout),
        queue=queue,
        replies=replies,
    )
