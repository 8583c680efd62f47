"""Carries out what a person decided of the review list, on the writer's side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory.calibration import UNDECIDED
from memory.errors import StateConflict
from memory.records import Actor, Micros, Review
from memory.statements import equality_key
from services import asking, labelling, owed, reconsidering, versions
from services.host import Host
from services.persons import require_person
from services.taking import Taking, take
from store import candidates, memories, reviews, rows, tombstones
from store.candidates import Candidate
from store.connection import Writer
from store.memories import VersionRef
from store.requests import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolving:
    """A resolution under way."""

    host: Host
    tx: Writer
    tenant: str
    asked: Request
    at: Micros
    review: Review
    one: Candidate | None  # None when it is gone
    incumbent: VersionRef | None  # the live memory in question; None when it is not live any more

    @property
    def actor(self) -> Actor:
        return self.asked.actor

    @property
    def reason(self) -> str:
        told = self.asked.payload.get("reason")
        return f"{self.review.id} was decided by {self.actor.kind} {self.actor.id}" + (f": {told}" if told else "")

    @property
    def taking(self) -> Taking:
        return Taking(
            host=self.host, tx=self.tx, tenant=self.tenant, review=self.review, incumbent=self.incumbent,
            actor=self.actor, reason=self.reason, at=self.at,
        )  # fmt: skip


def resolve(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Decide an entry of the review list, as `services.review.resolve`.

    Raises:
        PersonOnly: it is not a person who decides.
        NotFound: there is no such entry.
        StateConflict: it is resolved already, or nothing is left to decide about.
        AlreadyKnown: another live memory says what is to become current; `id` names it.
    """
    payload = asked.payload
    require_person(asked.actor)
    found = reviews.find(asking.scope_of(tenant, payload), tx, str(payload["id"]))
    if found.state != "open":
        raise StateConflict(f"This was resolved already ({found.resolution}).", id=found.id)
    at = host.clock()
    doing = _Resolving(
        host=host, tx=tx, tenant=tenant, asked=asked, at=at, review=found, one=_candidate(tx, found),
        incumbent=_live(tx, found.memory_id, at),
    )  # fmt: skip
    flagged = found.kind in ("unjudged", "inferred")
    table = _OF_DOUBTED if found.proposed == UNDECIDED else _OF_FLAGGED if flagged else _OF_CANDIDATES
    memory_id = table[str(payload["resolution"])](doing)
    labelling.from_resolution(tx, found, str(payload["resolution"]), actor=asked.actor, at=at)
    reviews.resolve(
        tx, found.id, resolution=str(payload["resolution"]), actor=asked.actor, reason=payload.get("reason"), at=at
    )
    return {"id": found.id, "memory": memory_id}


def _candidate(tx: Writer, found: Review) -> Candidate | None:
    known = candidates.by_seq(tx, [found.candidate_seq]) if found.candidate_seq is not None else []
    return known[0] if known else None


def _live(tx: Writer, memory_id: str | None, at: Micros) -> VersionRef | None:
    """Return the version of a memory's chain that is live now."""
    known = memories.find(tx, memory_id) if memory_id is not None else None
    if known is None:
        return None
    newest = memories.latest(tx, known.root_id)
    ahead = newest.forgotten_at is None and rows.is_ahead(tx, newest.row_id, at=at)
    return newest if ahead else None


def _keep_incumbent(doing: _Resolving) -> str | None:
    """Refuse the candidate; the same statement from an old source is suppressed from now on."""
    return doing.incumbent.id if doing.incumbent else None


def _take_candidate(doing: _Resolving) -> str:
    return take(doing.taking, _required(doing))


def _keep_both(doing: _Resolving) -> str:
    return take(doing.taking, _required(doing), beside=True)


def _required(doing: _Resolving) -> Candidate:
    if doing.one is None or doing.one.vector is None:
        raise StateConflict("The candidate is gone; write the fact directly instead.", id=doing.review.id)
    return doing.one


def _edit(doing: _Resolving) -> str:
    """Make the words of the person current, resting on the candidate's source too."""
    payload = doing.asked.payload
    text, model = str(payload["text"]), owed.made_by(doing.host, payload)
    vector, generation = owed.read_vector(doing.tx, str(payload["vector"]), model, at=doing.at)
    base = doing.one or _blank(doing)
    edited = replace(
        base, statement=text, equality_key=equality_key(text, base.speaker), vector=vector, generation_id=generation
    )
    return take(doing.taking, edited)


def _blank(doing: _Resolving) -> Candidate:
    incumbent = doing.incumbent
    if incumbent is None:
        raise StateConflict("Nothing is left to edit; write the fact directly instead.", id=doing.review.id)
    return Candidate(
        space_id=incumbent.space_id, job_id=doing.asked.id, statement="", quote="", start=0, end=0, position=0,
        kind="fact", confidence=incumbent.confidence, model="direct", equality_key="", recorded_at=doing.at,
    )  # fmt: skip


def _confirm(doing: _Resolving) -> str | None:
    """Take the flag off a memory that was added without a verdict, or was inferred."""
    if doing.incumbent is None:
        return None
    memories.confirm(doing.tx, doing.incumbent.id)
    rows.announce(doing.tx, doing.incumbent.row_id, "metadata", at=doing.at)
    return doing.incumbent.id


def _confirm_in_place(doing: _Resolving) -> str | None:
    """Confirm a memory that no judge could decide on, and let it take the place of the one that was in question."""
    confirmed, mine = _confirm(doing), doing.incumbent
    behind = labelling.behind(doing.tx, doing.review)
    other = _live(doing.tx, behind.other_id, doing.at) if behind is not None else None
    if mine is not None and other is not None and other.root_id != mine.root_id:
        memories.join_chain(doing.tx, mine, other, at=doing.at)
        until = rows.valid_from(doing.tx, mine.row_id)
        versions.end(doing.tx, other, by=mine.id, until=until, at=doing.at, actor=doing.actor)
    return confirmed


def _decline(doing: _Resolving) -> str | None:
    """Forget a flagged memory: what it says is not so."""
    if doing.incumbent is None:
        return None
    rows.retire_windows(doing.tx, doing.incumbent.row_id, at=doing.at, actor=doing.actor, reason=doing.reason)
    tombstones.mark_forgotten(doing.tx, doing.incumbent, at=doing.at, reason=doing.reason)
    return doing.incumbent.id


def _put_back(doing: _Resolving) -> str:
    """Let what was replaced by a doubted verdict live again, in the place of what replaced it."""
    return reconsidering.put_back(doing.host, doing.tx, doing.tenant, doing.asked, doing.review.decision_id)


def _put_back_beside(doing: _Resolving) -> str:
    """Let what was replaced by a doubted verdict live again, beside what replaced it."""
    if doing.incumbent is None or doing.incumbent.id != doing.review.memory_id:
        raise StateConflict("This memory has changed since; undo that first.", id=doing.review.memory_id)
    return reconsidering.put_back(
        doing.host, doing.tx, doing.tenant, doing.asked, doing.review.decision_id, beside=doing.incumbent
    )


_OF_CANDIDATES = {
    "keep_incumbent": _keep_incumbent,
    "take_candidate": _take_candidate,
    "keep_both": _keep_both,
    "edit": _edit,
}
_OF_FLAGGED = {
    "keep_incumbent": _decline,
    "take_candidate": _confirm_in_place,
    "keep_both": _confirm,
    "edit": _edit,
}

# A memory took another's place by a verdict that no longer counts.
_OF_DOUBTED = {
    "keep_incumbent": _put_back,
    "take_candidate": _confirm,
    "keep_both": _put_back_beside,
    "edit": _edit,
}

HANDLERS = {"resolve": resolve}
