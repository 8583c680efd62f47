"""One statement of a pair as the rules see it: tokens, content words, values, and what kind of sentence it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from memory.pairs.change_words import FUNCTION_WORDS, NOW_PARTS, SPEAKER_PARTS, SPEAKERS
from memory.pairs.denials import denies, denies_softly, is_denial
from memory.pairs.quantities import Quantity, same_quantities
from memory.pairs.quantity_reading import HAN_WEEKDAY, is_value, quantities
from memory.pairs.quantity_spellings import RECENT, respelled
from memory.pairs.quantity_words import ARTICLES, HALVES, MULTIPLES, PARTS_OF_DAY, UNITS
from memory.statements import normalised

# Chinese and Japanese are compared character by character, for want of spaces.
_TOKEN = regex.compile(
    HAN_WEEKDAY
    + r"|[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*|\p{Nd}+(?:[.,:/]\p{Nd}+)*|[:=%€$£?]"
)
_ELISION = regex.compile(r"^(?:l|d|j|m|t|s|n|c|qu)'(?=\p{L}{2})|'(?:s|re|ve|ll|d|m)$")
_PREFIX = regex.compile(r"(?:un|in|im|il|ir|non|dis|не|niet|on|o|nie)(?=\p{L}{4})")
_NAME = regex.compile(r"(?<=\S\s+[\"'(]?)\p{Lu}[\p{L}\p{M}]*")
_MEASURING = frozenset((*UNITS, *MULTIPLES, *PARTS_OF_DAY, *HALVES))
_ENDING = regex.compile(r"(?:e?s|e?d|(\w)?(?:ed|ing))")
_LABEL = regex.compile(r"(?<=\S\s)[A-HJ-Z](?![\p{L}\p{M}\p{N}'’&]|\.\s?\p{Lu})")
# "4th" is a value like 4.
_PLACE = regex.compile(r"(?<=\p{Nd})(?:st|nd|rd|th)\b")
# Longer words that begin alike are forms of one word when they share this much, and most of the shorter one.
_STEM, _SHARE = 4, 0.65


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A statement, taken apart once."""

    said: str  # as it is
    text: str  # normalised
    tokens: tuple[str, ...]
    content: frozenset[str]  # words that say something, without elisions and possessive endings; no numbers
    values: tuple[Quantity, ...]
    names: frozenset[str]  # words written with a capital that do not begin the statement
    labels: frozenset[str]  # single capitals, as in "server B"
    denies: bool
    asks: bool
    of_speaker: bool  # in the first person


@lru_cache(maxsize=RECENT)
def side(statement: str) -> Side:
    """Take a statement apart."""
    text = _without_now(normalised(statement))
    tokens = tuple(_TOKEN.findall(text))
    spelled = _PLACE.sub("", respelled(text))
    labels = _LABEL.findall(statement)
    return Side(
        said=statement,
        text=text,
        tokens=tokens,
        content=frozenset(content_of(_unmeasured(tokens if spelled == text else _TOKEN.findall(spelled)))),
        values=(*quantities(text), *(Quantity("label", float(ord(letter)), letter) for letter in labels)),
        names=_names(statement),
        labels=frozenset(letter.casefold() for letter in labels),
        denies=denies(text, tokens),
        asks=text.endswith(("?", "？", "؟")),
        of_speaker=not SPEAKERS.isdisjoint(tokens) or any(part in text for part in SPEAKER_PARTS),
    )


def content_of(tokens: Iterable[str]) -> list[str]:
    """Return the words that say something: no function words, no numbers, days or months."""
    return [word for token in tokens if (word := _content(token))]


@lru_cache(maxsize=16_384)
def _content(token: str) -> str:
    """Return a word that says something without what elision leaves of another; empty for other tokens."""
    if not token[0].isalpha():
        return ""
    word = _ELISION.sub("", token)
    return "" if word in FUNCTION_WORDS or is_value(word) or is_denial(word) else word


def _unmeasured(tokens: Sequence[str]) -> list[str]:
    """Leave out the units of values, which are compared as values."""
    before = ("", *tokens)
    return [
        token
        for previous, token in zip(before, tokens, strict=False)
        if not (token in _MEASURING and (is_value(previous) or previous in ARTICLES or previous in MULTIPLES))
    ]


def same_word(one: str, other: str) -> bool:
    """Tell whether two words are forms of one word, as far as their beginnings tell: "closes", "closing"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) > 2 and long.startswith(short) and _ENDING.fullmatch(long[len(short) :]):
        return True
    shared = shared_start(one, other)
    return shared >= _STEM and shared >= _SHARE * min(len(one), len(other)) and max(len(one), len(other)) - shared <= 4


def missing(words: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the words that none of the others is a form of."""
    known = set(others)
    return [word for word in words if word not in known and not any(same_word(word, other) for other in known)]


def shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many leading characters or tokens two sequences share."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def _names(statement: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _NAME.findall(statement))


def _without_now(text: str) -> str:
    for part in NOW_PARTS:
        text = text.replace(part, "")
    return text


def differs_in_values(old: Side, new: Side) -> bool:
    """Tell whether a value differs, or only one of the two denies something."""
    return not same_quantities(old.values, new.values) or _differ_in_denial(old, new)


def _differ_in_denial(old: Side, new: Side) -> bool:
    if old.denies == new.denies:
        return False
    one, other = (old, new) if old.denies else (new, old)
    return not (denies_softly(other.tokens) or _privative(other.tokens, one.content))


def _privative(tokens: Iterable[str], denied: Iterable[str]) -> bool:
    """Tell whether a word is one of those denied with a prefix that denies it: "unfinished", "некурящий"."""
    bare = [token[len(found[0]) :] for token in tokens if (found := _PREFIX.match(token))]
    return bool(bare) and len(missing(bare, denied)) < len(bare)
