"""A change that is put into words: "no longer", "moved to", "left", and who or what it is about."""

from __future__ import annotations

from collections.abc import Sequence

from memory.change_words import (
    ABSOLUTES,
    ADDITIVE,
    CHANGE_PARTS,
    CHANGES,
    COMPARING,
    ENDINGS,
    FUNCTION_WORDS,
    NOWS,
    PLANS,
    STATES,
    UNCHANGING,
)
from memory.pair_texts import Side, content_of, missing
from memory.quantities import is_value
from memory.synonyms import canonical

# "No longer" and "not any more": what was is over.
_OVER = (
    "no longer", "is over", "are over", "any more", "anymore", "no more", "nicht mehr", "kein mehr", "keine mehr", "ne plus", "n'est plus",
    "ya no", "já não", "non più", "больше не", "już nie", "inte längre", "niet meer", "artık", "لم يعد", "不再", "なくなりました",
)  # fmt: skip
# Share of the old statement's words that a new one must take up to be about the same attribute.
LEAST_TAKEN_UP = 0.5


def subject(one: Side) -> list[str]:
    """Return the words before the first verb of a state, with their numbers; none when there is no such verb."""
    for at, token in enumerate(one.tokens):
        if at and (token in STATES or token in (":", "=")):
            return [word for place, word in enumerate(one.tokens[:at]) if _names_subject(one.tokens, place)]
    return []


def _names_subject(tokens: Sequence[str], place: int) -> bool:
    """Tell whether a word is part of a subject's name; "four" in "four people" or "over 90" is a count."""
    word = tokens[place]
    if is_value(word):
        return place > 0 and tokens[place - 1] not in COMPARING
    return word not in FUNCTION_WORDS and word not in STATES


def other_subject(old: Side, new: Side) -> bool:
    """Tell whether each statement's subject has a word or number that the other statement lacks altogether."""
    before, after = subject(old), subject(new)
    return bool(_strangers(before, new) and _strangers(after, old))


def spoken_change(old: Side, new: Side) -> bool:
    """Tell whether the new statement says that what the old one states is over or has changed."""
    if not tells_change(new, old) or not set(old.tokens).isdisjoint(UNCHANGING):
        return False
    if not ADDITIVE.isdisjoint(new.tokens) or not PLANS.isdisjoint(new.tokens) or not PLANS.isdisjoint(old.tokens):
        return False
    if not ABSOLUTES.isdisjoint(old.tokens) and NOWS.isdisjoint(new.tokens):
        return False
    if not _states(old) or not _keeps_subject(old, new):
        return False
    return _takes_up(old, new)


def tells_change(new: Side, old: Side) -> bool:
    """Tell whether a statement has a word or phrase of change that the other has not in any form."""
    said = [token for token in new.tokens if token in CHANGES or token in ENDINGS]
    if missing(map(canonical, said), map(canonical, old.tokens)) or any(phrase in new.text and phrase not in old.text for phrase in _OVER):
        return True
    return any(part in new.text and part not in old.text for part in CHANGE_PARTS)


def _states(old: Side) -> bool:
    """Tell whether the old statement is one of a state, not of something that happened."""
    return any(token in STATES or token in (":", "=") for token in old.tokens)


def _keeps_subject(old: Side, new: Side) -> bool:
    about = subject(old)
    if about:
        return not _strangers(about, new)
    return old.of_speaker and new.of_speaker


def _takes_up(old: Side, new: Side) -> bool:
    """Tell whether the new statement speaks of the old one's attribute: it repeats most of its words."""
    words = [word for word in old.content if word not in STATES]
    if not words:
        return False
    lost = missing(words, new.content)
    return 1 - len(lost) / len(words) >= LEAST_TAKEN_UP and len(words) > len(lost)


def _strangers(words: Sequence[str], other: Side) -> list[str]:
    """Return the words, and numbers, that another statement lacks."""
    numbers = [word for word in words if is_value(word) and word not in other.tokens]
    return numbers + missing(content_of(words), content_of(other.tokens))
