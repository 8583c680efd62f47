"""Finds the single times that a question names, each with the stretches of the calendar that it can mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import partial
from itertools import islice
from typing import NamedTuple

import regex

from memory import question_time_words as words
from memory.relative_dates import relative_dates, span_of
from memory.relative_words import NUMBERS, UNITS, WEEKDAYS
from memory.stated_dates import MONTH_NUMBERS, written_dates

# Nobody asks for so many times of one kind (relative, written, yearly, ...); what names more is a pasted text.
MOST_OF_KIND = 20
# How far back a month without a year may lie.
YEARS_BACK = 10
# A 29 February that is to come is at most so far away.
YEARS_AHEAD = 8
# And how far before a time the words that belong to it.
LEAD_CHARS = 60
_DAY = timedelta(days=1)
_MONTH = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
_LATIN_DAYS = "|".join(name for name in WEEKDAYS if len(name) > 1)
_CJK_DIGITS = "一二三四五六七八九"
_CJK_MONTH = "\\d{1,2}|十[一二]?|[一二三四五六七八九]"
_CJK_DAY = f"[12]\\d|3[01]|0?[1-9]|三十一?|二?十[{_CJK_DIGITS}]?|[{_CJK_DIGITS}]"


class Spell(NamedTuple):
    """A stretch of local time."""

    first: datetime
    after: datetime  # exclusive

    def length(self) -> timedelta:
        """Return how long it is."""
        return self.after - self.first

    def third(self, number: int) -> Spell:
        """Return its first (0), middle (1) or last (2) third, in whole days."""
        days = (self.after - self.first).days
        bounds = [self.first + timedelta(days=days * part // 3) for part in range(3)] + [self.after]
        return Spell(bounds[number], bounds[number + 1]) if days >= 3 else self


class Lead(NamedTuple):
    """The words in front of a named time that belong to it."""

    start: int
    said: Mapping[str, str]  # by what they say; empty for none


# The days of a year that a month, a season or a feast takes; None when that year has none.
InYear = Callable[[int], Spell | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A time as it stands in a question."""

    start: int  # character offset
    end: int  # exclusive
    spells: tuple[Spell, ...]  # what it can mean, the likeliest first; not empty
    sure: bool = True  # False: it is a time only behind a word such as "in"
    in_year: InYear | None = None  # for one that comes every year


def named_times(text: str, now: datetime) -> list[Named]:
    """Find the times that a text names.

    Args:
        text: a question.
        now: local time without a zone.

    Returns:
        In order, without overlaps; of two that overlap the longer one. Of one kind at most 20 are looked at.
    """
    found: list[Named] = []
    ahead = words.AHEAD.search(text) is not None
    kinds = (_relative(text, now), _written(text), _rolling(text, now), _decades(text), _yearly(text, now, ahead=ahead),
             _weekdays(text, now, ahead=ahead))  # fmt: skip
    candidates = [one for kind in kinds for one in islice(kind, MOST_OF_KIND)]
    for one in sorted(candidates, key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    return _with_years(text, sorted(found, key=lambda one: one.start))


def lead_of(text: str, start: int) -> Lead:
    """Return the words in front of a named time that belong to it (`question_time_words.LEAD`)."""
    found = words.LEAD.search(text[:start], max(0, start - LEAD_CHARS))
    said = found.groupdict() if found else {}
    return Lead(found.start() if found else start, {name: value for name, value in said.items() if value})


def _relative(text: str, now: datetime) -> Iterator[Named]:
    for one in relative_dates(text, now.date(), words.QUESTION_RULES):
        spell = _days(one.first, one.after)
        if spell is not None:
            spell = _part_of_day(text[one.start : one.end], spell)
            yield Named(start=one.start, end=one.end, spells=(spell,))


def _part_of_day(said: str, spell: Spell) -> Spell:
    if spell.length() == _DAY:
        for pattern, (first, after) in words.PARTS_OF_DAY:
            if pattern.search(said):
                return Spell(spell.first + timedelta(hours=first), spell.first + timedelta(hours=after))
    return spell


_NUMERIC = regex.compile(
    r"(?<![\d./-])(?:(?P<year>1[5-9]\d\d|20\d\d|21\d\d)[/.](?P<month>\d{1,2})[/.](?P<day>\d{1,2})"
    r"|(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>1[5-9]\d\d|20\d\d|21\d\d)"
    r"|(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<year>1[5-9]\d\d|20\d\d|21\d\d))(?![\d])"
)


def _written(text: str) -> Iterator[Named]:
    for one in written_dates(text):
        spell = _unit("day" if one.day else "month" if one.month else "year", one.first)
        if spell is not None:
            yield Named(start=one.start, end=one.end, spells=(spell,))
    for found in _NUMERIC.finditer(text):
        # 5/7/2023 is in May for some and in July for others.
        days = (
            [(found["day"], found["month"])] if found["day"] else [(found["a"], found["b"]), (found["b"], found["a"])]
        )
        spells = [_unit("day", _date(int(found["year"]), int(month), int(day))) for day, month in dict.fromkeys(days)]
        meant = tuple(spell for spell in spells if spell is not None)
        if meant:
            yield Named(start=found.start(), end=found.end(), spells=meant)


def _rolling(text: str, now: datetime) -> Iterator[Named]:
    """Find "the last three weeks": up to and with today."""
    today = now.date()
    for pattern in words.ROLLING:
        for found in pattern.finditer(text):
            groups = found.groupdict()
            count = words.FEW if groups.get("few") else _count(groups.get("n"))
            unit = UNITS[regex.sub(r"\s", "", groups["unit"].casefold())]
            spell = _days(_shifted(today, -round(words.UNIT_DAYS[unit] * count)), _shifted(today, 1))
            if spell is not None:
                yield Named(start=found.start(), end=found.end(), spells=(spell,))


def _count(said: str | None) -> int:
    return 1 if said is None else NUMBERS.get(said.casefold()) or int(said)


def _decades(text: str) -> Iterator[Named]:
    for found in words.DECADE.finditer(text):
        if found["word"]:
            year = words.DECADE_WORDS[found["word"].casefold()]
        else:
            year = int(found["full"] or 0) or _century(int(found["short"]))
        spell = _days(_date(year, 1, 1), _date(year + 10, 1, 1))
        if spell is not None:
            yield Named(start=found.start(), end=found.end(), spells=(spell,))


def _century(short: int) -> int:
    # "The 20s" are those of this century, "the 30s" those of the last.
    return (2000 if short <= 20 else 1900) + short


def _yearly(text: str, now: datetime, *, ahead: bool) -> Iterator[Named]:
    for pattern, sure, make in _YEARLY:
        for found in pattern.finditer(text):
            in_year = make(found)
            spells = _spells(text, found, in_year, now, ahead=ahead)
            behind = words.LAST_BEHIND.match(text, found.end()) or words.NEXT_BEHIND.match(text, found.end())
            if spells:
                yield Named(
                    start=found.start(), end=behind.end() if behind else found.end(), spells=spells,
                    sure=sure or behind is not None, in_year=in_year,
                )  # fmt: skip


def _spells(text: str, found: regex.Match[str], in_year: InYear, now: datetime, *, ahead: bool) -> tuple[Spell, ...]:
    """Say which years' days are meant, the likeliest first."""
    today = datetime.combine(now.date(), time())
    years = range(now.year + YEARS_AHEAD, now.year - YEARS_BACK, -1)
    every = [spell for year in years if (spell := in_year(year))]
    lead = lead_of(text, found.start()).said
    if lead.get("last") or words.LAST_BEHIND.match(text, found.end()):
        return tuple(spell for spell in every if spell.after <= today)[:1]
    if lead.get("this"):
        return tuple([spell for spell in every if spell.first <= today < spell.after] or [
            spell for spell in every if spell.first.year == now.year])[:1]  # fmt: skip
    coming = [spell for spell in every if spell.after > today]
    if lead.get("next") or words.NEXT_BEHIND.match(text, found.end()):
        return tuple([spell for spell in coming if spell.first > today][-1:])
    if ahead:
        return tuple(coming[-1:])
    return tuple(spell for spell in every if spell.first <= now)


def _weekdays(text: str, now: datetime, *, ahead: bool) -> Iterator[Named]:
    for found in _WEEKDAY.finditer(text):
        number = WEEKDAYS[(found["name"] or found["dense"]).casefold()]
        back = (now.weekday() - number) % 7
        step = (7 - back) % 7 if ahead else -back
        spell = _unit("day", now.date(), step)
        if spell is not None:
            yield Named(start=found.start(), end=found.end(), spells=(spell,), sure=not found["name"])


def _with_years(text: str, named: Sequence[Named]) -> list[Named]:
    """Let a month or season and the year beside it be one time."""
    joined: list[Named] = []
    for one in named:
        before = joined[-1] if joined else None
        whole = before and _in_year_of(text, before, one)
        if whole:
            joined[-1] = whole
        else:
            joined.append(one)
    return joined


def _in_year_of(text: str, one: Named, other: Named) -> Named | None:
    if not words.OF_YEAR.fullmatch(text, one.end, other.start):
        return None
    yearly, year = (one, _year(other)) if one.in_year else (other, _year(one))
    if yearly.in_year is None or year is None:
        return None
    spell = yearly.in_year(year)
    return (
        None
        if spell is None
        else replace(yearly, start=one.start, end=other.end, spells=(spell,), sure=True, in_year=None)
    )


def _year(one: Named) -> int | None:
    """Return the year that a time is; None for one that is no year."""
    first, after = one.spells[0]
    whole = (first.month, first.day, after.month, after.day) == (1, 1, 1, 1) and after.year == first.year + 1
    return first.year if whole and one.in_year is None else None


def _days(first: date | None, after: date | None) -> Spell | None:
    """Return the days between two dates; None when one is outside the calendar."""
    if first is None or after is None or first >= after:
        return None
    return Spell(datetime.combine(first, time()), datetime.combine(after, time()))


def _unit(unit: str, day: date | None, step: int = 0) -> Spell | None:
    """Return the day, month or year with a day in it, or one near it; None outside the calendar."""
    try:
        return None if day is None else _days(*span_of(unit, step, day))
    except (ValueError, OverflowError):
        return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _shifted(day: date | None, days: int) -> date | None:
    try:
        return None if day is None else day + timedelta(days=days)
    except OverflowError:
        return None


def _months(month: int, count: int) -> InYear:
    last = month - 1 + count
    return lambda year: _days(_date(year, month, 1), _date(year + last // 12, last % 12 + 1, 1))


def _three_months(month: int, _: regex.Match[str]) -> InYear:
    return _months(month, 3)


def _month_day(month: int, day: int) -> InYear:
    return lambda year: _unit("day", _date(year, month, day))


def _easter(year: int) -> Spell | None:
    """Return Good Friday to Easter Monday (the anonymous Gregorian computus, as printed by Meeus)."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    sunday = _date(year, f // 31, f % 31 + 1)
    return _days(_shifted(sunday, -2), _shifted(sunday, 2))


def _christmas(year: int) -> Spell | None:
    return _days(_date(year, 12, 24), _date(year, 12, 27))


def _month_of(found: regex.Match[str]) -> InYear:
    groups = found.groupdict()
    month = MONTH_NUMBERS[groups["month"].casefold()] if groups.get("month") else _number(groups["dense"])
    if not 1 <= month <= 12:
        return lambda year: None
    return _month_day(month, _number(groups["day"])) if groups.get("day") else _months(month, 1)


def _number(said: str) -> int:
    """Read a number up to 99 in digits or Chinese ones."""
    if said.isdecimal():
        return int(said)
    tens, ten, ones = said.rpartition("十")
    return (10 * (_CJK_DIGITS.find(tens) + 1 if tens else 1) if ten else 0) + (
        _CJK_DIGITS.find(ones) + 1 if ones else 0
    )


def _word(said: tuple[str, str]) -> regex.Pattern[str]:
    return regex.compile(rf"(?<![\w-])(?:{said[0]})(?![\w-])|{said[1]}", regex.IGNORECASE)


_DAY_NUMBER = r"(?P<day>[12]\d|3[01]|0?[1-9])"
_WEEKDAY = regex.compile(
    rf"(?<![\w'’-])(?P<name>{_LATIN_DAYS})(?![\w-])|(?:周|週|星期|礼拜)(?P<dense>[一二三四五六日天])(?!曜)"
    r"|(?P<dense>[月火水木金土日])曜日?",
    regex.IGNORECASE,
)
_YEARLY: Sequence[tuple[regex.Pattern[str], bool, Callable[[regex.Match[str]], InYear]]] = (
    (regex.compile(rf"(?<![\w.,]){_DAY_NUMBER}(?:\.|st|nd|rd|th|er)?\s+(?:of\s+|de\s+)?(?P<month>{_MONTH})(?!\w)",
                   regex.I), True, _month_of),
    (regex.compile(rf"(?<!\w)(?P<month>{_MONTH})\.?\s+{_DAY_NUMBER}(?:st|nd|rd|th)?(?![\w:])", regex.I), True,
     _month_of),
    (regex.compile(rf"(?<!\w)(?P<month>{_MONTH})(?!\w)", regex.I), False, _month_of),
    (regex.compile(rf"(?<!\d)(?P<dense>{_CJK_MONTH})月(?:(?P<day>{_CJK_DAY})[日号號])?(?!曜)"), True, _month_of),
    *((_word(said), False, partial(_three_months, month)) for month, said in words.SEASONS.items()),
    *((_word(said), True, partial(_three_months, month)) for month, said in words.QUARTERS.items()),
    (_word(words.EASTER), True, lambda _: _easter),
    (_word(words.CHRISTMAS), True, lambda _: _christmas),
)  # fmt: skip
