"""Reads and writes instants: ISO 8601 or epoch numbers in, integer microseconds UTC inside, ISO 8601 out."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone

from memory.errors import InvalidInput
from memory.records import Micros

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# The beginning of the year 1.
EARLIEST: Micros = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
# The end of the year 9999: a later time cannot be written down again.
LATEST: Micros = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_NUMBER = re.compile(r"-?\d{9,17}(?:\.\d{1,9})?")
_DATE = re.compile(r"\d{4}-?\d{2}-?\d{2}(?!\d)")
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
# Numbers below the first are too likely something else; from the second on they are milliseconds (1973 and later).
_LEAST_SECONDS = 100_000_000
_LEAST_MILLIS = 100_000_000_000
_MONTHS = ("January February March April May June July August September October November December").split()
_HINT = "Use ISO 8601, for example 2023-05-08 or 2023-05-08T09:30:00+02:00."


def parse_instant(value: str | int | float, *, field: str | None = None) -> tuple[Micros, str | None]:
    """Read an instant.

    Args:
        value: an ISO 8601 date (midnight UTC) or date and time (UTC when it names no offset), or seconds or
            milliseconds since 1970 as a number or digits, when it is clearly one of them.
        field: the request's field, for the error.

    Returns:
        Microseconds UTC, and the offset as "+02:00" ("+00:00" for Z), None when none was written.

    Raises:
        InvalidInput: it cannot be read so, or lies outside the years 1 to 9999.
    """
    try:
        if isinstance(value, str):
            return _from_text(value.strip())
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError("not an instant")
        return _from_number(value), None
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"{str(value)[:60]!r} is not a date or time.", field=field, hint=_HINT) from error


def to_iso(micros: Micros, zone: str | None = None) -> str:
    """Write an instant.

    Args:
        micros: microseconds UTC.
        zone: the offset to write it in, e.g. "+02:00"; UTC when None.

    Returns:
        For example "2023-05-08T09:30:00Z"; a fraction only when there is one.
    """
    text = _moment(micros, zone).isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def readable_date(micros: Micros, zone: str | None = None) -> str:
    """Return the day of an instant for a person, in its own offset: "8 May 2023"."""
    moment = _moment(micros, zone)
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def _from_text(text: str) -> tuple[Micros, str | None]:
    if _NUMBER.fullmatch(text):
        return _from_number(float(text) if "." in text else int(text)), None
    if not text.isascii() or not _DATE.match(text):
        raise ValueError("not ISO 8601")
    moment = datetime.fromisoformat(text)
    offset = moment.utcoffset()
    if offset is None:
        return _micros(moment.replace(tzinfo=UTC)), None
    return _micros(moment), _zone_name(offset)


def _from_number(number: int | float) -> Micros:
    if abs(number) < _LEAST_SECONDS:
        raise ValueError("too small to be clearly an epoch time")
    unit = 1_000 if abs(number) >= _LEAST_MILLIS else 1_000_000
    micros = number * unit if isinstance(number, int) else round(number * unit)
    return _micros(_EPOCH + micros * _MICROSECOND)


def _micros(moment: datetime) -> Micros:
    micros = (moment - _EPOCH) // _MICROSECOND
    _moment(micros, None)  # an offset may carry it outside the years 1 to 9999
    return micros


def _zone_name(offset: timedelta) -> str:
    minutes, seconds = divmod(int(offset.total_seconds()), 60)
    if seconds:
        raise ValueError("offsets are whole minutes")
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _moment(micros: Micros, zone: str | None) -> datetime:
    moment = _EPOCH + micros * _MICROSECOND
    found = _OFFSET.fullmatch(zone or "")
    if not found:
        return moment
    offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
    try:
        return moment.astimezone(timezone(-offset if found[1] == "-" else offset))
    except (ValueError, OverflowError):
        return moment  # within a day of the first or last year an offset may not be expressible
