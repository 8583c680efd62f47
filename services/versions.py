"""Writes what reconcile has decided: new versions, ended windows, further support. Inside the writer's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.names import row_names
from memory.reconciliation import reinforced
from memory.records import FOREVER, Actor, Micros, Owner
from memory.statements import attributed
from services import owed
from services.host import Host
from store import decisions, documents, memories, memory_sources, retention, rows, sessions
from store.candidates import Candidate
from store.connection import Writer
from store.memories import NewVersion, VersionRef
from store.memory_sources import NewSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a memory takes over from its source or its writer."""

    owner: Owner
    metadata: Mapping[str, Any]
    group: str  # session or document id: whose neighbour it is
    is_static: bool = False
    forget_after: Micros | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """From when until when a new version holds, and how it came to be one."""

    begins: Micros
    ends: Micros = FOREVER
    historic: bool = False
    unjudged: bool = False


def place_of(tx: Writer, one: Candidate) -> Place:
    """Return where a candidate's memory belongs."""
    if one.document_id is not None:
        metadata = documents.by_id(tx, one.document_id).metadata
        return Place(owner=documents.place_of(tx, one.document_id).owner, metadata=metadata, group=one.document_id)
    session = sessions.of_episode(tx, str(one.episode_id))
    # What was said in one session is known in every later one; only its source says where.
    owner = Owner(user=session.user_id, agent=session.agent_id)
    return Place(owner=owner, metadata=session.metadata, group=session.id)


def source_of(one: Candidate) -> NewSource:
    """Return the source that a candidate is for a memory."""
    kind = "document" if one.document_id else "episode" if one.episode_id else "direct"
    return NewSource(
        kind=kind, document_id=one.document_id, revision=one.revision, chunk_id=one.chunk_id,
        episode_id=one.episode_id, start=one.start, end=one.end, quote=one.quote, job_id=one.job_id,
    )  # fmt: skip


def reinforce(tx: Writer, one: Candidate, version: VersionRef, *, at: Micros) -> None:
    """Let a memory rest on a candidate's source too; what the same document or episode says twice counts once."""
    if memory_sources.add_source(tx, version.id, source_of(one), at=at):
        memories.reinforce(tx, version, confidence=reinforced(version.confidence), at=at)
    if retention.keep_as_promised(tx, version.id, one.job_id, at=at):
        rows.announce(tx, version.row_id, "window", at=at)


def add(
    host: Host,
    tx: Writer,
    one: Candidate,
    place: Place,
    validity: Validity,
    *,
    at: Micros,
    parent: VersionRef | None = None,
    actor: Actor | None = None,
) -> str:
    """Add a memory with its row, window and source.

    Args:
        host: the truth plane's adapters.
        tx: the fenced transaction.
        one: the candidate.
        place: where it belongs.
        validity: when it holds.
        at: now.
        parent: the version it is the next one of; its windows are the caller's business.
        actor: who adds it; the job that found it, when left out.

    Returns:
        The memory's id.
    """
    row = rows.NewRow(
        space_id=one.space_id, kind="memory", group_key=place.group, position=one.position,
        text=attributed(one.statement, one.speaker, one.said_at, one.said_zone), vector=one.vector or b"",
        generation_id=one.generation_id or 0, speaker=one.speaker, owner=place.owner,
        names=row_names(one.statement, given=[entity["name"] for entity in one.entities]),
    )  # fmt: skip
    new = NewVersion(
        id=host.new_id("mem"), space_id=one.space_id, row_id=owed.add_row(host, tx, row, at=at),
        statement=one.statement, equality_key=one.equality_key, kind=one.kind, confidence=one.confidence,
        model=one.model, actor=actor or Actor(kind="pipeline", id=one.job_id), parent=parent, speaker=one.speaker,
        said_at=one.said_at, said_zone=one.said_zone, metadata=place.metadata, prompt_version=one.prompt_version,
        job_id=one.job_id, owner=place.owner, unjudged=validity.unjudged, historic=validity.historic, node=one.node,
        is_static=place.is_static, entities=one.entities, relations=one.relations,
    )  # fmt: skip
    memories.add_version(tx, new, valid_from=validity.begins, valid_to=validity.ends, at=at)
    if place.forget_after is not None:
        memories.set_forget_after(tx, new.id, place.forget_after)
    retention.as_promised(tx, new.id, one.job_id)
    memory_sources.add_source(tx, new.id, source_of(one), at=at)
    if one.seq:
        decisions.became(tx, one.seq, new.id)
    return new.id


def supersede(
    host: Host,
    tx: Writer,
    one: Candidate,
    place: Place,
    parent: VersionRef,
    *,
    begins: Micros,
    at: Micros,
    ends: Micros = FOREVER,
    actor: Actor | None = None,
) -> str:
    """Add a memory as the next version of a live one, whose window ends where the new one begins.

    Returns:
        The memory's id.
    """
    begins = max(begins, rows.valid_from(tx, parent.row_id) + 1)
    validity = Validity(begins=begins, ends=max(ends, begins + 1))
    new_id = add(host, tx, one, place, validity, at=at, parent=memories.latest(tx, parent.root_id), actor=actor)
    end(tx, parent, by=new_id, until=begins, at=at, actor=actor or Actor(kind="pipeline", id=one.job_id))
    return new_id


def end(tx: Writer, version: VersionRef, *, by: str, until: Micros, at: Micros, actor: Actor) -> None:
    """Let a memory's window end because another takes its place; one that begins no earlier never held."""
    rows.close_windows(tx, version.row_id, until=until, at=at, actor=actor, reason=f"superseded by {by}")


def add_historic(
    host: Host, tx: Writer, one: Candidate, place: Place, live: VersionRef, *, begins: Micros, at: Micros, actor: Actor
) -> str:
    """Add what was true before a live memory, as a closed version of its chain that never becomes current.

    Its window ends where the next version's begins; a version that was thought to hold then ends where it begins.

    Returns:
        The memory's id.
    """
    windows = rows.chain_windows(tx, live.root_id)
    ends = min(window.valid_from for window in windows if window.valid_from > begins)
    new_id = add(
        host, tx, one, place, Validity(begins=begins, ends=ends, historic=True), at=at, parent=live, actor=actor
    )
    for window in windows:
        if window.valid_from <= begins < window.valid_to:
            rows.cut_window(tx, window, until=begins, at=at, actor=actor, reason=f"superseded by {new_id}")
    return new_id
