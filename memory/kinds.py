"""Sorts statements into preferences, episodes and facts by tables of words; facts are what is left.

A preference is a like, a dislike, a standing wish on how things should be done or a habit of choice; an episode
happened or will happen at a time. What says neither clearly is a fact, the kind that claims the least.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import regex

from memory import kind_words as table
from memory.records import MemoryKind

# Cues stand near the start; reading more would not be worth its time.
_READ_CHARS = 400
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['-][\p{L}\p{M}]+)*|\p{N}+(?:[.:,]\p{N}+)*(?:st|nd|rd|th)?|[.!?;]")
_STOPS = frozenset(".!?;")
_YEAR = regex.compile(r"(?:19|20)\d\d")
_ORDINAL = regex.compile(r"\d{1,2}(?:st|nd|rd|th)")
# So far before a liking its subject may stand: "I really don't like".
_REACH = 4
# So far behind "favourite" its "is" may stand: "my favourite kind of tea is".
_FAVOURITE_REACH = 6
_FAVOURITES = frozenset("favourite favorite".split())
_LINKS = frozenset("is are was were has".split())
_IN = frozenset("in back early late im en no nel em в i sommaren i".split())
# "十月十二日…了": a date, and behind it what was done.
_EAST_DONE = regex.compile(r"[\d一二三四五六七八九十]+[日号號일].*(?:了|ました|でした|[했었았])", regex.DOTALL)


def kind_of(text: str) -> MemoryKind:
    """Return the kind of a statement.

    Args:
        text: one statement; the first 400 characters are read.

    Returns:
        "preference" for likes, dislikes, standing wishes and habits of choice, "episode" for what happened or will
        happen at a time, else "fact".
    """
    head = text[:_READ_CHARS].replace("’", "'")
    words = _WORD.findall(head.casefold())
    line = f" {' '.join(words)} "
    if _has_phrase(words, line, table.REFUSALS):
        return "fact"
    if _is_preference(head, words, line):
        return "preference"
    return "episode" if _is_episode(head, words, line) else "fact"


def _is_preference(head: str, words: list[str], line: str) -> bool:
    return (
        _has_taste(head, words)
        or _has_phrase(words, line, table.TASTE_PHRASES)
        or _has_wish(words, line)
        or (not table.CHOOSING.isdisjoint(words) and _has_phrase(words, line, table.COMPARED))
        or _ends_as_choice(words)
        or _holds_part(head, table.TASTE_PARTS)
    )


def _has_taste(head: str, words: list[str]) -> bool:
    for index, word in enumerate(words):
        if word in table.TASTES:
            if not _is_aside(words, index):
                return True
        elif word in table.LIKINGS:
            if _has_subject(head, words, index):
                return True
        elif word in _FAVOURITES and not _LINKS.isdisjoint(words[index + 1 : index + _FAVOURITE_REACH]):
            return True
    return False


def _is_aside(words: list[str], index: int) -> bool:
    """Tell whether a taste only says who is meant ("a man who hates dogs") or is not held ("if you prefer e-mail")."""
    return any(word in table.ASIDE for word in words[max(0, index - 2) : index])


def _has_subject(head: str, words: list[str], index: int) -> bool:
    """Tell whether somebody who may have tastes stands before a liking, with nothing but adverbs between."""
    for back in range(index - 1, max(-1, index - 1 - _REACH), -1):
        word = words[back]
        if word in table.BETWEEN:
            continue
        if word in table.SUBJECTS or word in table.PEOPLE:
            return back == 0 or words[back - 1] not in table.ASIDE
        # A name is written large; a stop or a small word is none.
        return word not in _STOPS and word not in table.ASIDE and word[:1].isalpha() and word.capitalize() in head
    return False


def _has_wish(words: list[str], line: str) -> bool:
    if not words:
        return False
    second = words[1] if len(words) > 1 else ""
    if (words[0] in table.STANDING and second in table.ORDERS) or (words[0] in table.ORDERS and second in table.US):
        return True
    return not table.WISHING.isdisjoint(words) or _has_phrase(words, line, table.LASTING_WISHES)


def _ends_as_choice(words: list[str]) -> bool:
    last = [word for word in words[-4:] if word not in _STOPS]
    return bool(last) and len(words) > 2 and " ".join(last).endswith(table.ENDINGS)


def _is_episode(head: str, words: list[str], line: str) -> bool:
    if not table.MOMENTS.isdisjoint(words) or _has_phrase(words, line, table.MOMENT_PHRASES):
        return True
    if _holds_part(head, table.MOMENT_PARTS) or (not head.isascii() and _EAST_DONE.search(head)):
        return True
    if _has_one_weekday(words):
        return True
    return _has_event(words) and _has_time(words)


def _has_one_weekday(words: list[str]) -> bool:
    return any(
        word in table.WEEKDAYS and not table.NEIGHBOURING.isdisjoint(words[max(0, index - 1) : index + 2])
        for index, word in enumerate(words)
    )


def _has_time(words: list[str]) -> bool:
    """Tell whether a day, a date or a year is named that is not one a state lasts from, until or repeats on."""
    return any(
        table.LASTING.isdisjoint(words[max(0, index - 3) : index])
        and (_is_day(words, index) or (_is_date(words, index) and table.ORIGINS.isdisjoint(words)))
        for index in range(len(words))
    )


def _is_day(words: list[str], index: int) -> bool:
    word = words[index]
    if word in table.WEEKDAYS:
        return index == 0 or words[index - 1] not in table.EVERY_ARTICLES
    return word in table.TODAYS or word in table.JUST or _ORDINAL.fullmatch(word) is not None


def _is_date(words: list[str], index: int) -> bool:
    word = words[index]
    return word in table.MONTHS or (index > 0 and words[index - 1] in _IN and _YEAR.fullmatch(word) is not None)


def _has_event(words: list[str]) -> bool:
    return any(
        word in table.EVENTS
        or (len(word) > 3 and word.endswith(table.EVENT_ENDINGS) and word not in table.NO_EVENTS)
        or (len(word) > 5 and word.startswith(table.PARTICIPLE[0]) and word.endswith(table.PARTICIPLE[1]))
        for word in words
    )


def _has_phrase(words: Collection[str], line: str, phrases: Mapping[str, tuple[str, ...]]) -> bool:
    return any(phrase in line for word in words if word in phrases for phrase in phrases[word])


def _holds_part(head: str, parts: tuple[str, ...]) -> bool:
    return not head.isascii() and any(part in head for part in parts)
