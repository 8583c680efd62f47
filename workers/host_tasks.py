"""Tasks of the truth plane: preparing sources, accepting results, sweeping, looking after the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from celery import Celery
from celery.exceptions import Reject

from memory.errors import Busy, Fenced
from services import bucketing, expiry, ingest, lanes, ledger, maintenance, nodes, pages, reconcile
from services.contact import Contact
from services.host import Host
from services.source_slots import SourceSlots
from services.writer import WriterLease
from workers.app import task
from workers.in_flight import InFlight


def register_host(app: Celery, host: Host, in_flight: InFlight) -> None:
    """Give the app the tasks of the queues `host` and `sources`.

    Args:
        app: the process's app.
        host: the truth plane's adapters.
        in_flight: where work items are counted.
    """
    slots = SourceSlots(host.settings.source_slots)

    @task(app, "document.prepare")
    def document_prepare(*, tenant: str, item: int, attempt: int) -> None:
        with in_flight.holding(tenant, item, attempt):
            ingest.prepare_document(host, tenant, item, attempt, slots=slots)

    @task(app, "document.fetch")
    def document_fetch(*, tenant: str, item: int, attempt: int) -> None:
        with in_flight.holding(tenant, item, attempt):
            pages.fetch_document(host, tenant, item, attempt, slots=slots)

    @task(app, "extract.group")
    def extract_group(*, tenant: str, item: int, attempt: int) -> None:
        with in_flight.holding(tenant, item, attempt):
            ingest.extract_group(host, tenant, item, attempt)

    _register_ticks(app, host)
    _register_looks(app, host)


def _register_ticks(app: Celery, host: Host) -> None:
    contact = Contact(host.settings.sweep_seconds / host.settings.time_factor)

    @task(app, "ledger.sweep")
    def ledger_sweep(*, slot: int) -> None:
        if maintenance.claim_tick(host, "ledger.sweep", slot):
            facts = lanes.read_facts(host)
            ledger.sweep(host, facts, steady=contact.steady(facts))

    @task(app, "node.watch")
    def node_watch(*, slot: int) -> None:
        if maintenance.claim_tick(host, "node.watch", slot):
            nodes.watch(host)

    @task(app, "store.checkpoint")
    def store_checkpoint(*, slot: int) -> None:
        if maintenance.claim_tick(host, "store.checkpoint", slot):
            maintenance.checkpoint(host)


def _register_looks(app: Celery, host: Host) -> None:
    @task(app, "memory.expire")
    def memory_expire(*, slot: int) -> None:
        if maintenance.claim_tick(host, "memory.expire", slot):
            expiry.look(host)

    @task(app, "bucket.fill")
    def bucket_fill(*, slot: int) -> None:
        if maintenance.claim_tick(host, "bucket.fill", slot):
            bucketing.look(host)


def register_reconcile(app: Celery, host: Host, writer: WriterLease) -> None:
    """Give the app the tasks of the queue `reconcile`.

    Args:
        app: the process's app.
        host: the truth plane's adapters.
        writer: the lease that every commit is made under.
    """

    @task(app, "item.done")
    def item_done(*, tenant: str, item: int, attempt: int, result: Mapping[str, Any]) -> None:
        try:
            reconcile.item_done(host, writer, tenant, item, attempt, result)
        except (Fenced, Busy) as error:
            # Another process writes now, or the file is locked; the message is to be taken again.
            raise Reject(str(error), requeue=True) from error

    @task(app, "reconcile.space")
    def reconcile_space(*, tenant: str) -> None:
        try:
            reconcile.run(host, writer, tenant)
        except (Fenced, Busy) as error:
            raise Reject(str(error), requeue=True) from error
