"""What every use case on the truth plane is handed: the store, the queue, the models, the clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memory import inventory
from memory.errors import BrokerDown
from memory.fleet import FleetNode, NodeReport
from memory.ports import (
    BrokerFacts,
    BrokerTraces,
    Clock,
    CountTokens,
    FleetPort,
    FleetSight,
    Held,
    InteractiveModels,
    LookAtFleet,
    NewId,
    Queue,
    Scratchpads,
)
from memory.records import Job, Scope, WorkItem
from memory.scratchpad import Note, Scratchpad
from memory.settings import Settings
from services.rerank_record import RerankRecord
from services.uses import Uses
from store.connection import Store, Writer
from store.nearest import NearMemories
from store.segments import SegmentCache

if TYPE_CHECKING:
    from services.oidc import Issuer

# Runs in the transaction that accepts an item's result; returns nothing, raises to refuse the result.
Completion = Callable[["Host", Writer, WorkItem, Mapping[str, Any]], None]
# Runs in the transaction that brings a tally to 0.
Continuation = Callable[["Host", Writer, Job, Mapping[str, Any]], None]
# Makes the message of a work item from its ids, outside any transaction.
Message = Callable[["Host", WorkItem], Mapping[str, Any]]


def no_facts() -> BrokerFacts:
    """Know nothing of the broker: for a process that has no connection to it.

    Raises:
        BrokerDown: always.
    """
    raise BrokerDown


def nothing_seen(*, fresh: bool = False) -> FleetSight:
    """Know nothing of the workers: for a process that has no connection to the broker."""
    return FleetSight(at=0, nodes=inventory.LOCAL)


class NoFleet:
    """Reaches no node: for a process that has no connection to the broker."""

    def publish(self, key: str, text: str) -> None:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown

    def published(self, key: str) -> str | None:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown

    def hold(self, key: str, holder: str, seconds: float) -> str:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown

    def reports(self) -> Mapping[str, NodeReport]:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown


class NoTraces:
    """Reaches no broker: for a process that has no connection to it."""

    def drop(self, gone: Callable[[Held], bool]) -> int:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown

    def rewrite(self) -> str | None:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown


class NoScratchpads:
    """Keeps no scratchpad: for a process that has no connection to the broker."""

    def read(self, scope: Scope) -> Scratchpad:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown

    def write(
        self, scope: Scope, change: Callable[[Sequence[Note]], Sequence[Note]], *, keep_seconds: float, most: int
    ) -> Scratchpad:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown

    def clear(self, tenant: str) -> int:
        """Refuse.

        Raises:
            BrokerDown: always.
        """
        raise BrokerDown


@dataclass(frozen=True, kw_only=True)
class Host:
    """The truth plane's adapters, chosen in `services/wiring_host.py`."""

    settings: Settings
    store: Store
    queue: Queue
    models: InteractiveModels
    clock: Clock
    new_id: NewId
    count_tokens: CountTokens
    facts: Callable[[], BrokerFacts] = no_facts  # what the broker knows now; raises BrokerDown
    nodes: tuple[FleetNode, ...] = inventory.LOCAL  # the inventory
    fleet: FleetPort = field(default_factory=NoFleet)  # tells the nodes and hears from their agents
    traces: BrokerTraces = field(default_factory=NoTraces)  # takes what was erased out of the broker
    scratchpads: Scratchpads = field(default_factory=NoScratchpads)  # keeps the notes of sessions for a while
    erased_texts: dict[str, set[str]] = field(default_factory=dict)  # by erasure, until its files are compared
    sight: LookAtFleet = nothing_seen  # sees which workers take work
    completions: Mapping[str, Completion] = field(default_factory=dict)  # by task name
    continuations: Mapping[str, Continuation] = field(default_factory=dict)  # by tally name
    messages: Mapping[str, Message] = field(default_factory=dict)  # by task name
    begun: dict[str, int] = field(default_factory=dict)  # by tenant: the writer's token at the last look
    segmented: dict[str, int] = field(default_factory=dict)  # by tenant: the writer's token when no row was left to cut
    near: NearMemories = field(default_factory=NearMemories)  # of the writer: finds memories by likeness
    reranks: RerankRecord = field(default_factory=RerankRecord)  # what became of them in this process
    issuer: Issuer | None = None  # signs people in; None: nobody is
    uses: Uses | None = None  # keeps when keys were last used; None: nobody does
    search: SegmentCache | None = None  # resident search arrays, in the processes that answer searches

    @property
    def has_llm(self) -> bool:
        """Whether a language model judges and extracts; one that is down is waited for, not done without."""
        return bool(self.settings.llm_url) or any(node.llm_port is not None for node in self.nodes)
