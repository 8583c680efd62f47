"""The writer's work: what was asked first, then candidates in batches, until nothing is ready.

Runs in the one process that holds the lease; every commit carries the lease's token and is refused once a newer
writer has been seen. Nothing here waits for a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.errors import Fenced, MemlaneError
from memory.reconciliation import Decision, Evidence, Known, decide, reinforced
from memory.records import FOREVER, Actor, Micros, Outcome
from memory.statements import attributed, same_slot
from services import edits, ledger, revisions
from services.host import Host
from services.writer import WriterLease
from store import candidates, documents, memories, requests, rows, sendings, sessions
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.connection import Writer
from store.memories import NewSource, NewVersion, VersionRef

# Candidates a commit: a person's request waits for at most one such commit (some 20 ms).
BATCH = 32


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
    tx.execute("SAVEPOINT request")
    try:
        result, state = handler(host, tx, tenant, asked), "done"
    except Fenced:
        raise
    except MemlaneError as refusal:
        tx.execute("ROLLBACK TO request")
        result, state = {"code": refusal.code, "message": refusal.message, "details": refusal.details}, "refused"
    tx.execute("RELEASE request")
    requests.settle(tx, asked.id, state=state, result=result, at=host.clock())


def settle_candidates(host: Host, writer: WriterLease, tenant: str) -> int:
    """Settle the oldest ready candidates in one commit; returns how many."""
    with host.store.read(tenant) as db:
        if not candidates.ready(db, limit=1):
            return 0
    with host.store.fenced(tenant, token(writer)) as tx:
        batch = candidates.ready(tx, limit=BATCH)
        at = host.clock()
        for one in batch:
            outcome, reason, memory_id = _settle(host, tx, one, at)
            candidates.settle(tx, one.seq, outcome=outcome, reason=reason, memory_id=memory_id, at=at)
        for job_id in {one.job_id for one in batch}:
            revisions.settle_job(host, tx, job_id)
    return len(batch)


def _settle(host: Host, tx: Writer, one: Candidate, at: Micros) -> tuple[Outcome, str, str | None]:
    dropped = _stale(tx, one)
    if dropped:
        return "dropped", dropped, None
    place = _place(tx, one)
    known, equal, replaced = _known(tx, one, place, at)
    decision = decide(_evidence(tx, one), known)
    if decision.outcome == "suppressed":
        return decision.outcome, decision.reason, None
    if decision.outcome == "reinforced" and equal is not None:
        _reinforce(tx, one, equal, at)
        return decision.outcome, decision.reason, equal.id
    parent = replaced if decision.outcome == "superseded" else _forgotten_parent(tx, one, known)
    return decision.outcome, decision.reason, _add(host, tx, one, place, parent, decision, at)


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


def _place(tx: Writer, one: Candidate) -> Mapping[str, Any]:
    """Return the bindings and metadata that a memory takes over from its source."""
    if one.document_id is not None:
        place = documents.place_of(tx, one.document_id)
        metadata = documents.by_id(tx, one.document_id).metadata
        return {
            "user_id": place.user_id, "agent_id": place.agent_id, "session_id": place.session_id, "metadata": metadata,
            "group_key": one.document_id,
        }  # fmt: skip
    session = sessions.of_episode(tx, str(one.episode_id))
    return {
        "user_id": session.user_id, "agent_id": session.agent_id, "session_id": session.id,
        "metadata": session.metadata, "group_key": session.id,
    }  # fmt: skip


def _evidence(tx: Writer, one: Candidate) -> Evidence:
    if one.episode_id is None:
        return Evidence(said_at=one.said_at or 0, by_user=False)
    episode = sessions.episode(tx, one.episode_id)
    return Evidence(said_at=one.said_at or episode.recorded_at, by_user=episode.role == "user")


def _known(
    tx: Writer, one: Candidate, place: Mapping[str, Any], at: Micros
) -> tuple[Known, VersionRef | None, VersionRef | None]:
    grave = memories.tombstone(tx, one.space_id, one.equality_key)
    equal = memories.live_equal(
        tx, one.space_id, one.equality_key, user_id=place["user_id"], agent_id=place["agent_id"], at=at
    )
    replaced = None if equal else _replaced(tx, one)
    known = Known(
        forgotten_at=grave[1] if grave else None,
        equal_id=equal.id if equal else None,
        replaced_id=replaced.id if replaced else None,
    )
    return known, equal, replaced


def _replaced(tx: Writer, one: Candidate) -> VersionRef | None:
    """Return the memory that an older revision of the same document taught about the same subject and attribute."""
    if one.document_id is None or (one.revision or 1) == 1:
        return None
    kept = candidates.equality_keys(tx, one.document_id, one.revision or 1)
    lost = memories.sole_sources(tx, one.document_id, but_revision=one.revision)
    return next((old for old in lost if old.equality_key not in kept and same_slot(old.statement, one.statement)), None)


def _forgotten_parent(tx: Writer, one: Candidate, known: Known) -> VersionRef | None:
    """Return the chain that a statement said again after its forgetting continues; lifts the tombstone."""
    grave = memories.tombstone(tx, one.space_id, one.equality_key) if known.forgotten_at is not None else None
    if grave is None:
        return None
    memories.lift_tombstone(tx, one.space_id, one.equality_key)
    return memories.latest(tx, memories.root_of(tx, grave[0]))


def _source(one: Candidate) -> NewSource:
    return NewSource(
        kind="document" if one.document_id else "episode", document_id=one.document_id, revision=one.revision,
        chunk_id=one.chunk_id, episode_id=one.episode_id, start=one.start, end=one.end, quote=one.quote,
        job_id=one.job_id,
    )  # fmt: skip


def _reinforce(tx: Writer, one: Candidate, equal: VersionRef, at: Micros) -> None:
    if memories.add_source(tx, equal.id, _source(one), at=at):
        memories.reinforce(tx, equal, confidence=reinforced(equal.confidence), at=at)


def _add(
    host: Host, tx: Writer, one: Candidate, place: Mapping[str, Any], parent: VersionRef | None, decision: Decision,
    at: Micros,
) -> str:  # fmt: skip
    """Add a memory with its row, window and source; what it supersedes ends where it begins."""
    actor = Actor(kind="pipeline", id=one.job_id)
    bindings = {name: place[name] for name in ("user_id", "agent_id", "session_id")}
    row_id = rows.add_row(
        tx,
        rows.NewRow(
            space_id=one.space_id, kind="memory", group_key=place["group_key"], position=one.position,
            text=attributed(one.statement, one.speaker, one.said_at, one.said_zone), vector=one.vector or b"",
            generation_id=one.generation_id or 0, speaker=one.speaker, **bindings,
        ),
        at=at,
    )  # fmt: skip
    memory_id = host.new_id("mem")
    new = NewVersion(
        id=memory_id, space_id=one.space_id, row_id=row_id, statement=one.statement, equality_key=one.equality_key,
        kind=one.kind, confidence=one.confidence, model=one.model, actor=actor, parent=parent,
        speaker=one.speaker, said_at=one.said_at, said_zone=one.said_zone, metadata=place["metadata"],
        prompt_version=one.prompt_version, job_id=one.job_id, **bindings,
    )  # fmt: skip
    memories.add_version(tx, new, at=at)
    memories.add_source(tx, memory_id, _source(one), at=at)
    begins = min(one.said_at, at) if one.said_at is not None else at
    if decision.outcome == "superseded" and parent is not None:
        begins = max(begins, rows.valid_from(tx, parent.row_id) + 1)
        rows.close_windows(tx, parent.row_id, until=begins, at=at, actor=actor, reason=f"superseded by {memory_id}")
    rows.open_window(tx, row_id, valid_from=begins, valid_to=FOREVER, at=at, actor=actor, job_id=one.job_id)
    return memory_id
