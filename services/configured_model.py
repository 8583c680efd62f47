"""The configured embedding model against the one a store was built with: compared at the start, said everywhere."""

from __future__ import annotations

import logging

from memory.errors import BrokerDown
from services import ledger, owed
from services.host import Host
from store import generation_work, generations
from store.connection import Writer
from store.generations import Generation

log = logging.getLogger(__name__)


def begin(host: Host, tenant: str, token: int) -> None:
    """Compare the configured model with the store, once for each lease of the writer.

    Results that were asked for under another model are not taken, and what lacks a vector of the serving generation is
    queued when the configured model can make it.

    Args:
        host: the truth plane's adapters.
        tenant: whose file.
        token: of the writer's lease.
    """
    if host.begun.get(tenant) == token:
        return
    model, dimension = owed.configured(host)
    with host.store.fenced(tenant, token) as tx:
        own, serving = generations.of_model(tx, model, dimension), generations.serving(tx)
        changed = generation_work.configure(tx, own.id if own else None, at=host.clock())
        late = _stop(host, tx, own) if changed else 0
        if serving is not None and own is not None and serving.id == own.id:
            catch_up(host, tx, own.id)
    warn(host, tenant)
    host.begun[tenant] = token
    if late:
        log.warning("tenant=%s the embedding model is another now; items sent again: %d", tenant, late)
    ledger.dispatch(host, tenant)


def _stop(host: Host, tx: Writer, own: Generation | None) -> int:
    """End what makes vectors of other models than the configured one; returns how many items are to be sent again."""
    for job_id, generation_id in generation_work.jobs_of(tx).items():
        if own is None or own.id != generation_id:
            reason = f"Another embedding model is configured than that of generation {generation_id}."
            ledger.end_job(host, tx, job_id, state="cancelled", reason=reason)
    return generation_work.forget_leases(tx, at=host.clock())


def look(host: Host, token: int | None) -> None:
    """Have the writer look at the tenants that it is not done with under its lease; asked again until it is."""
    try:
        for tenant in host.store.tenants() if token is not None else ():
            if host.begun.get(tenant) != token or host.segmented.get(tenant) != token:
                host.queue.send("reconcile.space", {"tenant": tenant}, queue="reconcile")
    except BrokerDown as error:
        log.info("the writer looks at its tenants later: %s", error)


def warn(host: Host, tenant: str) -> None:
    """Log it when the configured model is not that of a tenant's vectors."""
    with host.store.read(tenant) as db:
        sentence = owed.mismatch(db, host.settings)
    if sentence is not None:
        log.error("tenant=%s %s", tenant, sentence)


def warnings(host: Host, of: str | None = None) -> list[str]:
    """Return a sentence for each tenant, or for `of` alone, whose vectors are of another model than configured."""
    found = []
    for tenant in host.store.tenants():
        if of not in (None, tenant):
            continue
        with host.store.read(tenant) as db:
            sentence = owed.mismatch(db, host.settings)
        if sentence is not None:
            found.append(f"Tenant {tenant}: {sentence}")
    return found


def catch_up(host: Host, tx: Writer, generation_id: int) -> dict[str, int]:
    """Queue whatever lacks a vector of the generation that serves; returns how much that is."""
    at = host.clock()
    lacking = {
        space_id: row_ids
        for space_id, row_ids in generations.lacking(tx, generation_id).items()
        if generation_work.open_job(tx, space_id, generation_id) is None
    }
    owed.queue(host, tx, generation_id, lacking, at=at)
    facts = owed.queue_candidates(host, tx, generation_id, at=at)
    return {"rows_queued": sum(map(len, lacking.values())), "facts_queued": facts}
