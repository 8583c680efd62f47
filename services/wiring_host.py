"""Composition root of the truth plane: the API, the host worker and the reconcile worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inference.tokens import count_tokens
from inference.wire import ModelServer
from memory.ports import BrokerFacts, Queue, Replies
from memory.settings import Settings
from services import ingest, revisions
from services.clock import system_clock
from services.host import Host, no_facts
from services.identifiers import TimeSortedIds
from services.interactive import RedisInteractive
from services.keys import DEFAULT_TENANT
from services.query_vectors import CachedVectors
from store.connection import Store
from store.segments import SegmentCache


def build(
    settings: Settings,
    *,
    queue: Queue,
    replies: Replies,
    facts: Callable[[], BrokerFacts] = no_facts,
    resident_search: bool = True,
) -> Host:
    """Make the adapters of a process of the truth plane.

    Args:
        settings: of this process.
        queue: carries work to the nodes and results back.
        replies: carries answers that somebody waits for.
        facts: reads what the broker knows.
        resident_search: whether this process keeps the search arrays in memory (the API does).

    Returns:
        The host. The store's files exist afterwards; no connection to broker or models is made yet.
    """
    seconds = settings.interactive_timeout / settings.time_factor
    models = RedisInteractive(
        queue=queue,
        replies=replies,
        embedder=ModelServer(
            settings.embed_url, settings.node_key, timeout=seconds, dimension=settings.embed_dimension
        ),
        reranker=ModelServer(settings.rerank_url, settings.node_key, timeout=seconds),
        dimension=settings.embed_dimension,
        seconds=seconds,
    )
    store = Store(Path(settings.data_dir), clock=system_clock, writers=max(1, settings.threads // 2))
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
        search=SegmentCache(store, memory_bytes=settings.search_memory_bytes) if resident_search else None,
        completions=ingest.COMPLETIONS,
        continuations={**ingest.CONTINUATIONS, **revisions.CONTINUATIONS},
        messages=ingest.MESSAGES,
    )
