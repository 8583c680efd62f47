"""The writer's work: what was asked first, then candidates in batches, until nothing is ready.

Runs in the one process that holds the lease; every commit carries the lease's token and is refused once a newer
writer has been seen. Nothing here waits for a model.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from memory.errors import Busy, Fenced, MemlaneError, StoreError
from memory.reconciliation import Evidence, Known, decide, reinforced
from memory.records import FOREVER, Actor, Micros, Outcome, Owner
from memory.statements import attributed, same_slot
from services import edits, ledger, revisions
from services.host import Host
from services.writer import WriterLease
from store import candidates, documents, memories, requests, rows, sendings, sessions
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.connection import Writer
from store.memories import NewSource, NewVersion, VersionRef

log = logging.getLogger(__name__)

# The surroundings' fault: nothing is decided, and the message comes again.
_NOT_THE_WORK = (StoreError, Busy)
# Candidates a commit: a person's request waits for at most one such commit (some 20 ms).
BATCH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """The stored versions that decide what becomes of a candidate."""

    forgotten: VersionRef | None
    equal: VersionRef | None
    replaced: VersionRef | None

    @property
    def known(self) -> Known:
        return Known(
            forgotten_at=self.forgotten.forgotten_at if self.forgotten else None,
            equal=self.equal is not None,
            replaced=self.replaced is not None,
        )


def item_done(
    host: Host, writer: WriterLease, tenant: str, item_id: int, attempt: int, result: Mapping[str, Any]
) -> None:
    """Accept the result of a work item, then do what that made possible."""
    settle_requests(host, writer, tenant)
    ledger.complete(host, tenant, item_id, attempt, result, token=token(writer))
    with host.store.read(tenant) as db:
        more = sendings.writer_has_work(db, before=FOREVER)
    if more:
        run(host, writer, tenant)


def run(host: Host, writer: WriterLease, tenant: str) -> None:
    """Do everything that is decided for a tenant; requests go first, between any two commits."""
    while True:
        settle_requests(host, writer, tenant)
        if not settle_candidates(host, writer, tenant):
            break
    ledger.dispatch(host, tenant)


def token(writer: WriterLease) -> int:
    """Return the fencing token.

    Raises:
        Fenced: this process does not hold the lease.
    """
    if writer.token is None:
        raise Fenced("This process does not hold the writer's lease.")
    return writer.token


def settle_requests(host: Host, writer: WriterLease, tenant: str) -> None:
    """Carry out the waiting requests one by one, each in a commit of its own with its outcome."""
    while True:
        with host.store.read(tenant) as db:
            asked = requests.next_waiting(db)
        if asked is None:
            return
        with host.store.fenced(tenant, token(writer)) as tx:
            _settle_request(host, tx, tenant, asked)


def _settle_request(host: Host, tx: Writer, tenant: str, asked: requests.Request) -> None:
    handler = {**edits.HANDLERS, **revisions.HANDLERS}[asked.kind]
    try:
        with _all_or_nothing(tx):
            result = handler(host, tx, tenant, asked)
    except _NOT_THE_WORK:
        raise
    except MemlaneError as refusal:
        _refuse(host, tx, asked, refusal)
    except Exception as error:
        # One request that breaks must not stand before all others for ever.
        log.exception("request %s (%s) of tenant %s failed", asked.id, asked.kind, tenant)
        _refuse(host, tx, asked, MemlaneError(ledger.words(error)))
    else:
        requests.settle(tx, asked.id, state="done", result=result, at=host.clock())


def _refuse(host: Host, tx: Writer, asked: requests.Request, error: MemlaneError) -> None:
    """Keep why a request was not carried out; a step of a job, which nobody waits for, ends the job with it."""
    said = {"code": error.code, "message": error.message, "details": error.details}
    requests.settle(tx, asked.id, state="refused", result=said, at=host.clock())
    if asked.actor.kind == "pipeline":
        ledger.end_job(host, tx, str(asked.payload["job"]), state="failed", reason=error.message)


@contextmanager
def _all_or_nothing(tx: Writer) -> Iterator[None]:
    """Undo what a block has written when it raises; the transaction around it goes on."""
    tx.execute("SAVEPOINT step")
    try:
        yield
    except Exception:
        tx.execute("ROLLBACK TO step")
        raise
    finally:
        tx.execute("RELEASE step")


def settle_candidates(host: Host, writer: WriterLease, tenant: str) -> int:
    """Settle the oldest ready candidates in one commit; returns how many."""
    with host.store.read(tenant) as db:
        if not candidates.ready(db, limit=1):
            return 0
    with host.store.fenced(tenant, token(writer)) as tx:
        batch = candidates.ready(tx, limit=BATCH)
        at = host.clock()
        for one in batch:
            outcome, reason, memory_id = _settled(host, tx, one, at)
            candidates.settle(tx, one.seq, outcome=outcome, reason=reason, memory_id=memory_id, at=at)
        for job_id in {one.job_id for one in batch}:
            revisions.settle_job(host, tx, job_id)
    return len(batch)


def _settled(host: Host, tx: Writer, one: Candidate, at: Micros) -> tuple[Outcome, str, str | None]:
    """Settle a candidate; one that breaks is counted in its job's warning and lets the others pass."""
    try:
        with _all_or_nothing(tx):
            return _settle(host, tx, one, at)
    except _NOT_THE_WORK:
        raise
    except Exception as error:
        log.exception("candidate %d of job %s failed", one.seq, one.job_id)
        return "failed", ledger.words(error), None


def _settle(host: Host, tx: Writer, one: Candidate, at: Micros) -> tuple[Outcome, str, str | None]:
    dropped = _stale(tx, one)
    if dropped:
        return "dropped", dropped, None
    place = _place(tx, one)
    around = _around(tx, one, place.owner, at)
    decision = decide(_evidence(tx, one), around.known)
    if decision.outcome == "suppressed":
        return decision.outcome, decision.reason, None
    if decision.outcome == "reinforced" and around.equal is not None:
        _reinforce(tx, one, around.equal, at)
        return decision.outcome, decision.reason, around.equal.id
    parent = around.replaced if decision.outcome == "superseded" else _exhumed(tx, around.forgotten)
    return decision.outcome, decision.reason, _add(host, tx, one, place, parent, at)


def _exhumed(tx: Writer, gone: VersionRef | None) -> VersionRef | None:
    """Return the end of the chain that a statement said again after its forgetting continues; lifts the tombstone."""
    if gone is None:
        return None
    memories.lift_tombstone(tx, gone)
    return memories.latest(tx, gone.root_id)


def _stale(tx: Writer, one: Candidate) -> str | None:
    """Say why a candidate no longer counts; None when it does."""
    if ledger_rows.get_job(tx, one.job_id).state == "cancelled":
        return "the job was cancelled"
    if one.document_id is None:
        return None
    if documents.place_of(tx, one.document_id).deleted_at is not None:
        return "the document was deleted"
    if documents.revision(tx, one.document_id, one.revision or 1).state != "live":
        return "the document was revised"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What a memory takes over from its source."""

    owner: Owner
    metadata: Mapping[str, Any]
    group: str  # session or document id


def _place(tx: Writer, one: Candidate) -> _Place:
    if one.document_id is not None:
        metadata = documents.by_id(tx, one.document_id).metadata
        return _Place(owner=documents.place_of(tx, one.document_id).owner, metadata=metadata, group=one.document_id)
    session = sessions.of_episode(tx, str(one.episode_id))
    # What was said in one session is known in every later one; only its source says where.
    owner = Owner(user=session.user_id, agent=session.agent_id)
    return _Place(owner=owner, metadata=session.metadata, group=session.id)


def _evidence(tx: Writer, one: Candidate) -> Evidence:
    if one.episode_id is None:
        return Evidence(said_at=one.said_at or 0, by_user=False)
    episode = sessions.episode(tx, one.episode_id)
    return Evidence(said_at=one.said_at or episode.recorded_at, by_user=episode.role == "user")


def _around(tx: Writer, one: Candidate, owner: Owner, at: Micros) -> _Around:
    equal = memories.live_equal(tx, one.space_id, one.equality_key, owner, at=at)
    return _Around(
        forgotten=memories.forgotten(tx, one.space_id, one.equality_key, owner),
        equal=equal,
        replaced=None if equal else _replaced(tx, one),
    )


def _replaced(tx: Writer, one: Candidate) -> VersionRef | None:
    """Return the memory that an older revision of the same document taught about the same subject and attribute."""
    if one.document_id is None or (one.revision or 1) == 1:
        return None
    kept = candidates.equality_keys(tx, one.job_id)
    lost = memories.sole_sources(tx, one.document_id, but_revision=one.revision)
    return next((old for old in lost if old.equality_key not in kept and same_slot(old.statement, one.statement)), None)


def _source(one: Candidate) -> NewSource:
    return NewSource(
        kind="document" if one.document_id else "episode", document_id=one.document_id, revision=one.revision,
        chunk_id=one.chunk_id, episode_id=one.episode_id, start=one.start, end=one.end, quote=one.quote,
        job_id=one.job_id,
    )  # fmt: skip


def _reinforce(tx: Writer, one: Candidate, equal: VersionRef, at: Micros) -> None:
    if memories.add_source(tx, equal.id, _source(one), at=at):
        memories.reinforce(tx, equal, confidence=reinforced(equal.confidence), at=at)


def _add(host: Host, tx: Writer, one: Candidate, place: _Place, parent: VersionRef | None, at: Micros) -> str:
    """Add a memory with its row, window and source; a live parent is superseded: it ends where the new one begins."""
    row = rows.NewRow(
        space_id=one.space_id, kind="memory", group_key=place.group, position=one.position,
        text=attributed(one.statement, one.speaker, one.said_at, one.said_zone), vector=one.vector or b"",
        generation_id=one.generation_id or 0, speaker=one.speaker, owner=place.owner,
    )  # fmt: skip
    new = NewVersion(
        id=host.new_id("mem"), space_id=one.space_id, row_id=rows.add_row(tx, row, at=at), statement=one.statement,
        equality_key=one.equality_key, kind=one.kind, confidence=one.confidence, model=one.model,
        actor=Actor(kind="pipeline", id=one.job_id), parent=parent, speaker=one.speaker, said_at=one.said_at,
        said_zone=one.said_zone, metadata=place.metadata, prompt_version=one.prompt_version, job_id=one.job_id,
        owner=place.owner,
    )  # fmt: skip
    begins = at if one.said_at is None else min(one.said_at, at)
    if parent is not None and parent.forgotten_at is None:
        begins = max(begins, rows.valid_from(tx, parent.row_id) + 1)
        reason = f"superseded by {new.id}"
        rows.close_windows(tx, parent.row_id, until=begins, at=at, actor=new.actor, reason=reason)
    memories.add_version(tx, new, valid_from=begins, at=at)
    memories.add_source(tx, new.id, _source(one), at=at)
    return new.id
