"""What a person says of themselves, and what another says of that person by name, as if one person said both."""

from __future__ import annotations

from dataclasses import replace

import regex

from memory.judging import Pair
from memory.pairs.change_words import FIRST_PERSON, SPEAKERS
from memory.statements import normalised

_SAYS_I = regex.compile(r"(?i)^(?:i|my|mine)\b|(?<=\s)(?:I|my|me)\b")
_HE = regex.compile(r"(?i)\b(?:he|she)\b")
_HIS = regex.compile(r"(?i)\b(?:his|her)\b(?=\s+\p{L})")
_OTHERS = regex.compile(r"(?i)\b(?:he|she|him|her|his|they|their|them|we|us|our)\b")
_NAME = regex.compile(r"(?<=\S\s)\p{Lu}[\p{L}\p{M}]*")


def in_one_voice(pair: Pair) -> Pair:
    """Return a pair of two speakers, one of whom tells of the other by name, as one said by the one it is about.

    "I have two cats", said by Ivo, and "Ivo has two cats", said by Ada. English only; other pairs are returned as they
    are, and so is one in which "he" or "her" might be a third person.
    """
    if not pair.old_speaker or not pair.new_speaker or pair.old_speaker == pair.new_speaker:
        return pair
    if normalised(pair.old_speaker) == normalised(pair.new_speaker):
        return pair
    told = _as_said_by(pair.old_speaker, pair.old, pair.new)
    if told is not None:
        return replace(pair, new=told, new_speaker=pair.old_speaker)
    told = _as_said_by(pair.new_speaker, pair.new, pair.old)
    return pair if told is None else replace(pair, old=told, old_speaker=pair.new_speaker)


def _as_said_by(speaker: str, own: str, told: str) -> str | None:
    """Return what is told of a speaker as the speaker would say it; None unless it is about the speaker alone."""
    name = speaker.split()[0]
    if name not in told or not _SAYS_I.search(own) or _OTHERS.search(own):
        return None
    named = regex.compile(rf"\b{regex.escape(name)}\b(?!\s\p{{Lu}})")
    if len(named.findall(told)) != 1 or _speaks(told):
        return None
    if any(one not in own for one in _NAME.findall(named.sub("I", told)) if one != "I"):
        return None
    owned = regex.sub(
        named.pattern + r"'s(?=\s(?!in\b|at\b|on\b|a\b|an\b|the\b|from\b|been\b|not\b|\p{L}+(?:ing|ed)\b))", "my", told
    )
    said = _HIS.sub("my", _HE.sub("I", named.sub("I", owned)))
    said = regex.sub(r"\bI (?:is\b|'s\b)|\bI's\b", "I am", said)
    said = regex.sub(r"\bI has\b", "I have", said)
    return said[:1].upper() + said[1:]


def _speaks(told: str) -> bool:
    words = set(regex.findall(r"[\p{L}']+", told.casefold()))
    return not words.isdisjoint(SPEAKERS & FIRST_PERSON)
