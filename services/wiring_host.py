"""Composition root of the truth plane: the API, the host worker and the reconcile worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from inference.tokens import count_tokens
from memory.fleet import FleetNode
from memory.ports import BrokerFacts, BrokerTraces, FleetPort, FleetSight, LookAtFleet, Queue, Replies, Scratchpads
from memory.settings import Settings
from services import handlers, inventory
from services.clock import system_clock
from services.direct_models import DirectModels
from services.host import Host, NoFleet, NoScratchpads, NoTraces, no_facts
from services.identifiers import TimeSortedIds
from services.interactive import RedisInteractive
from services.keys import DEFAULT_TENANT
from services.query_vectors import CachedVectors
from services.uses import Uses
from store import native
from store.connection import Store
from store.segments import SegmentCache
from store.vector_scan import Scanning

if TYPE_CHECKING:
    from services.oidc import Issuer


def build(
    settings: Settings,
    *,
    queue: Queue,
    replies: Replies,
    facts: Callable[[], BrokerFacts] = no_facts,
    fleet: FleetPort | None = None,
    sight: LookAtFleet | None = None,
    traces: BrokerTraces | None = None,
    scratchpads: Scratchpads | None = None,
    resident_search: bool = True,
) -> Host:
    """Make the adapters of a process of the truth plane.

    Args:
        settings: of this process.
        queue: carries work to the nodes and results back.
        replies: carries answers that somebody waits for.
        facts: reads what the broker knows.
        fleet: tells the nodes and hears from their agents; None in a process that needs neither.
        sight: sees which workers take work; None in a process that need not know.
        traces: takes what was erased out of the broker; None in a process that does not.
        scratchpads: keeps the notes of sessions for a while; None in a process that does not.
        resident_search: whether this process keeps the search arrays in memory (the API does).

    Returns:
        The host. The store's files exist afterwards; no connection to broker or models is made yet.

    Raises:
        InvalidInput: the inventory cannot be read.
    """
    seconds = settings.interactive_timeout / settings.time_factor
    nodes = inventory.read(settings)
    look = sight or _unseen(nodes)
    models = RedisInteractive(
        queue=queue,
        replies=replies,
        direct=DirectModels(settings, look),
        look=look,
        dimension=settings.embed_dimension,
        seconds=seconds,
        question_seconds=settings.question_seconds,
    )
    # Each thread may write: how many do at a time is told in `api/limits.py`, and here they would be refused too soon.
    store = Store(Path(settings.data_dir), clock=system_clock, writers=settings.threads + settings.streams)
    store.ensure_tenant(DEFAULT_TENANT)
    return Host(
        settings=settings,
        store=store,
        queue=queue,
        models=CachedVectors(models, model=settings.embed_model, size=settings.query_cache),
        clock=system_clock,
        new_id=TimeSortedIds(system_clock),
        count_tokens=count_tokens,
        facts=facts,
        nodes=nodes,
        sight=look,
        fleet=fleet or NoFleet(),
        traces=traces or NoTraces(),
        scratchpads=scratchpads or NoScratchpads(),
        issuer=_issuer(settings),
        uses=Uses(store),
        search=_resident(settings, store) if resident_search else None,
        **handlers.OF_HOST,
    )


def _issuer(settings: Settings) -> Issuer | None:
    if not settings.oidc_issuer:
        return None
    # Loaded here so that a server without an issuer does not carry what checks signatures.
    from services import oidc

    return oidc.configured(settings, system_clock)


def _resident(settings: Settings, store: Store) -> SegmentCache:
    scanning = Scanning(
        exact_rows=settings.search_exact_rows, kernel=native.kernel() if settings.search_native else None
    )
    return SegmentCache(store, memory_bytes=settings.search_memory_bytes, scanning=scanning)


def _unseen(nodes: tuple[FleetNode, ...]) -> LookAtFleet:
    """Return a view of a process that has no way to look: it knows the inventory and nothing else."""

    def look(*, fresh: bool = False) -> FleetSight:
        return FleetSight(at=system_clock(), nodes=nodes)

    return look
