"""Decides one candidate inside the writer's commit, and carries the decision out. `docs/reconcile.md` has the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.reconciliation import Decision, Evidence, Known, decide, is_doubtful, settled_without_judges
from memory.records import FOREVER, Actor, Micros, Outcome, Owner, ReviewKind
from memory.repeats import only_repeats
from memory.statements import same_slot
from services import judging, versions
from services.host import Host
from services.judging import Verdicts
from services.versions import Place, Validity
from store import (
    candidates,
    documents,
    episodes,
    judgements,
    memories,
    memory_sources,
    reviews,
    rows,
    sessions,
    tombstones,
)
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.connection import Writer
from store.memories import VersionRef
from store.nearest import Near


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the store has around a candidate, as the deciding commit sees it."""

    place: Place
    evidence: Evidence
    forgotten: VersionRef | None
    equal: VersionRef | None
    disputed: str | None  # the open review that says the same
    refused_at: Micros | None = None  # a person decided against this statement then
    replaced: VersionRef | None
    repeats: bool = False  # a message, every line of which is known

    @property
    def owner(self) -> Owner:
        """Whose the candidate is."""
        return self.place.owner

    @property
    def touched(self) -> tuple[str, ...]:
        """The memories that it reads and may change, wherever they lie."""
        return tuple(each.id for each in (self.equal, self.replaced) if each is not None)

    @property
    def known(self) -> Known:
        """What of it the pure rules ask for."""
        return Known(
            forgotten_at=self.forgotten.forgotten_at if self.forgotten else None,
            refused_at=self.refused_at,
            equal=self.equal is not None,
            disputed=self.disputed is not None,
            replaced=self.replaced is not None,
            repeats=self.repeats,
        )

    @property
    def needs_judges(self) -> bool:
        """Whether the outcome depends on what is near."""
        return settled_without_judges(self.evidence, self.known) is None


def is_past(one: Candidate) -> bool:
    """Tell whether a candidate held no longer when it came in; nothing current is compared with it then."""
    return one.valid_to is not None and one.valid_to <= one.recorded_at


def stale(tx: Writer, one: Candidate, *, at: Micros) -> str | None:
    """Say why a candidate no longer counts; None when it does."""
    if ledger_rows.state_of(tx, one.job_id) == "cancelled":
        return "the job was cancelled"
    if one.document_id is None:
        return None
    if documents.place_of(tx, one.document_id).deleted_at is not None:
        return "the document was deleted"
    if documents.revision(tx, one.document_id, one.revision or 1).state != "live":
        return "the document was revised"
    return None


def placed(tx: Writer, one: Candidate) -> Candidate:
    """Return a candidate in the space that its memory or its source is in by now, whatever a merge has moved."""
    if one.written_id is not None:
        return replace(one, space_id=memories.by_id(tx, one.written_id).space_id)
    if one.document_id is not None:
        return replace(one, space_id=documents.place_of(tx, one.document_id).space_id)
    if one.episode_id is not None:
        return replace(one, space_id=sessions.of_episode(tx, one.episode_id).space_id)
    return one


def around(tx: Writer, one: Candidate, *, at: Micros) -> Around:
    """Read what decides about a candidate."""
    place = versions.place_of(tx, one)
    owner = place.owner
    equal = memories.live_equal(tx, one.space_id, one.equality_key, owner, at=at)
    return Around(
        place=place,
        evidence=_evidence(tx, one),
        forgotten=tombstones.forgotten(tx, one.space_id, one.equality_key, owner),
        equal=equal,
        disputed=None if equal else disputed_by(tx, one, owner),
        refused_at=reviews.refused_at(tx, one.space_id, one.equality_key, owner),
        replaced=None if equal else _replaced(tx, one),
        repeats=equal is None and _only_repeats(tx, one, owner, at=at),
    )


def disputed_by(tx: Writer, one: Candidate, owner: Owner) -> str | None:
    """Return the open review that takes up a candidate which says the same; what is doubtful takes up nothing sure."""
    kinds: list[ReviewKind] = ["contradiction"]
    if is_doubtful(one.confidence):
        kinds.append("low_confidence")
    return reviews.open_equal(tx, one.space_id, one.equality_key, owner, kinds)


def _only_repeats(tx: Writer, one: Candidate, owner: Owner, *, at: Micros) -> bool:
    """Tell whether a message says line by line what is known, as search results do that are pasted back."""

    def is_known(key: str) -> bool:
        return memories.live_equal(tx, one.space_id, key, owner, at=at) is not None

    return one.episode_id is not None and only_repeats(one.quote, is_known)


def _evidence(tx: Writer, one: Candidate) -> Evidence:
    begins = judging.begin_of(one)
    if one.episode_id is None:
        return Evidence(said_at=one.said_at or 0, by_user=False, begins=begins, confidence=one.confidence)
    episode = episodes.by_id(tx, one.episode_id)
    # A time that lies ahead is a clock that is wrong, and must not make an old statement a new one.
    said_at = min(one.said_at or episode.recorded_at, episode.recorded_at)
    return Evidence(said_at=said_at, by_user=episode.role == "user", begins=begins, confidence=one.confidence)


def _replaced(tx: Writer, one: Candidate) -> VersionRef | None:
    """Return the memory that an older revision of the same document taught about the same subject and attribute."""
    if one.document_id is None or (one.revision or 1) == 1:
        return None
    kept = candidates.equality_keys(tx, one.job_id)
    lost = memory_sources.sole_sources(tx, one.document_id, but_revision=one.revision)
    return next((old for old in lost if old.equality_key not in kept and same_slot(old.statement, one.statement)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of a candidate."""

    outcome: Outcome
    reason: str
    memory_id: str | None = None
    keep_vector: bool = False


def carry_out(
    host: Host,
    tx: Writer,
    one: Candidate,
    found: Around,
    near: Sequence[Near],
    verdicts: Verdicts,
    *,
    at: Micros,
    actor: Actor | None = None,
) -> Settled:
    """Decide a candidate and write what follows.

    Args:
        host: the truth plane's adapters.
        tx: the fenced transaction.
        one: the candidate.
        found: what is around it.
        near: its nearest live memories.
        verdicts: on each of them.
        at: now.
        actor: who adds it; the job that found it, when left out.
    """
    decision = decide(found.evidence, replace(found.known, neighbours=judging.compared(near, verdicts, one)))
    write = _OUTCOMES.get(decision.outcome)
    if write is None:
        return Settled(outcome=decision.outcome, reason=decision.reason)
    return write(
        _Deciding(
            host=host, tx=tx, one=one, found=found, decision=decision, at=at,
            actor=actor or Actor(kind="pipeline", id=one.job_id),
            targets={each.version.id: each.version for each in near},
        )
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deciding:
    """A decision under way."""

    host: Host
    tx: Writer
    one: Candidate
    found: Around
    decision: Decision
    targets: dict[str, VersionRef]
    at: Micros
    actor: Actor

    def settled(self, memory_id: str | None, *, keep_vector: bool = False) -> Settled:
        return Settled(
            outcome=self.decision.outcome, reason=self.decision.reason, memory_id=memory_id, keep_vector=keep_vector
        )

    def review(self, *, memory_id: str | None) -> None:
        """Put it on the review list, if the decision says so."""
        kind = self.decision.review
        if kind is None:
            return
        decided = next((each for each in self._judgements() if each.memory_id == self.decision.target), None)
        new = reviews.NewReview(
            id=self.host.new_id("con"), space_id=self.one.space_id, owner=self.found.owner, kind=kind,
            memory_id=memory_id, candidate_seq=self.one.seq, decision_id=decided.decision_id if decided else None,
        )  # fmt: skip
        reviews.open_review(self.tx, new, at=self.at)

    def _judgements(self) -> list[judgements.Judgement]:
        return judgements.of_round(self.tx, self.one.seq, self.one.round)


def _reinforced(doing: _Deciding) -> Settled:
    found, tx, at = doing.found, doing.tx, doing.at
    if found.equal is None and doing.decision.target is None:
        reviews.reinforce(tx, str(found.disputed))
        return doing.settled(found.disputed)
    target = found.equal or doing.targets[str(doing.decision.target)]
    versions.reinforce(tx, doing.one, target, at=at)
    until = max(doing.found.evidence.begins, rows.valid_from(tx, target.row_id))
    _end_others(doing, by=target.id, until=until)
    return doing.settled(target.id)


def _added(doing: _Deciding) -> Settled:
    host, tx, one, place, at = doing.host, doing.tx, doing.one, doing.found.place, doing.at
    begins = doing.found.evidence.begins
    parent = _exhumed(tx, doing.found.forgotten, one.space_id, at=at)
    if doing.decision.historic:
        live = doing.targets[str(doing.decision.target)]
        new_id = versions.add_historic(host, tx, one, place, live, begins=begins, at=at, actor=doing.actor)
        _end_others(doing, by=new_id, until=begins)
        return doing.settled(new_id)
    if parent is not None:
        begins = max(begins, rows.earlier_end(tx, parent.root_id, before=FOREVER))
    ends = FOREVER if one.valid_to is None else max(one.valid_to, begins + 1)
    validity = Validity(begins=begins, ends=ends, unjudged=doing.decision.review == "unjudged")
    new_id = versions.add(host, tx, one, place, validity, at=at, parent=parent, actor=doing.actor)
    _close_doubts(doing)
    doing.review(memory_id=new_id)
    return doing.settled(new_id)


def _exhumed(tx: Writer, gone: VersionRef | None, space_id: int, *, at: Micros) -> VersionRef | None:
    """Lift the tombstone of a statement that is said again; return the end of its chain if that has no live version.

    A chain that went on says something else now, and one that a merge has not moved yet is of another space; then the
    statement begins a chain of its own.
    """
    if gone is None:
        return None
    tombstones.lift_tombstone(tx, gone)
    if gone.space_id != space_id or any(window.valid_to > at for window in rows.chain_windows(tx, gone.root_id)):
        return None
    return memories.latest(tx, gone.root_id)


def _superseded(doing: _Deciding) -> Settled:
    found, one = doing.found, doing.one
    parent = doing.targets[doing.decision.target] if doing.decision.target else found.replaced
    if parent is None:
        raise AssertionError("superseded without a memory to supersede")
    begins = found.evidence.begins
    ends = FOREVER if one.valid_to is None else one.valid_to
    _exhumed(doing.tx, found.forgotten, one.space_id, at=doing.at)
    new_id = versions.supersede(
        doing.host, doing.tx, one, found.place, parent, begins=begins, ends=ends, at=doing.at, actor=doing.actor
    )
    _end_others(doing, by=new_id, until=begins)
    _close_doubts(doing)
    return doing.settled(new_id)


def _close_doubts(doing: _Deciding) -> None:
    """Take off the list what waited because it was doubtful, now that it is a memory."""
    key, space_id = doing.one.equality_key, doing.one.space_id
    doubted = reviews.open_equal(doing.tx, space_id, key, doing.found.owner, ("low_confidence",))
    if doubted is not None:
        reviews.resolve(
            doing.tx, doubted, resolution="moot", actor=doing.actor, reason="said with confidence since", at=doing.at
        )


def _end_others(doing: _Deciding, *, by: str, until: Micros) -> None:
    for memory_id in doing.decision.ends:
        other = doing.targets[memory_id]
        versions.end(doing.tx, other, by=by, until=until, at=doing.at, actor=doing.actor)


def _conflict(doing: _Deciding) -> Settled:
    doing.review(memory_id=doing.decision.target)
    return doing.settled(doing.decision.target, keep_vector=True)


def _review(doing: _Deciding) -> Settled:
    doing.review(memory_id=None)
    return doing.settled(None, keep_vector=True)


_OUTCOMES = {
    "added": _added,
    "reinforced": _reinforced,
    "superseded": _superseded,
    "conflict": _conflict,
    "review": _review,
}
