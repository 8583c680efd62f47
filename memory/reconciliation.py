"""What becomes of a candidate, decided from what is known and judged: the rules, without any store or model.

The order of the rules is the order of their authority: what a person forgot, then equality, then what waits for a
person, then the judges. `docs/reconcile.md` has them as tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.judging import Verdict
from memory.records import Micros, Outcome, ReviewKind

# Share of the remaining doubt that one more independent source removes. A fifth: five sources that agree take a
# rule-extracted fact from 0.7 to 0.9, and no number of them reaches certainty, which only a person can give.
REINFORCEMENT = 0.2
NEW = "new"
# From here on a contradiction is for a person to decide: what was written directly (0.95), or said by two sources and
# more; one message alone (0.7) is not.
CONFIDENT = 0.8
# Below, a candidate waits on the review list. The rules give 0.5 to what an assistant said.
DOUBTFUL = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a candidate rests on."""

    said_at: Micros  # when it was said, or recorded when that is unknown
    by_user: bool  # a user said it in a conversation (documents and assistants are not the person)
    begins: Micros  # when it became true, as far as is known
    confidence: float = 0.7  # 0..1
    by_person: bool = False  # a person wrote it down; nobody else has to be asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A live memory near a candidate, with what the judge said of the two."""

    id: str
    verdict: Verdict
    begins: Micros  # of its window
    recorded_at: Micros
    confidence: float
    by_person: bool  # a person wrote this version
    replaceable: bool  # same subject, and no other attribute: a structural reason to supersede is possible
    values_differ: bool  # numbers, dates or negation differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store knows about a candidate's statement at commit time."""

    forgotten_at: Micros | None = None  # a person forgot this statement then
    refused_at: Micros | None = None  # a person decided then that it is not so
    equal: bool = False  # a live memory says the same
    disputed: bool = False  # the candidate of an open review says the same
    replaced: bool = False  # a memory of the replaced revision has the same subject and attribute
    neighbours: tuple[Neighbour, ...] = ()  # nearest first
    repeats: bool = False  # it is a list of nothing but what is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The outcome, and why."""

    outcome: Outcome
    reason: str
    target: str | None = None  # the neighbour that is reinforced, superseded, disputed, or precedes a historic version
    ends: tuple[str, ...] = ()  # further neighbours whose windows end
    historic: bool = False  # its window ends where the target's begins
    review: ReviewKind | None = None  # what a person is asked about it


def settled_without_judges(evidence: Evidence, known: Known) -> Decision | None:
    """Return what becomes of a candidate when no judge is needed for it; None when one is, if there are neighbours.

    A forgotten statement stays forgotten unless a user says it again after the forgetting; equal statements reinforce;
    a new revision of a document supersedes what its old revision said of the same subject and attribute.
    """
    against = max((at for at in (known.forgotten_at, known.refused_at) if at is not None), default=None)
    said_again = evidence.by_person or (evidence.by_user and against is not None and evidence.said_at > against)
    if against is not None and not said_again:
        reason = "forgotten by a person" if against == known.forgotten_at else "a person decided against it"
        return Decision(outcome="suppressed", reason=reason)
    if known.equal:
        return Decision(outcome="reinforced", reason="says the same")
    if known.disputed:
        return Decision(outcome="reinforced", reason="says the same as what waits for a person")
    if known.repeats:
        return Decision(outcome="dropped", reason="repeats what is known")
    if is_doubtful(evidence.confidence):
        return Decision(outcome="review", reason="its confidence is low", review="low_confidence")
    if known.replaced:
        return Decision(outcome="superseded", reason="the document was revised")
    return None


def decide(evidence: Evidence, known: Known) -> Decision:
    """Return what becomes of a candidate.

    Args:
        evidence: what it rests on.
        known: what is known, with a verdict for each neighbour.
    """
    early = settled_without_judges(evidence, known)
    if early is not None:
        return early
    decision = _by_verdicts(evidence, [_checked(one) for one in known.neighbours])
    if decision.reason == NEW and known.forgotten_at is not None:
        return replace(decision, reason="said again after it was forgotten")
    return decision


def _checked(one: Neighbour) -> Neighbour:
    """Correct a verdict that the texts rule out: other numbers are no duplicate, nothing is said of another subject."""
    if one.verdict == "duplicate" and one.values_differ:
        return replace(one, verdict="update" if one.replaceable else "distinct")
    if one.verdict != "distinct" and not one.replaceable:
        return replace(one, verdict="undecided")
    return one


def _by_verdicts(evidence: Evidence, near: Sequence[Neighbour]) -> Decision:
    changed = [one for one in near if one.verdict in ("update", "contradiction")]
    later = [one for one in changed if evidence.begins < one.begins]
    disputed = next((one for one in changed if one not in later and _needs_person(evidence, one)), None)
    if disputed is not None:
        reason = "contradicts what is known" if disputed.verdict == "contradiction" else "a person said so later"
        return Decision(outcome="conflict", reason=reason, target=disputed.id, review="contradiction")
    same = next((one for one in near if one.verdict == "duplicate"), None)
    earlier = [one for one in changed if one not in later]
    if same is not None:
        ended = tuple(one.id for one in earlier if one.id != same.id)
        return Decision(outcome="reinforced", reason="judged to say the same", target=same.id, ends=ended)
    if later:
        first = min(later, key=lambda one: one.begins)
        ended = tuple(one.id for one in earlier)
        return Decision(
            outcome="added", reason="older than what is known; kept as history", target=first.id, ends=ended,
            historic=True,
        )  # fmt: skip
    if earlier:
        ended = tuple(one.id for one in earlier[1:])
        reason = "judged to be a change" if earlier[0].verdict == "update" else "contradicts what was doubtful"
        return Decision(outcome="superseded", reason=reason, target=earlier[0].id, ends=ended)
    if any(one.verdict == "undecided" for one in near):
        return Decision(outcome="added", reason="no judge could decide", review="unjudged")
    return Decision(outcome="added", reason="judged to be another fact" if near else NEW)


def _needs_person(evidence: Evidence, one: Neighbour) -> bool:
    if evidence.by_person:
        return False
    if one.verdict == "contradiction" and one.confidence >= CONFIDENT:
        return True
    return one.by_person and evidence.said_at < one.recorded_at


def is_doubtful(confidence: float) -> bool:
    """Tell whether a fact of this confidence (0..1) waits for a person before it is one."""
    return confidence < DOUBTFUL


def reinforced(confidence: float) -> float:
    """Return the confidence (0..1) of a memory after one more source said the same."""
    return min(1.0, confidence + (1.0 - confidence) * REINFORCEMENT)
