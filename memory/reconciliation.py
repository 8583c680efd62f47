"""What becomes of a candidate, decided from what is known: the rules, without any store or model.

The order of the rules is the order of their authority: what a person forgot, then equality, then a structural reason to
supersede, then addition.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.records import Micros, Outcome

# Share of the remaining doubt that one more independent source removes. A fifth: five sources that agree take a
# rule-extracted fact from 0.7 to 0.9, and no number of them reaches certainty, which only a person can give.
REINFORCEMENT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a candidate rests on."""

    said_at: Micros  # when it was said, or recorded when that is unknown
    by_user: bool  # a user said it in a conversation (documents and assistants are not the person)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store knows about a candidate's statement at commit time."""

    forgotten_at: Micros | None = None  # a person forgot this statement then
    equal: bool = False  # a live memory says the same
    replaced: bool = False  # a memory of the replaced revision has the same subject and attribute


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The outcome, and why."""

    outcome: Outcome
    reason: str


def decide(evidence: Evidence, known: Known) -> Decision:
    """Return what becomes of a candidate.

    A forgotten statement stays forgotten unless a user says it again after the forgetting; equal statements reinforce;
    a new revision of a document supersedes what its old revision said of the same subject and attribute.
    """
    if known.forgotten_at is not None:
        if not evidence.by_user or evidence.said_at <= known.forgotten_at:
            return Decision(outcome="suppressed", reason="forgotten by a person")
        return Decision(outcome="added", reason="said again after it was forgotten")
    if known.equal:
        return Decision(outcome="reinforced", reason="says the same")
    if known.replaced:
        return Decision(outcome="superseded", reason="the document was revised")
    return Decision(outcome="added", reason="new")


def reinforced(confidence: float) -> float:
    """Return the confidence (0..1) of a memory after one more source said the same."""
    return min(1.0, confidence + (1.0 - confidence) * REINFORCEMENT)
