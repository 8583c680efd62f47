"""Two statements that cannot both be true, while nothing can have changed in between."""

from __future__ import annotations

import regex

from memory.pairs.change_words import ABSOLUTE_PARTS, ABSOLUTES, DEFINITE, NOWS, ORIGINS, POSSESSIVES, UNCHANGING
from memory.pairs.changes import YEAR, long_ago, other_subject
from memory.pairs.frames import Frame, parted_figures
from memory.pairs.texts import Side, content_of, missing

_CENTURY = regex.compile(r"century|jahrhundert|siècle|siglo|século|secolo|век|世纪|世紀")
_CONTRACTED = regex.compile(r"(?<=^(?:i|we|they|you|he|she))'\p{L}+$")
# Below, two statements of one subject are not about one thing.
LEAST_SIMILARITY = 0.55


def two_origins(laid: Frame, old: Side) -> bool:
    """Tell whether two statements give one origin, such as a founding, two dates."""
    shared = (*laid.head, *laid.tail)
    century = bool(_CENTURY.search(old.text))
    if not century and (ORIGINS.isdisjoint(shared) or not YEAR.search(old.text)):
        return False
    return parted_figures(laid) and bool(content_of(laid.head))


def never_and_once(old: Side, new: Side, similarity: float) -> bool:
    """Tell whether one statement says "never" of what the other says happened long ago."""
    if not (_absolute(old) or _absolute(new)):
        return False
    if not NOWS.isdisjoint(new.tokens) or similarity < LEAST_SIMILARITY or not _shares_words(old, new):
        return False
    if other_subject(old, new) or _opening(old) != _opening(new) or missing(old.names, new.tokens):
        return False
    if _absolute(old) and not new.denies:
        return long_ago(new)
    # What was true once can not have been never.
    return _absolute(new) and not old.denies and (long_ago(old) or _happened(old))


def _absolute(one: Side) -> bool:
    return not ABSOLUTES.isdisjoint(one.tokens) or any(part in one.text for part in ABSOLUTE_PARTS)


def _happened(one: Side) -> bool:
    return not UNCHANGING.isdisjoint(one.tokens)


def _shares_words(old: Side, new: Side) -> bool:
    return len(missing(old.content, new.content)) < len(old.content)


def _opening(one: Side) -> tuple[str, ...]:
    """Return the word with which a statement opens, with what it belongs to: "I", "my aunt", "ana's"."""
    words = [_CONTRACTED.sub("", token) for token in one.tokens if token not in DEFINITE and token not in ABSOLUTES]
    return tuple(words[: 2 if words and words[0] in POSSESSIVES else 1])
