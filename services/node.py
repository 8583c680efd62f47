"""What a node's use cases are handed: its models and the way back to the host."""

from __future__ import annotations

from dataclasses import dataclass

from inference.wire import ModelServer
from memory.ports import Queue, Replies
from memory.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Node:
    """One node's adapters, chosen in `services/wiring_node.py`; holds no data."""

    settings: Settings
    embedder: ModelServer
    reranker: ModelServer
    queue: Queue
    replies: Replies
