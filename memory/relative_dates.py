"""Resolves relative dates ("yesterday", "this coming Friday", "last month") against the day they were said on."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import regex

from memory.records import Micros
from memory.relative_words import MONTHS, NUMBERS, RULES, SHARED, TELLING, UNITS, WEEKDAYS, Rule
from memory.temporal import to_iso

# Behind an expression: the date is there already, put there by its author or by us.
_MONTH = "|".join(name for names in MONTHS.values() for name in names)
_DATED = regex.compile(
    rf"[\s,]*[(（]?\s*(?:on\s+|the\s+|am\s+|den\s+|le\s+|el\s+)?"
    rf"(?:\d{{1,2}}(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?:{_MONTH})|\d{{4}}(?:\b|年)|\d{{1,2}}月|(?:{_MONTH})\s+\d)",
    regex.IGNORECASE,
)
# Longer texts are statements no more; what stands behind this is left as it is.
_READ_CHARS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeDate:
    """A relative date in a text, with the days it means."""

    start: int  # character offset
    end: int  # exclusive
    first: date
    after: date  # the day behind the last one
    name: str  # "2023-05-07", "2023-05-01/2023-05-07", "February 2021" or "2020"


def day_of(at: Micros | None, zone: str | None) -> date | None:
    """Return the day of an instant in its own offset; None for no instant.

    Args:
        at: microseconds UTC.
        zone: the offset it was written with.
    """
    return None if at is None else date.fromisoformat(to_iso(at, zone)[:10])


def relative_dates(text: str, reference: date, rules: Sequence[Rule] = RULES) -> list[RelativeDate]:
    """Find the relative dates of a text that have one reading.

    Args:
        text: a statement; the first 4,000 characters are read.
        reference: the day it was said.
        rules: how they are said; of two that overlap the earlier rule counts.

    Returns:
        In order, without overlaps; none that lies outside the years 1 to 9999.
    """
    head = text[:_READ_CHARS]
    found: list[RelativeDate] = []
    for rule in rules:
        for match in rule.pattern.finditer(head):
            if _is_meant(rule, match, head) and all(
                match.end() <= one.start or one.end <= match.start() for one in found
            ):
                days = _days(rule, match, reference)
                if days is not None:
                    found.append(_named(match, rule.language, *days))
    return sorted(found, key=lambda one: one.start)


def with_absolute(text: str, reference: date | None) -> str:
    """Write the date behind each relative one: "moved yesterday" becomes "moved yesterday (2023-05-07)".

    Args:
        text: a statement.
        reference: the day it was said; None: the words stay alone, no date is invented.

    Returns:
        The text; one that says its dates already is returned as it is.
    """
    if reference is None:
        return text
    parts, done = [], 0
    for one in relative_dates(text, reference):
        if not _DATED.match(text, one.end):
            parts += [text[done : one.end], f" ({one.name})"]
            done = one.end
    return "".join([*parts, text[done:]])


def _is_meant(rule: Rule, match: regex.Match[str], text: str) -> bool:
    """Tell whether a word that two languages share is in the one of the rule."""
    word = match[0].split()[0].casefold()
    if SHARED.get(word) != rule.language:
        return True
    counts = {language: len(pattern.findall(text)) for language, pattern in TELLING.items()}
    return counts[rule.language] > max((count for name, count in counts.items() if name != rule.language), default=0)


def _days(rule: Rule, match: regex.Match[str], reference: date) -> tuple[str, date, date] | None:
    """Return (unit, first day, day behind the last)."""
    groups = match.groupdict()
    step = rule.step
    if groups.get("n"):
        counted = groups["n"].casefold()
        step *= NUMBERS.get(counted) or int(counted)
    unit = rule.unit or UNITS[groups["unit"].casefold()]
    try:
        if unit == "weekday":
            return "day", *_weekday(WEEKDAYS[groups["weekday"].casefold()], step, reference)
        if unit == "week's day":
            monday, _ = span_of("week", step, reference)
            day = monday + timedelta(days=WEEKDAYS[groups["weekday"].casefold()])
            return "day", day, day + timedelta(days=1)
        return unit, *span_of(unit, step, reference)
    except (OverflowError, ValueError):
        return None  # before the year 1 or behind 9999


def _weekday(number: int, step: int, reference: date) -> tuple[date, date]:
    ahead = (number - reference.weekday()) % 7 or 7
    day = reference + timedelta(days=ahead if step > 0 else (ahead - 7 or -7))
    return day, day + timedelta(days=1)


def span_of(unit: str, step: int, reference: date) -> tuple[date, date]:
    """Return the first day and the day behind the last of a unit of the calendar.

    Args:
        unit: day, week (from Monday), weekend, month, quarter or year.
        step: how many of them from the one with the reference in it.
        reference: a day.

    Returns:
        (first, exclusive end).

    Raises:
        ValueError: before the year 1 or behind 9999; OverflowError for days and weeks.
    """
    if unit == "day":
        day = reference + timedelta(days=step)
        return day, day + timedelta(days=1)
    monday = reference - timedelta(days=reference.weekday())
    if unit in ("week", "weekend"):
        first = monday + timedelta(weeks=step, days=5 if unit == "weekend" else 0)
        return first, monday + timedelta(weeks=step + 1)
    if unit == "month":
        first = _month(reference.year, reference.month - 1 + step)
        return first, first + timedelta(days=calendar.monthrange(first.year, first.month)[1])
    if unit == "quarter":
        first = _month(reference.year, (reference.month - 1) // 3 * 3 + 3 * step)
        return first, _month(first.year, first.month + 2)
    return date(reference.year + step, 1, 1), date(reference.year + step + 1, 1, 1)


def _month(year: int, index: int) -> date:
    """Return the first day of a month counted from a January, which is 0."""
    months = year * 12 + index
    return date(months // 12, months % 12 + 1, 1)


def _named(match: regex.Match[str], language: str, unit: str, first: date, after: date) -> RelativeDate:
    last = after - timedelta(days=1)
    month = f"{MONTHS[language][first.month - 1]} {first.year:04d}" if language in MONTHS else f"{first:%Y年%-m月}"
    names = {
        "day": first.isoformat(),
        "month": month,
        "year": f"{first.year:04d}",
    }
    name = names.get(unit, f"{first.isoformat()}/{last.isoformat()}")
    return RelativeDate(start=match.start(), end=match.end(), first=first, after=after, name=name)
