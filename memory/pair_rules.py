"""The judge of pairs without a language model: rules over the texts, with the likeness of their vectors."""

from __future__ import annotations

import regex

from memory.judging import Judged, Pair
from memory.statements import normalised, same_slot

_NUMBER = regex.compile(r"\p{N}+(?:[.,:/-]\p{N}+)*")
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*")
_NEGATIONS = frozenset(
    "not no never none nobody n't cannot without nicht kein keine nie pas jamais nunca non нет не 不 没".split()
)
DUPLICATE_SIMILARITY = 0.92


def judge_pair(pair: Pair) -> Judged:
    """Return the verdict on a pair; what is not clear is distinct.

    Args:
        pair: two statements.
    """
    differ = differ_in_values(pair.old, pair.new)
    if same_slot(pair.old, pair.new):
        return Judged(verdict="update", reason="same subject and attribute, another value")
    if pair.similarity >= DUPLICATE_SIMILARITY and not differ:
        return Judged(verdict="duplicate", reason="nearly the same words")
    return Judged(verdict="distinct", reason="no structural reason")


def could_replace(old: str, new: str, *, same_speaker: bool) -> bool:
    """Tell whether a statement can take the place of another: it speaks of the same subject.

    Args:
        old: the statement that is known.
        new: the one that may replace it.
        same_speaker: both are said by one speaker, so that "I" is the same person.
    """
    before, after = _WORD.findall(normalised(old)), _WORD.findall(normalised(new))
    return bool(before and after and (before[0] == after[0] or set(before[:3]) & set(after[:3])))


def differ_in_values(old: str, new: str) -> bool:
    """Tell whether two statements differ in a number, a date or in being negated: then they are never the same."""
    before, after = normalised(old), normalised(new)
    if sorted(_NUMBER.findall(before)) != sorted(_NUMBER.findall(after)):
        return True
    return _negated(before) != _negated(after)


def _negated(text: str) -> bool:
    return any(word in _NEGATIONS or word.endswith("n't") for word in _WORD.findall(text))
