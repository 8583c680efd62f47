"""What comes every year, as a question names it: days, months, seasons, quarters, feasts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import regex

from memory import question_time_words as words
from memory.question_time_spells import InYear, christmas, easter, month_day, months
from memory.stated_dates import MONTH_NUMBERS

_MONTH = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
_CJK_DIGITS = "一二三四五六七八九"
_CJK_MONTH = "\\d{1,2}|十[一二]?|[一二三四五六七八九]"
_CJK_DAY = f"[12]\\d|3[01]|0?[1-9]|三十一?|二?十[{_CJK_DIGITS}]?|[{_CJK_DIGITS}]"
_DAY_NUMBER = r"(?P<day>[12]\d|3[01]|0?[1-9])"


def _month_of(found: regex.Match[str]) -> InYear:
    groups = found.groupdict()
    month = MONTH_NUMBERS[groups["month"].casefold()] if groups.get("month") else _number(groups["dense"])
    if not 1 <= month <= 12:
        return lambda year: None
    return month_day(month, _number(groups["day"])) if groups.get("day") else months(month, 1)


def _number(said: str) -> int:
    """Read a number up to 99 in digits or Chinese ones."""
    if said.isdecimal():
        return int(said)
    tens, ten, ones = said.rpartition("十")
    return (10 * (_CJK_DIGITS.find(tens) + 1 if tens else 1) if ten else 0) + (
        _CJK_DIGITS.find(ones) + 1 if ones else 0
    )


def _three_months(month: int, _: regex.Match[str]) -> InYear:
    return months(month, 3)


def _word(said: tuple[str, str]) -> regex.Pattern[str]:
    return regex.compile(rf"(?<![\w-])(?:{said[0]})(?![\w-])|{said[1]}", regex.IGNORECASE)


# How it is said, whether that is a time also without a word such as "in" in front, and what of a year it takes.
YEARLY: Sequence[tuple[regex.Pattern[str], bool, Callable[[regex.Match[str]], InYear]]] = (
    (regex.compile(rf"(?<![\w.,]){_DAY_NUMBER}(?:\.|st|nd|rd|th|er)?\s+(?:of\s+|de\s+)?(?P<month>{_MONTH})(?!\w)",
                   regex.I), True, _month_of),
    (regex.compile(rf"(?<!\w)(?P<month>{_MONTH})\.?\s+{_DAY_NUMBER}(?:st|nd|rd|th)?(?![\w:])", regex.I), True,
     _month_of),
    (regex.compile(rf"(?<!\w)(?P<month>{_MONTH})(?!\w)", regex.I), False, _month_of),
    (regex.compile(rf"(?<!\d)(?P<dense>{_CJK_MONTH})月(?:(?P<day>{_CJK_DAY})[日号號])?(?!曜)"), True, _month_of),
    *((_word(said), False, partial(_three_months, month)) for month, said in words.SEASONS.items()),
    *((_word(said), True, partial(_three_months, month)) for month, said in words.QUARTERS.items()),
    (_word(words.EASTER), True, lambda _: easter),
    (_word(words.CHRISTMAS), True, lambda _: christmas),
)  # fmt: skip
