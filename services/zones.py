"""Time zones as callers name them: an offset, or a name of the IANA database, which knows when clocks are changed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memory.errors import InvalidInput
from memory.records import Micros

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OFFSET = re.compile(r"([+-])(\d{2})(?::?([0-5]\d))?", re.ASCII)
# The farthest from UTC that clocks are set.
_MOST_HOURS = 14
_HINT = 'Send an offset such as "+02:00", or a name such as "Europe/Oslo".'
# A name of the database has at most 32.
LONGEST = 64


def check_zone(value: Any, *, field: str = "timeZone") -> str:
    """Check a time zone.

    Args:
        value: an offset of whole minutes, up to 14 hours, such as "+02:00", "Z", or a name of the IANA database.
        field: the request's field.

    Returns:
        The offset as "+02:00", or the name.

    Raises:
        InvalidInput: it is neither.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be a text.", field=field, hint=_HINT)
    found = _OFFSET.fullmatch("+00:00" if value == "Z" else value)
    if found:
        hours, minutes = int(found[2]), int(found[3] or 0)
        if 60 * hours + minutes > 60 * _MOST_HOURS:
            raise InvalidInput(f"{field} is more than {_MOST_HOURS} hours from UTC.", field=field, hint=_HINT)
        return f"{found[1]}{hours:02d}:{minutes:02d}"
    if _named(value) is None:
        raise InvalidInput(f"{field} is no time zone that is known here.", field=field, hint=_HINT)
    return value


def offset_at(zone: str | None, at: Micros) -> str | None:
    """Return the offset of a zone at a moment.

    Args:
        zone: as `check_zone` returns it; None for none.
        at: microseconds UTC.

    Returns:
        The offset in whole minutes, e.g. "+02:00"; None for none and for a name that is not known.
    """
    if zone is None or _OFFSET.fullmatch(zone):
        return zone
    named = _named(zone)
    if named is None:
        return None
    try:
        offset = (_EPOCH + timedelta(microseconds=at)).astimezone(named).utcoffset()
    except OverflowError:
        return None  # within a day of the first or last year
    minutes = round((offset or timedelta()).total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _named(name: str) -> ZoneInfo | None:
    if not 1 <= len(name) <= LONGEST:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        # No such name; a name that leads out of the database; a folder of it.
        return None
