"""Merging spaces: asked for through the API, carried out by the writer a batch at a time until the sources are empty.

Every row keeps its id, its windows and its sources; only its space changes. What then says the same as a live memory of
the target becomes its further source, and every other live memory is judged against what it now stands beside.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.errors import Forbidden, InvalidInput, NotFound, StateConflict
from memory.reconciliation import reinforced
from memory.records import Accepted, Actor, Idempotency, Micros, Scope
from services import intake, judging, ledger, request_ids
from services.host import Host
from store import candidates, memories, merges, merging, requests, retention, rows, spaces, tag_settings
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.connection import Writer
from store.hydration import load_memories
from store.memories import VersionRef
from store.merges import Merge as Merge
from store.merging import Move
from store.requests import Request
from store.savepoints import attempt

log = logging.getLogger(__name__)

_PIPELINE = Actor(kind="pipeline", id="merge")


def require_not_agent(actor: Actor, what: str) -> None:
    """Refuse an agent what goes over everything in a space.

    Args:
        actor: who asks.
        what: verb and object of the message, such as "merge spaces".

    Raises:
        Forbidden: it is an agent.
    """
    if actor.kind == "agent":
        raise Forbidden(f"An agent may not {what}; use the key of a person or a service.")


def merge(
    scope: Scope, host: Host, actor: Actor, sources: Sequence[str], target: str, *,
    idempotency: Idempotency | None = None,
) -> Merge:  # fmt: skip
    """Ask for spaces to be moved into another one.

    Args:
        scope: whose; has the sources and the target.
        host: the adapters.
        actor: who asks; a person or a service.
        sources: names of the spaces that are emptied; the target among them is passed over.
        target: name of the space that they move into; it is made when it is new.
        idempotency: makes a repeated call return the first one's merge.

    Returns:
        The merge as it stands.

    Raises:
        Forbidden: an agent asks.
        InvalidInput: no source is left.
        NotFound: there is no such space.
        StateConflict: another merge of one of them goes on.
        IdempotencyMismatch: the key was used with another body.
    """
    require_not_agent(actor, "merge container tags")
    names = [name for name in dict.fromkeys(sources) if name != target]
    if not names:
        raise InvalidInput("Name at least one container tag beside the target.", field="containerTags")
    with host.store.write(scope.tenant) as tx:
        accepted = intake.once(scope, host, tx, idempotency, lambda: _keep(scope, host, tx, actor, names, target))
    ledger.wake_writer(host, scope.tenant)
    return get(scope, host, accepted.id, every=True)


def _keep(scope: Scope, host: Host, tx: Writer, actor: Actor, names: Sequence[str], target: str) -> Accepted:
    at = host.clock()
    known = spaces.find(replace(scope, spaces=tuple(names)), tx)
    missing = [name for name in names if name not in known]
    if missing:
        raise NotFound(f"No container tag {missing[0]!r}.", field="containerTags")
    there = spaces.find(replace(scope, spaces=(target,)), tx)
    space_id = there.get(target) or spaces.ensure(replace(scope, spaces=(target,)), tx, at=at)
    busy = merges.under_way(tx, [space_id, *known.values()])
    if busy is not None:
        raise StateConflict("Another merge of one of these goes on; wait until it has ended.", id=busy)
    _take_over(tx, [known[name] for name in names], space_id, is_new=target not in there, at=at)
    merge_id = host.new_id("mrg")
    merges.add(tx, merge_id=merge_id, space_id=space_id, sources=known, actor=actor, at=at)
    _ask(host, tx, merge_id)
    return Accepted(id=merge_id, status="queued", job_id=None)


def _take_over(tx: Writer, sources: Sequence[int], target: int, *, is_new: bool, at: Micros) -> None:
    """Let the target have what it has not set, before the first row moves: what comes in is to be treated as before."""
    if is_new:
        tag_settings.copy(tx, target, sources[0], at=at)
        if len({retention.days(tx, source) for source in sources}) == 1:
            retention.take_over(tx, target, sources[0])
    for source in sources:
        tag_settings.take_over(tx, target, source, at=at)


def get(scope: Scope, host: Host, merge_id: str, *, every: bool) -> Merge:
    """Return a merge.

    Args:
        scope: whose.
        host: the adapters.
        merge_id: its id.
        every: whether the scope stands for every space of the tenant, those that are gone too.

    Raises:
        NotFound: there is none of the scope's spaces.
    """
    with host.store.read(scope.tenant) as db:
        return merges.get(scope, db, merge_id, every=every)


def _ask(host: Host, tx: Writer, merge_id: str) -> None:
    # Of the pipeline, so that what a person asks for goes between two batches. No job has the empty id.
    payload = {"job": "", "merge": merge_id}
    requests.add(
        tx, request_id=host.new_id("req"), kind="merge.step", payload=payload, actor=_PIPELINE,
        caused_by=request_ids.current(), at=host.clock(),
    )  # fmt: skip


def step(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Move a batch, and ask for the next one or end the merge."""
    one = merges.find(tx, str(asked.payload["merge"]))
    if one is None or not one.is_open:
        return {}
    with attempt(tx) as tried:
        _step(host, tx, tenant, one)
    if tried.error is not None:
        log.error("merge %s of tenant %s failed", one.id, tenant, exc_info=tried.error)
        host.near.forget()
        merges.end(tx, one.id, state="failed", reason=ledger.words(tried.error), at=host.clock())
    return {"merge": one.id}


def _step(host: Host, tx: Writer, tenant: str, one: Merge) -> None:
    source, at = merges.next_source(tx, one.id), host.clock()
    if source is None:
        merges.end(tx, one.id, state="completed", at=at)
        return
    move = Move(
        tx=tx, source=source, source_name=spaces.name_of(tx, source), target=one.space_id, asked_at=one.requested_at,
        at=at, counts=Counter(),
    )  # fmt: skip
    job_id = None
    if not (merging.move_documents(move) or merging.move_sessions(move)):
        chains = merging.chains(tx, source)
        job_id = _move_memories(host, tenant, move, one, chains) if chains else None
        if not chains:
            merging.move_loose(move)
    if merging.is_empty(tx, source):
        merging.take_over_buckets(move)
        merges.close_source(tx, one.id, source, at=at)
    merges.count(tx, one, move.counts, job_id=job_id)
    _ask(host, tx, one.id)


def _move_memories(host: Host, tenant: str, move: Move, one: Merge, root_ids: Sequence[str]) -> str | None:
    """Move version chains; returns the job that judges what was live of them, None when nothing is to be judged."""
    tx, job_id = move.tx, host.new_id("job")
    newest = [memories.latest(tx, root_id) for root_id in root_ids]
    live = [each for each in newest if each.forgotten_at is None and rows.is_ahead(tx, each.row_id, at=move.at)]
    equals = {each.id: equal for each in live if (equal := _equal(move, each)) is not None}
    met = _candidates(move, [each for each in live if each.id not in equals], job_id)
    judging.expect(host, tx, tenant, list(met.values()))
    judged = {memory_id: found for memory_id, found in met.items() if _meets(host, tenant, move, one, memory_id, found)}
    merging.move_chains(move, root_ids)
    for each in live:
        if each.id in equals:
            _absorb(move, equals[each.id], memories.by_id(tx, each.id), one)
    return _judge(move, judged, job_id) if judged else None


def _meets(host: Host, tenant: str, move: Move, one: Merge, memory_id: str, found: Candidate) -> bool:
    """Tell whether a memory comes to stand beside one that it was not reconciled with in its own space."""
    if not judging.is_comparable(move.tx, found):
        return True  # it is judged as soon as vectors of its model serve
    owner = memories.by_id(move.tx, memory_id).owner
    near = (each.version for each in judging.near(host, move.tx, tenant, found, owner, at=move.at))
    # What moved before it knows it; what the target had, or has learned since, does not.
    return any(
        each.row_id < (move.target << rows.ROW_BITS | one.first_row) or each.recorded_at >= one.requested_at
        for each in near
    )


def _equal(move: Move, newest: VersionRef) -> VersionRef | None:
    """Return the live memory of the target that says the same to the same user and agent."""
    begins = max(move.at, rows.valid_from(move.tx, newest.row_id))
    return memories.live_equal(move.tx, move.target, newest.equality_key, newest.owner, at=begins)


def _absorb(move: Move, kept: VersionRef, gone: VersionRef, one: Merge) -> None:
    """Let what the target knows already have the sources of what says the same; that stays as history."""
    merging.absorb(move.tx, kept, gone, at=move.at)
    if retention.keep_as_long(move.tx, kept.id, gone.id, joined_at=move.asked_at):
        rows.announce(move.tx, kept.row_id, "window", at=move.at)
    memories.reinforce(move.tx, kept, confidence=reinforced(kept.confidence), at=move.at)
    reason = f"{kept.id} says the same since {move.source_name} was merged into {one.target}"
    rows.retire_windows(move.tx, gone.row_id, at=move.at, actor=one.actor, reason=reason)
    move.counts["duplicates"] += 1


def _candidates(move: Move, met: Sequence[VersionRef], job_id: str) -> dict[str, Candidate]:
    """Return live memories as candidates of the target, by id; those without a vector are left out."""
    loaded, found = load_memories(move.tx, [one.id for one in met]), {}
    for one in met:
        vector, known = merging.vector_of(move.tx, one.row_id), loaded[one.id]
        if vector is None:
            continue
        found[one.id] = Candidate(
            space_id=move.target, job_id=job_id, statement=one.statement, quote=one.statement, start=0,
            end=len(one.statement), position=0, kind=known.kind, confidence=one.confidence, model="merge",
            equality_key=one.equality_key, speaker=one.speaker, said_at=one.said_at, said_zone=known.said_zone,
            valid_from=rows.valid_from(move.tx, one.row_id), item=one.row_id, vector=vector[0],
            generation_id=vector[1],
        )  # fmt: skip
    return found


def _judge(move: Move, met: Mapping[str, Candidate], job_id: str) -> str:
    """Have memories judged against what they stand beside now, as if they had just been written there."""
    ledger_rows.add_job(
        move.tx, id=job_id, space_id=move.target, kind="judging", caused_by=request_ids.current(), at=move.at
    )
    for memory_id, found in met.items():
        kept = candidates.write_directly(move.tx, found, at=move.at)
        candidates.await_judges(move.tx, kept.seq, written_id=memory_id, job_id=job_id)
    move.counts["judged"] += len(met)
    return job_id


HANDLERS = {"merge.step": step}
