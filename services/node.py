"""What a node's use cases are handed: its models and the way back to the host."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from threading import Lock

from memory.fleet import Role
from memory.ports import Queue, Replies
from memory.settings import Settings
from services.breaker import Health
from services.served_model import ServedModel

# Names the other nodes, without those that were tried, that take interactive work which needs a role.
Peers = Callable[[Role, Collection[str]], frozenset[str]]


def no_peers(role: Role, tried: Collection[str]) -> frozenset[str]:
    """Know no other node."""
    return frozenset()


class BadAnswers:
    """How often the node's language model answered something that was not asked for. Thread safe."""

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0
        self._lock = Lock()

    def add(self) -> None:
        """Count one."""
        with self._lock:
            self.count += 1


@dataclass(frozen=True, kw_only=True)
class Node:
    """One node's adapters, chosen in `services/wiring_node.py`; holds no data."""

    settings: Settings
    embedder: ServedModel
    reranker: ServedModel
    llm: ServedModel  # without a URL on a node that has none
    queue: Queue
    replies: Replies
    peers: Peers = no_peers
    bad_answers: BadAnswers = field(default_factory=BadAnswers)

    @property
    def name(self) -> str:
        """The node's name."""
        return self.settings.node

    @property
    def health(self) -> Health:
        """What the breakers of its servers say."""
        return Health({"embed": self.embedder.breaker, "rerank": self.reranker.breaker, "llm": self.llm.breaker})

    def serve(self, on: bool) -> None:
        """Say at the gates whether this process takes interactive work."""
        self.embedder.gate.serve(on)
        self.reranker.gate.serve(on)
