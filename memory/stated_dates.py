"""Checks that a date a model wrote is one that its source states, and reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import regex

from memory.errors import InvalidInput
from memory.records import Micros
from memory.relative_dates import relative_dates
from memory.relative_words import MONTHS
from memory.temporal import parse_instant

# English ones are also written by their first three letters.
MONTH_NUMBERS = {name.casefold(): number for names in MONTHS.values() for number, name in enumerate(names, start=1)} | {
    name[:3].casefold(): number for number, name in enumerate(MONTHS["en"], start=1)
}
_MONTH = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
# Before 1500 or from 2200 on it is a slip, or nothing that a window could mean.
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d|21\d\d)"
# As models write dates; the longest first.
_WRITTEN = regex.compile(
    rf"(?<![\d.])(?:{_YEAR}-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"
    rf"|(?P<day>[12]\d|3[01]|0?[1-9])(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?P<name>{_MONTH})\.?,?\s+(?:de\s+)?{_YEAR}"
    rf"|(?P<name>{_MONTH})\.?\s+(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?,?\s+{_YEAR}"
    rf"|(?P<name>{_MONTH})\.?,?\s+(?:de\s+)?{_YEAR}"
    rf"|{_YEAR}年(?:(?P<month>1[0-2]|0?[1-9])月(?:(?P<day>[12]\d|3[01]|0?[1-9])[日号號])?)?|{_YEAR})(?![\d])",
    regex.IGNORECASE,
)
# Every written date has a year that stands by itself. Most texts have none, which this sees in a tenth of the time.
_HAS_YEAR = regex.compile(r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)")
_NUMBER = regex.compile(r"\d+")
# Further from the day it was said a date needs its year in the source.
_NEAR_DAYS = 366


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A date as it stands in a text."""

    start: int
    end: int
    year: int
    month: int | None = None
    day: int | None = None

    @property
    def first(self) -> date:
        """The first day it means."""
        return date(self.year, self.month or 1, self.day or 1)


def written_dates(text: str) -> list[Written]:
    """Find the absolute dates of a text, with at least a year; impossible days are left out."""
    found = []
    for match in _WRITTEN.finditer(text) if _HAS_YEAR.search(text) else ():
        groups = match.groupdict()
        month = MONTH_NUMBERS[groups["name"].casefold()] if groups["name"] else groups["month"]
        written = Written(
            start=match.start(), end=match.end(), year=int(groups["year"]), month=int(month) if month else None,
            day=int(groups["day"]) if groups["day"] else None,
        )  # fmt: skip
        if _exists(written):
            found.append(written)
    return found


def is_stated(written: Written, sources: Sequence[str], reference: date | None) -> bool:
    """Tell whether a date rests on a source: written there, resolved from it, or the day it was said.

    Args:
        written: a date of a model's answer.
        sources: the quote and what stands above it.
        reference: the day it was said; None when unknown.
    """
    first, numbers = written.first, {int(one) for text in sources for one in _NUMBER.findall(text)}
    if reference is not None:
        if _is_part(written, reference):
            return True
        if any(one.first <= first < one.after for text in sources for one in relative_dates(text, reference)):
            return True
    near = reference is not None and abs((first - reference).days) <= _NEAR_DAYS
    if written.day is not None:
        return written.day in numbers and (written.year in numbers or near)
    if written.month is not None:
        return _names_month(written.month, sources, numbers) and (written.year in numbers or near)
    return written.year in numbers


def read_instant(value: object, zone: str | None) -> tuple[Written, Micros] | None:
    """Read when a fact begins or ceases to be true, as a model wrote it.

    Args:
        value: "2023", "2023-05", "2023-05-07" or with a time; anything else is no date.
        zone: the offset of the source, for a date without one.

    Returns:
        The date and the instant it begins, microseconds UTC; None when it cannot be read or is out of all reason.
    """
    text = value.strip()[:40] if isinstance(value, str) else ""
    found = written_dates(text)
    if not found or found[0].start != 0:
        return None
    written, exact = found[0], text[found[0].end : found[0].end + 1] in ("T", " ")
    if text[written.end :] and not exact:
        return None
    try:
        return written, parse_instant(text if exact else f"{written.first.isoformat()}T00:00:00{zone or ''}")[0]
    except InvalidInput:
        return None


def _exists(written: Written) -> bool:
    try:
        return bool(written.first)
    except ValueError:
        return False


def _is_part(written: Written, day: date) -> bool:
    return written.year == day.year and written.month in (None, day.month) and written.day in (None, day.day)


def _names_month(month: int, sources: Sequence[str], numbers: set[int]) -> bool:
    named = {MONTH_NUMBERS[one.casefold()] for text in sources for one in regex.findall(_MONTH, text, regex.IGNORECASE)}
    return month in named or month in numbers
