"""Makes what waited on the review list a memory, as a person has decided. Inside the writer's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory.errors import AlreadyKnown, StateConflict
from memory.reconciliation import Evidence
from memory.records import FOREVER, Actor, Micros, Review
from services import deciding, judging, versions, written
from services.deciding import Around
from services.host import Host
from services.versions import Place, Validity
from store import candidates, memories, requests, reviews, rows, tombstones
from store.candidates import Candidate
from store.connection import Writer
from store.hydration import load_memories
from store.memories import VersionRef

# What a person has confirmed is as sure as what somebody writes directly.
CONFIRMED = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Taking:
    """What is decided about whom, by whom and why."""

    host: Host
    tx: Writer
    tenant: str
    review: Review
    incumbent: VersionRef | None  # the live memory in question; None when it is not live any more
    actor: Actor
    reason: str
    at: Micros


def take(doing: Taking, one: Candidate, *, beside: bool = False) -> str:
    """Make a candidate current: in the place of the incumbent, or beside it.

    Args:
        doing: the decision.
        one: the candidate, with its vector.
        beside: leave the incumbent current too.

    Returns:
        The memory's id.

    Raises:
        StateConflict: its source is gone.
        AlreadyKnown: another live memory says the same; `id` names it.
    """
    if one.document_id is not None or one.episode_id is not None:
        gone = deciding.stale(doing.tx, one, at=doing.at)
        if gone:
            raise StateConflict(f"This cannot be taken: {gone}.", id=doing.review.id)
    place = _place(doing, one)
    equal = memories.live_equal(doing.tx, one.space_id, one.equality_key, place.owner, at=doing.at)
    if equal is not None and (beside or equal != doing.incumbent):
        raise AlreadyKnown(id=equal.id)
    if equal is not None:
        _add_support(doing, one, equal.id)
        return equal.id
    mine = memories.find(doing.tx, one.written_id) if one.written_id else None
    if mine is not None and mine.forgotten_at is None and mine.equality_key == one.equality_key:
        taken = _revive(doing, mine, beside=beside)
    elif doing.review.kind == "low_confidence":
        taken = _reconcile(doing, one, place)
    else:
        taken = _add(doing, one, place, beside=beside)
    _add_support(doing, one, taken)
    return taken


def _place(doing: Taking, one: Candidate) -> Place:
    """Return where the memory belongs: what was written directly keeps its writer's words about it."""
    tx = doing.tx
    if one.document_id is not None or one.episode_id is not None:
        return versions.place_of(tx, one)
    group = doing.host.new_id("grp")
    mine = load_memories(tx, [one.written_id]).get(one.written_id) if one.written_id else None
    owner = reviews.owner_of(tx, doing.review.id)
    if mine is not None:
        return Place(owner=owner, metadata=mine.metadata, group=group, is_static=mine.is_static)
    asked = requests.get(tx, one.job_id)
    items = asked.payload.get("items", ()) if asked is not None else ()
    told: Mapping[str, Any] = next((item for item in items if item["content"] == one.quote), {})
    return Place(
        owner=owner, metadata=told.get("metadata", {}), group=group, is_static=bool(told.get("is_static")),
        forget_after=told.get("forget_after"),
    )  # fmt: skip


def _ends(one: Candidate, begins: Micros) -> Micros:
    return FOREVER if one.valid_to is None else max(one.valid_to, begins + 1)


def _add(doing: Taking, one: Candidate, place: Place, *, beside: bool) -> str:
    host, tx, at, actor = doing.host, doing.tx, doing.at, doing.actor
    begins, incumbent = judging.begin_of(one), doing.incumbent
    if beside or incumbent is None or deciding.is_past(one):
        validity = Validity(begins=begins, ends=_ends(one, begins))
        return versions.add(host, tx, one, place, validity, at=at, actor=actor)
    since = rows.valid_from(tx, incumbent.row_id)
    if begins > since:
        return versions.supersede(
            host, tx, one, place, incumbent, begins=begins, ends=_ends(one, begins), at=at, actor=actor
        )
    # It held since before the incumbent is said to: then the incumbent never did.
    validity = Validity(begins=since, ends=_ends(one, since))
    new_id = versions.add(host, tx, one, place, validity, at=at, parent=incumbent, actor=actor)
    rows.retire_windows(tx, incumbent.row_id, at=at, actor=actor, reason=doing.reason)
    return new_id


def _revive(doing: Taking, mine: VersionRef, *, beside: bool) -> str:
    """Let a memory live again that was taken out because it contradicts the incumbent."""
    tx, at, incumbent = doing.tx, doing.at, doing.incumbent
    begins = rows.valid_from(tx, mine.row_id)
    if incumbent is not None and not beside:
        begins = max(begins, rows.valid_from(tx, incumbent.row_id) + 1)
        memories.join_chain(tx, mine, incumbent, at=at)
        versions.end(tx, incumbent, by=mine.id, until=begins, at=at, actor=doing.actor)
    rows.open_window(tx, mine.row_id, valid_from=begins, at=at, actor=doing.actor)
    return mine.id


def _reconcile(doing: Taking, one: Candidate, place: Place) -> str:
    """Reconcile what was only doubtful, now that a person says so."""
    host, tx, at = doing.host, doing.tx, doing.at
    sure = replace(one, confidence=CONFIRMED)
    begins = judging.begin_of(sure)
    evidence = Evidence(said_at=at, by_user=True, begins=begins, confidence=CONFIRMED, by_person=True)
    forgotten = tombstones.forgotten(tx, sure.space_id, sure.equality_key, place.owner)
    found = Around(place=place, evidence=evidence, forgotten=forgotten, equal=None, disputed=None, replaced=None)
    near = [] if deciding.is_past(sure) else judging.near(host, tx, doing.tenant, sure, place.owner, at=at)
    verdicts = judging.by_rules(host, tx, sure, near, at=at)
    settled = deciding.carry_out(host, tx, sure, found, near, verdicts, at=at, actor=doing.actor)
    memory_id = str(settled.memory_id)
    if host.has_llm and near and settled.outcome == "added":
        written.await_judges(host, tx, sure, memory_id, at=at)
    return memory_id


def _add_support(doing: Taking, one: Candidate, memory_id: str) -> None:
    """Let the memory rest on every source that said the same while it waited."""
    for other in candidates.that_reinforced(doing.tx, doing.review.id):
        if other.seq != one.seq and other.equality_key == one.equality_key:
            versions.reinforce(doing.tx, other, memories.by_id(doing.tx, memory_id), at=doing.at)
