"""Changing the embedding model: look, embed everything anew, switch once, go back, drop.

The vectors of the old model are searched until the switch and kept after it. `services.owed` has the rule by which new
rows and candidates get theirs meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from memory.errors import StateConflict
from memory.records import Actor, Idempotency, Scope
from memory.temporal import to_iso
from services import asking, configured_model, intake, ledger, owed, revisions
from services.host import Host
from services.persons import require_person
from store import generation_work, generations, spaces
from store import ledger as ledger_rows
from store.connection import Reader, Writer
from store.generations import Count, Generation
from store.requests import Request

log = logging.getLogger(__name__)


def status(scope: Scope, host: Host) -> dict[str, Any]:
    """Return every generation with how far it is, the configured model, and what is under way.

    Returns:
        `configured` (`model`, `dimension`), `generations`, `jobs` that embed anew, `facts_waiting` for the switch, and
        `warning`, a sentence when the configured model is not that of the serving vectors.
    """
    with host.store.read(scope.tenant) as db:
        counts = generations.counts(db)
        return {
            "configured": {"model": host.settings.embed_model, "dimension": host.settings.embed_dimension},
            "generations": [_told(host, one, counts[one.id]) for one in generations.listing(db)],
            "jobs": [_job(db, job_id) for job_id in generation_work.open_jobs(db)],
            "facts_waiting": generation_work.ready_of_others(db),
            "warning": owed.mismatch(db, host.settings),
        }


def _told(host: Host, one: Generation, count: Count) -> dict[str, Any]:
    return {
        "id": one.id, "model": one.model, "dimension": one.dimension, "state": one.state,
        "configured": owed.is_configured(host.settings, one), "rows": count.rows, "vectors": count.vectors,
        "missing": count.missing, "created_at": to_iso(one.created_at),
    }  # fmt: skip


def _job(db: Reader, job_id: str) -> dict[str, Any]:
    job = ledger_rows.get_job(db, job_id)
    return {
        "id": job.id, "space": job.space, "state": job.state, "items_total": job.items_total,
        "items_done": job.items_done, "items_failed": job.items_failed, "warning": job.warning,
    }  # fmt: skip


def start(scope: Scope, host: Host, actor: Actor, *, idempotency: Idempotency | None = None) -> dict[str, Any]:
    """Embed what has no vector of the configured model, after all other work; returns the status.

    Raises:
        PersonOnly: it is not a person who asks.
        StateConflict: there is nothing to embed yet.
        IdempotencyMismatch: the key was used with another body.
    """
    return _asked(scope, host, actor, "generation.start", {}, idempotency=idempotency)


def switch(scope: Scope, host: Host, actor: Actor, generation_id: int) -> dict[str, Any]:
    """Let searches compare the vectors of a complete generation from now on; returns the status.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound: there is no such generation.
        StateConflict: it serves already, is not of the configured model, or rows have no vector of it yet.
    """
    return _asked(scope, host, actor, "generation.switch", {"id": generation_id})


def roll_back(scope: Scope, host: Host, actor: Actor, generation_id: int) -> dict[str, Any]:
    """Let a generation that has served before serve again, at once; rows that came since are embedded after that.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound: there is no such generation.
        StateConflict: it has not served before, or is not of the configured model.
    """
    return _asked(scope, host, actor, "generation.rollback", {"id": generation_id})


def drop(scope: Scope, host: Host, actor: Actor, generation_id: int) -> dict[str, Any]:
    """Delete the vectors of a generation for good; returns the status.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound: there is no such generation.
        StateConflict: it serves, is of the configured model, or something has no other vector.
    """
    return _asked(scope, host, actor, "generation.drop", {"id": generation_id})


def _asked(
    scope: Scope,
    host: Host,
    actor: Actor,
    kind: str,
    payload: Mapping[str, Any],
    *,
    idempotency: Idempotency | None = None,
) -> dict[str, Any]:
    require_person(actor)
    done = asking.ask(intake.asked_by(scope, actor), host, actor, kind, payload, idempotency=idempotency)
    return {**status(scope, host), **done}


def _start(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Queue the rows of every space that lack a vector of the configured model."""
    require_person(asked.actor)
    at, (model, dimension) = host.clock(), owed.configured(host)
    if generations.serving(tx) is None:
        raise StateConflict("The store holds no vectors yet; the first ones will be of the configured model.")
    target = generations.for_vectors(tx, model=model, dimension=dimension, at=at)
    lacking = {
        space_id: row_ids
        for space_id, row_ids in generations.lacking(tx, target).items()
        # The open job of a space looks for further rows itself before it ends.
        if generation_work.open_job(tx, space_id, target) is None
    }
    jobs = owed.queue(host, tx, target, lacking, at=at, last=True)
    log.info("tenant=%s generation=%d is embedded: rows=%d", tenant, target, sum(map(len, lacking.values())))
    return {"id": target, "started": jobs}


def _switch(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Switch, in the commit that has seen every row with its vector."""
    target = _named(host, tx, asked)
    count = generations.counts(tx)[target.id]
    if count.missing:
        message = (
            f"{count.missing} of {count.rows} rows have no vector of {target.name} yet; "
            "`memlane reembed start` embeds them, `memlane reembed status` says how far it is."
        )
        raise StateConflict(message, rows=count.rows, vectors=count.vectors, missing=count.missing)
    return _serve(host, tx, tenant, target)


def _roll_back(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Go back to a generation that has served, complete or not: what it lacks is embedded first of all."""
    target = _named(host, tx, asked)
    if target.state != "retired":
        raise StateConflict(f"Generation {target.id} has never served; switch to it instead.", id=target.id)
    return _serve(host, tx, tenant, target)


def _named(host: Host, tx: Writer, asked: Request) -> Generation:
    """Return the generation that is to serve."""
    require_person(asked.actor)
    target = generations.get(tx, int(asked.payload["id"]))
    if target.state == "serving":
        raise StateConflict(f"Generation {target.id} serves already.", id=target.id)
    if not owed.is_configured(host.settings, target):
        model, dimension = owed.configured(host)
        message = (
            f"Generation {target.id} is of {target.name}, configured is {model} ({dimension} numbers): questions could "
            "not be compared with it. Configure its model and start again first."
        )
        raise StateConflict(message, id=target.id)
    return target


def _serve(host: Host, tx: Writer, tenant: str, target: Generation) -> Mapping[str, Any]:
    before = generations.serve(tx, target.id)
    again = configured_model.catch_up(host, tx, target.id)
    log.info("tenant=%s generation=%d serves, before it %s; embedded again: %s", tenant, target.id, before, again)
    return {"id": target.id, "before": before, **again}


def _drop(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Drop a generation that nothing rests on any more."""
    require_person(asked.actor)
    target = generations.get(tx, int(asked.payload["id"]))
    refusal = _needed(host, tx, target)
    if refusal is not None:
        raise StateConflict(refusal, id=target.id)
    for job_id, generation_id in generation_work.jobs_of(tx).items():
        if generation_id == target.id:
            ledger.end_job(host, tx, job_id, state="cancelled", reason=f"Generation {target.id} was dropped.")
    dropped = generations.drop(tx, target.id)
    log.info("tenant=%s generation=%d is dropped: vectors=%d", tenant, target.id, dropped)
    return {"id": target.id, "dropped": dropped}


def _needed(host: Host, tx: Writer, target: Generation) -> str | None:
    """Say why a generation must be kept; None when it need not be."""
    if target.state == "serving":
        return f"Generation {target.id} serves; switch to another first."
    if owed.is_configured(host.settings, target):
        return f"Generation {target.id} is of the configured model, which makes new vectors for it all the time."
    serving = generations.serving(tx)
    missing = generations.counts(tx)[serving.id].missing if serving else 0
    if missing:
        return f"{missing} rows have no vector of the serving generation yet; `memlane reembed start` embeds them."
    held = generation_work.holders(tx, target.id)
    return f"{held} facts that wait to be decided have no other vector yet; try again in a moment." if held else None


def _embedded(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Go on with rows that have come meanwhile, or end the job."""
    job_id, generation_id = str(asked.payload["job"]), int(asked.payload["generation"])
    job = ledger_rows.get_job(tx, job_id)
    space_id = spaces.find(Scope(tenant=tenant, spaces=(job.space,)), tx)[job.space]
    lacking = generations.lacking_in(tx, space_id, generation_id)
    mine = owed.is_configured(host.settings, generations.get(tx, generation_id))
    if job.is_open and mine and lacking and not job.items_failed and not ledger_rows.open_items(tx, job_id):
        serving = generations.serving(tx)
        last = serving is None or serving.id != generation_id
        owed.add_items(tx, job_id, generation_id, lacking, at=host.clock(), last=last)
    else:
        revisions.settle_job(host, tx, job_id)
    return {}


HANDLERS: Mapping[str, Callable[[Host, Writer, str, Request], Mapping[str, Any]]] = {
    "generation.start": _start,
    "generation.switch": _switch,
    "generation.rollback": _roll_back,
    "generation.drop": _drop,
    "generation.embedded": _embedded,
}
