"""Stretches of the calendar as local time, and those that come every year."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from memory.relative_dates import span_of


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


# The days of a year that a month, a season or a feast takes; None when that year has none.
InYear = Callable[[int], Spell | None]


def days_between(first: date | None, after: date | None) -> Spell | None:
    """Return the days between two dates; None when one is outside the calendar."""
    if first is None or after is None or first >= after:
        return None
    return Spell(datetime.combine(first, time()), datetime.combine(after, time()))


def unit_of(unit: str, day: date | None, step: int = 0) -> Spell | None:
    """Return the day, month or year with a day in it, or one near it; None outside the calendar."""
    try:
        return None if day is None else days_between(*span_of(unit, step, day))
    except (ValueError, OverflowError):
        return None


def day_of(year: int, month: int, day: int) -> date | None:
    """Return a date; None when the calendar has none such."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def shifted(day: date | None, days: int) -> date | None:
    """Return the date so many days later; None outside the calendar."""
    try:
        return None if day is None else day + timedelta(days=days)
    except OverflowError:
        return None


def months(month: int, count: int) -> InYear:
    """Return what so many months from this one on take in a year."""
    last = month - 1 + count
    return lambda year: days_between(day_of(year, month, 1), day_of(year + last // 12, last % 12 + 1, 1))


def month_day(month: int, day: int) -> InYear:
    """Return what one day takes in a year."""
    return lambda year: unit_of("day", day_of(year, month, day))


def easter(year: int) -> Spell | None:
    """Return Good Friday to Easter Monday (the anonymous Gregorian computus, as printed by Meeus)."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    sunday = day_of(year, f // 31, f % 31 + 1)
    return days_between(shifted(sunday, -2), shifted(sunday, 2))


def christmas(year: int) -> Spell | None:
    """Return Christmas Eve to the second day of Christmas."""
    return days_between(day_of(year, 12, 24), day_of(year, 12, 27))
