"""The judge of pairs without a language model: rules over the texts, with the likeness of their vectors.

A wrong update takes a fact away, so every rule needs a positive reason, and what none of them claims is distinct: then
both facts are kept. The order of the rules is that of their certainty. `python -m benchmarks.facts` measures them.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.judging import Judged, Pair, Verdict
from memory.pairs.changes import other_subject, spoken_change
from memory.pairs.contradictions import never_and_once, two_origins
from memory.pairs.frames import Frame, changed_state, frame, new_value, parts_in_subject
from memory.pairs.measures import denial_taken_back, other_measure
from memory.pairs.same import says_the_same
from memory.pairs.speakers import in_one_voice
from memory.pairs.texts import Side, differs_in_values, side
from memory.statements import normalised

# A longer statement holds more than one fact, and the time of the rules grows with the square of the length.
MOST_TOKENS = 60
# Less similar statements share words by accident.
UPDATE_SIMILARITY = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A pair, taken apart once for all rules."""

    pair: Pair
    old: Side
    new: Side
    laid: Frame
    strangers: bool  # two people, each speaking of themselves


def judge_pair(pair: Pair) -> Judged:
    """Return the verdict on a pair; what is not clear is distinct.

    Args:
        pair: two statements.
    """
    pair = in_one_voice(pair)
    old, new = side(pair.old), side(pair.new)
    if max(len(old.tokens), len(new.tokens)) > MOST_TOKENS:
        return Judged(verdict="distinct", reason="too long to be one fact")
    case = _Case(pair=pair, old=old, new=new, laid=frame(old, new), strangers=_strangers(pair, old, new))
    verdict, reason = _verdict(case)
    return Judged(verdict=verdict, reason=reason)


def could_replace(old: str, new: str, *, same_speaker: bool) -> bool:
    """Tell whether a statement can take the place of another: nothing shows another subject or attribute.

    Args:
        old: the statement that is known.
        new: the one that may replace it.
        same_speaker: both are said by one speaker, so that "I" is the same person.
    """
    before, after = side(old), side(new)
    if max(len(before.tokens), len(after.tokens)) > MOST_TOKENS:
        return True
    if after.asks or (before.of_speaker and after.of_speaker and not same_speaker):
        return False
    return not other_subject(before, after) and not parts_in_subject(frame(before, after))


def differ_in_values(old: str, new: str) -> bool:
    """Tell whether two statements differ in a number, a date or in being denied: then they are never the same.

    Spellings of one value are no difference: "five" and 5, 40 kg and 40 kilograms, 5 pm and 17:00. A denial in other
    words, such as "forbidden" or "unable", is none either.

    Args:
        old: one statement.
        new: another.
    """
    return differs_in_values(side(old), side(new))


def _verdict(case: _Case) -> tuple[Verdict, str]:
    """Return what the first rule that applies says, and why."""
    if case.old.asks != case.new.asks:
        return "distinct", "only one of the two is a question"
    if case.strangers:
        return "distinct", "two people, each speaking of themselves"
    if says_the_same(case.pair, case.old, case.new) and not _changes(case):
        return "duplicate", "the same in other words"
    if two_origins(case.laid, case.old):
        return "contradiction", "two dates of what happens once"
    if never_and_once(case.old, case.new, case.pair.similarity):
        return "contradiction", "never, and yet once"
    return _change(case)


def _changes(case: _Case) -> bool:
    """Tell whether either of the two, if it were the newer, would change the other."""
    back = frame(case.new, case.old)
    return _changing(case.old, case.new, case.laid) is not None or _changing(case.new, case.old, back) is not None


def _change(case: _Case) -> tuple[Verdict, str]:
    if case.pair.similarity < UPDATE_SIMILARITY or case.new.asks:
        return "distinct", "not similar enough for a change"
    reason = _changing(case.old, case.new, case.laid)
    return ("distinct", "no structural reason") if reason is None else ("update", reason)


def _changing(old: Side, new: Side, laid: Frame) -> str | None:
    """Return why a statement puts something else in the place of another, if it does."""
    if new_value(laid):
        return "same subject and attribute, another value"
    if other_measure(old, new):
        return "the same words, another measure"
    if denial_taken_back(old, new):
        return "what was denied is now so, or the other way round"
    if changed_state(laid):
        return "the subject's state is said to have changed"
    if spoken_change(old, new):
        return "a change of what is known is spoken of"
    return None


def _strangers(pair: Pair, old: Side, new: Side) -> bool:
    """Tell whether "I" is two people; one of them may have named the other."""
    if pair.old_speaker is None or pair.new_speaker is None or _same_person(pair.old_speaker, pair.new_speaker):
        return False
    if old.of_speaker and new.of_speaker:
        return True
    one, other = (pair.old_speaker, new) if old.of_speaker else (pair.new_speaker, old)
    return (old.of_speaker or new.of_speaker) and normalised(one) not in other.text


def _same_person(one: str, other: str) -> bool:
    return one == other or normalised(one) == normalised(other)
