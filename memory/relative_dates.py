"""Resolves relative dates ("yesterday", "this coming Friday", "last month") against the day they were said on."""

from __future__ import annotations

import calendar
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
    rf"(?:\d{{1,2}}(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?:{_MONTH})|\d{{4}}\b|(?:{_MONTH})\s+\d)",
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


def relative_dates(text: str, reference: date) -> list[RelativeDate]:
    """Find the relative dates of a text that have one reading.

    Args:
        text: a statement; the first 4,000 characters are read.
        reference: the day it was said.

    Returns:
        In order, without overlaps; none that lies outside the years 1 to 9999.
    """
    head = text[:_READ_CHARS]
    found: list[RelativeDate] = []
    for rule in RULES:
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
        step = -(NUMBERS.get(counted) or int(counted))
    unit = rule.unit or UNITS[groups["unit"].casefold()]
    try:
        if unit == "weekday":
            return "day", *_weekday(WEEKDAYS[groups["weekday"].casefold()], step, reference)
        return unit, *_unit(unit, step, reference)
    except (OverflowError, ValueError):
        return None  # before the year 1 or behind 9999


def _weekday(number: int, step: int, reference: date) -> tuple[date, date]:
    ahead = (number - reference.weekday()) % 7 or 7
    day = reference + timedelta(days=ahead if step > 0 else (ahead - 7 or -7))
    return day, day + timedelta(days=1)


def _unit(unit: str, step: int, reference: date) -> tuple[date, date]:
    if unit == "day":
        day = reference + timedelta(days=step)
        return day, day + timedelta(days=1)
    monday = reference - timedelta(days=reference.weekday())
    if unit in ("week", "weekend"):
        first = monday + timedelta(weeks=step, days=5 if unit == "weekend" else 0)
        return first, monday + timedelta(weeks=step + 1)
    if unit == "month":
        months = reference.year * 12 + reference.month - 1 + step
        first = date(months // 12, months % 12 + 1, 1)
        return first, first + timedelta(days=calendar.monthrange(first.year, first.month)[1])
    return date(reference.year + step, 1, 1), date(reference.year + step + 1, 1, 1)


def _named(match: regex.Match[str], language: str, unit: str, first: date, after: date) -> RelativeDate:
    last = after - timedelta(days=1)
    names = {
        "day": first.isoformat(),
        "month": f"{MONTHS[language][first.month - 1]} {first.year:04d}",
        "year": f"{first.year:04d}",
    }
    name = names.get(unit, f"{first.isoformat()}/{last.isoformat()}")
    return RelativeDate(start=match.start(), end=match.end(), first=first, after=after, name=name)
