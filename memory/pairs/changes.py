"""A change that is put into words: "no longer", "moved to", "left", and who or what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import regex

from memory.pairs.change_words import (
    ABSOLUTES,
    ADDITIVE,
    AUXILIARIES,
    CHANGE_PARTS,
    CHANGES,
    COMPARING,
    DEFINITE,
    ENDINGS,
    FIRST_PERSON,
    FUNCTION_WORDS,
    INDEFINITE,
    LONG_AGO,
    LONG_AGO_PARTS,
    NOWS,
    PENDING,
    PLACES,
    PLANS,
    POSSESSIVES,
    PREPOSITIONS,
    SINCES,
    STATES,
    UNCHANGING,
)
from memory.pairs.quantities import other_quantities, same_kinds, same_quantities
from memory.pairs.quantity_reading import is_value
from memory.pairs.synonyms import canonical
from memory.pairs.texts import Side, content_of, missing

# "No longer", "not any more": what was is over.
_OVER = regex.compile(
    r"\bno longer\b|\b(?:is|are) (?:over|gone|history)\b|\bout of\b"
    r"|\b(?:gave|given|gives) up\b|\bany ?more\b(?! than)|\bno more\b(?! than)"
    r"|\bback (?:in (?:use|service|operation)|online)\b"
    r"|\b(?:nicht|kein\w*)\b.*\bmehr\b|\b(?:ne|n'\w+)\b.*\bplus\b|\bya no\b|\bno\b.*\bmás\b"
    r"|\bjá não\b|\bnão\b.*\bmais\b|\bnon\b.*\bpiù\b|больше не|\bjuż nie\b|\binte längre\b|\bniet meer\b|\bartık\b"
    r"|لم يعد|不再|なくなりました"
)
_ARTICLES = DEFINITE | INDEFINITE
# They may come before the subject.
_OPENINGS = SINCES | CHANGES | ENDINGS | PREPOSITIONS
_VERBS = STATES | CHANGES | ENDINGS | AUXILIARIES
_TOLD = (CHANGES | ENDINGS) - NOWS - PENDING
# With these verbs before them, words of change tell of what always or now is so.
_HAPPENS = frozenset("is are be being get gets".split())
_HABITS = (CHANGES - ENDINGS - NOWS) | frozenset(("left",))
YEAR = regex.compile(r"\b(?:1[0-9]|20)\p{Nd}\p{Nd}s?\b")
# Share of the old statement's words that a new one must take up to be about the same attribute.
LEAST_TAKEN_UP = 0.5


def subject(one: Side) -> list[str]:
    """Return the words before the first verb of a state, with their numbers; none when there is no such verb."""
    for at, token in enumerate(one.tokens):
        if at and (token in STATES or token in (":", "=")):
            return [word for place, word in enumerate(one.tokens[:at]) if _names_subject(one, place)]
    return []


def _names_subject(one: Side, place: int) -> bool:
    """Tell whether a word is part of a subject's name; "four" in "four people" or "over 90" is a count."""
    word = one.tokens[place]
    if word in one.labels:
        return True
    if is_value(word):
        return place > 0 and one.tokens[place - 1] not in COMPARING
    return word not in FUNCTION_WORDS and word not in STATES


def other_subject(old: Side, new: Side) -> bool:
    """Tell whether each statement's subject has a word or number that the other statement lacks altogether."""
    before, after = subject(old), subject(new)
    return bool(_strangers(before, old, new) and _strangers(after, new, old))


def spoken_change(old: Side, new: Side) -> bool:
    """Tell whether the new statement says that what the old one states is over or has changed."""
    if not changes_apart(new, old) or not set(old.tokens).isdisjoint(UNCHANGING):
        return False
    if not ADDITIVE.isdisjoint(new.tokens) or not PLANS.isdisjoint(new.tokens) or not PLANS.isdisjoint(old.tokens):
        return False
    if not ABSOLUTES.isdisjoint(old.tokens) and NOWS.isdisjoint(new.tokens):
        return False
    if not _states(old) or (long_ago(new) and not long_ago(old)) or not _keeps_subject(old, new):
        return False
    return not _changed_before(old) and not _other_part(old, new) and _takes_up(old, new)


def _other_part(old: Side, new: Side) -> bool:
    """Tell whether each names a figure or place of its own, and nothing says that one became the other.

    "The light is on in room 3" and "off in room 4" are two lights.
    """
    if any(token in CHANGES and token not in ENDINGS for token in new.tokens):
        return False
    lost, added = other_quantities(old.values, new.values)
    before, after = _placed(old), _placed(new)
    return bool(lost and added) or bool(missing(before, new.content) and missing(after, old.content))


def _placed(one: Side) -> list[str]:
    """Return the words that say something after the first preposition of place."""
    at = next((place for place, token in enumerate(one.tokens) if token in PLACES), len(one.tokens))
    return content_of(one.tokens[at:])


def _changed_before(old: Side) -> bool:
    """Tell whether the old statement tells of a change itself: then the new one may tell of the same."""
    return is_over(old) or not _TOLD.isdisjoint(old.tokens)


def long_ago(one: Side) -> bool:
    """Tell whether a statement dates what it says into the past: a year, a childhood."""
    if not LONG_AGO.isdisjoint(one.tokens) or any(part in one.text for part in LONG_AGO_PARTS):
        return True
    return bool(YEAR.search(one.text))


def tells_change(new: Side, old: Side) -> bool:
    """Tell whether a statement has a word or phrase of change that the other has not in any form."""
    said = [token for token in new.tokens if token in CHANGES or token in ENDINGS]
    if missing(map(canonical, said), map(canonical, old.tokens)) or (
        _OVER.search(new.text) and not _OVER.search(old.text)
    ):
        return True
    return any(part in new.text and part not in old.text for part in CHANGE_PARTS)


def changes_apart(one: Side, other: Side) -> bool:
    """Tell whether only one speaks of a change; "is changed every day" is what always happens."""
    always = {
        token
        for at, token in enumerate(one.tokens)
        if token in _HABITS and not _HAPPENS.isdisjoint(one.tokens[max(0, at - 2) : at])
    }
    if not always:
        return tells_change(one, other)
    return tells_change(replace(one, tokens=tuple(token for token in one.tokens if token not in always)), other)


def is_over(one: Side) -> bool:
    """Tell whether a statement says that what was is over: "no longer", "is gone"."""
    return bool(_OVER.search(one.text))


def _states(old: Side) -> bool:
    """Tell whether the old statement is one of a state, not of something that happened."""
    return any(token in STATES or token in (":", "=") for token in old.tokens)


def _keeps_subject(old: Side, new: Side) -> bool:
    """Tell whether the new statement holds every word of the old subject, and opens with one of the old one's.

    A word may be a name in whatever language, so that none but an article may be missing, also not "ben" or "a".
    """
    verb = next((at for at, token in enumerate(old.tokens) if at and (token in STATES or token in (":", "="))), 0)
    about = [token for token in old.tokens[:verb] if token not in _ARTICLES]
    if not about or not FIRST_PERSON.isdisjoint(about):
        spoken = old.of_speaker and not FIRST_PERSON.isdisjoint(new.tokens)
        return spoken and not _strangers(subject(old), old, new) and not _opens_with_other(old, new)
    if not {canonical(token) for token in about} <= {canonical(token) for token in new.tokens}:
        return False
    said = [token for token in new.tokens if token not in _ARTICLES and token not in NOWS]
    verb = next((at for at, token in enumerate(said) if at and token in _VERBS), 0)
    opening = said[0] if said else ""
    if missing(map(canonical, content_of(said[:verb])), map(canonical, old.tokens)):
        return False
    return canonical(opening) in {canonical(token) for token in old.tokens} or opening in _OPENINGS


def _opens_with_other(old: Side, new: Side) -> bool:
    """Tell whether a statement opens with somebody or something of the speaker's that the old one does not name."""
    words = [token for token in new.tokens if token not in _ARTICLES and token not in NOWS]
    for word, following in pairwise(words[:2]):
        if word in POSSESSIVES:
            return bool(missing([canonical(following)], map(canonical, old.tokens)))
    opening = words[0] if words else ""
    return opening not in FIRST_PERSON | _OPENINGS and bool(missing([canonical(opening)], map(canonical, old.tokens)))


def _takes_up(old: Side, new: Side) -> bool:
    """Tell whether the new statement speaks of the old one's attribute, not only of its subject.

    It repeats what was said of the subject, gives a value of the same kind, or ends what was to pass.
    """
    said = missing((word for word in old.content if word not in STATES), content_of(subject(old)))
    lost = missing(said, new.content)
    if said and len(lost) <= len(said) * (1 - LEAST_TAKEN_UP):
        return _leaves_that(old, new) and _parts(old, new, lost)
    before, after = other_quantities(old.values, new.values)
    if before and after:
        other_verb = [word for word in missing(new.content, old.content) if word not in CHANGES and word not in ENDINGS]
        return not other_verb and same_kinds(before, after)
    shared = len(missing(old.content, new.content)) < len(old.content)
    return shared and not PENDING.isdisjoint(old.tokens) and not ENDINGS.isdisjoint(new.tokens)


def _parts(old: Side, new: Side, lost: Sequence[str]) -> bool:
    """Tell whether something is different, apart from "now": a lost word, a value, a denial, or an ending."""
    if lost or old.denies != new.denies or not same_quantities(old.values, new.values) or _OVER.search(new.text):
        return True
    return bool(missing((token for token in new.tokens if token in ENDINGS or token in CHANGES - NOWS), old.tokens))


def _leaves_that(old: Side, new: Side) -> bool:
    """Tell whether "left", when nothing else speaks of a change, is followed by what the old statement names."""
    if [token for token in new.tokens if token in CHANGES or token in ENDINGS] != ["left"]:
        return True
    left = content_of(new.tokens[new.tokens.index("left") + 1 :])
    return not left or not missing(left[:1], old.content)


def _strangers(words: Sequence[str], one: Side, other: Side) -> list[str]:
    """Return the words and numbers of a statement that another statement lacks."""
    numbers = [word for word in words if is_value(word) and word not in other.tokens]
    labels = [word for word in words if word in one.labels and word not in other.labels]
    return numbers + labels + missing(content_of(words), content_of(other.tokens))
