"""Finds the single times that a question names, each with the stretches of the calendar that it can mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from itertools import islice
from typing import NamedTuple

import regex

from memory import question_time_words as words
from memory.question_time_spells import InYear, Spell, day_of, days_between, shifted, unit_of
from memory.question_time_yearly import YEARLY
from memory.relative_dates import relative_dates
from memory.relative_words import NUMBERS, UNITS, WEEKDAYS
from memory.stated_dates import written_dates

# Nobody asks for so many times of one kind (relative, written, yearly, ...); what names more is a pasted text.
MOST_OF_KIND = 20
# How far back a month without a year may lie.
YEARS_BACK = 10
# A 29 February that is to come is at most so far away.
YEARS_AHEAD = 8
# And how far before a time the words that belong to it.
LEAD_CHARS = 60
_DAY = timedelta(days=1)
_LATIN_DAYS = "|".join(name for name in WEEKDAYS if len(name) > 1)


class Lead(NamedTuple):
    """The words in front of a named time that belong to it."""

    start: int
    said: Mapping[str, str]  # by what they say; empty for none


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
        spell = days_between(one.first, one.after)
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
        spell = unit_of("day" if one.day else "month" if one.month else "year", one.first)
        if spell is not None:
            yield Named(start=one.start, end=one.end, spells=(spell,))
    for found in _NUMERIC.finditer(text):
        # 5/7/2023 is in May for some and in July for others.
        days = (
            [(found["day"], found["month"])] if found["day"] else [(found["a"], found["b"]), (found["b"], found["a"])]
        )
        spells = [
            unit_of("day", day_of(int(found["year"]), int(month), int(day))) for day, month in dict.fromkeys(days)
        ]
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
            spell = days_between(shifted(today, -round(words.UNIT_DAYS[unit] * count)), shifted(today, 1))
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
        spell = days_between(day_of(year, 1, 1), day_of(year + 10, 1, 1))
        if spell is not None:
            yield Named(start=found.start(), end=found.end(), spells=(spell,))


def _century(short: int) -> int:
    # "The 20s" are those of this century, "the 30s" those of the last.
    return (2000 if short <= 20 else 1900) + short


def _yearly(text: str, now: datetime, *, ahead: bool) -> Iterator[Named]:
    for pattern, sure, make in YEARLY:
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
        spell = unit_of("day", now.date(), step)
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


_WEEKDAY = regex.compile(
    rf"(?<![\w'’-])(?P<name>{_LATIN_DAYS})(?![\w-])|(?:周|週|星期|礼拜)(?P<dense>[一二三四五六日天])(?!曜)"
    r"|(?P<dense>[月火水木金土日])曜日?",
    regex.IGNORECASE,
)
