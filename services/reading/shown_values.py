"""Values of a spreadsheet's cells as the spreadsheet shows them: dates, percentages, decimals, currencies.

The number format decides, as far as it is one of the common ones; else a date is ISO 8601 and a number its digits.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]')
_IGNORED = re.compile(r"\[[^\]]*\]|[_*].|\?")
_DIGITS = re.compile(r"[#0][#0,]*(?:\.([0#]+))?")
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_DATE_PART = re.compile(r"yyyy|yy|mmmm|mmm|mm|m|dddd|ddd|dd|d|hh|h|ss|s|AM/PM|A/P|\.0+", re.I)
# Digits of a double that are its own and not of its binary spelling.
_OWN_DIGITS = 15
_MOST_DECIMALS = 15
# Stands for a literal while the digits are looked for: a character that is nobody's text.
_MARK = 0xE000


def shown(value: Any, number_format: str) -> str:
    """Return a cell's value as text.

    Args:
        value: as openpyxl reads it.
        number_format: the cell's, in Excel's language.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return _moment(value, number_format)
    if isinstance(value, dt.timedelta):
        return _duration(value)
    if isinstance(value, int | float):
        return _number(value, number_format)
    return str(value)


def _plain(value: float) -> str:
    text = f"{value:.{_OWN_DIGITS}g}"
    return str(int(value)) if isinstance(value, int) or (value == int(value) and abs(value) < 1e15) else text


def _number(value: float, number_format: str) -> str:
    sections = number_format.split(";")
    chosen = sections[1] if value < 0 and len(sections) > 1 and sections[1].strip() else sections[0]
    literals: list[str] = []

    def keep(found: re.Match[str]) -> str:
        literals.append(next((one for one in found.groups() if one is not None), ""))
        return chr(_MARK + len(literals) - 1)

    pattern = _IGNORED.sub("", _LITERAL.sub(keep, chosen))
    place = _DIGITS.search(pattern)
    if place is None or "general" in pattern.lower() or "e+" in pattern.lower() or "/" in pattern:
        return _plain(value)
    decimals = min(len(place[1] or ""), _MOST_DECIMALS)
    scaled = value * 100 if "%" in pattern else value
    # A section of its own writes the sign itself, or brackets for it.
    signed = abs(scaled) if chosen is not sections[0] else scaled
    thousands = "," if "," in place[0] else ""
    digits = (
        f"{signed:{thousands}d}" if isinstance(signed, int) and not decimals else f"{signed:{thousands}.{decimals}f}"
    )
    whole = pattern[: place.start()] + digits + pattern[place.end() :]
    for index, literal in enumerate(literals):
        whole = whole.replace(chr(_MARK + index), literal)
    return whole.strip()


def _moment(value: dt.datetime | dt.date | dt.time, number_format: str) -> str:
    pattern = _IGNORED.sub("", _LITERAL.sub(lambda found: found[1] or found[2] or "", number_format.split(";")[0]))
    if not re.search(r"[ymdhs]", pattern, re.I) or "general" in pattern.lower():
        return _iso(value)
    # What people may misread (03/04/2026) is written so that nobody can; names and order of the others stay.
    if re.fullmatch(r"[dmy]{1,4}[/.\-][dmy]{1,4}[/.\-][dmy]{1,4}.*", pattern, re.I):
        return _iso(value)
    half = bool(re.search(r"AM/PM|A/P", pattern, re.I))
    parts = list(_DATE_PART.finditer(pattern))
    text, end, last = "", 0, ""
    for index, part in enumerate(parts):
        following = parts[index + 1][0].lower() if index + 1 < len(parts) else ""
        minutes = part[0].lower() in ("m", "mm") and (last.startswith("h") or following.startswith("s"))
        text += pattern[end : part.start()] + _date_part(value, part[0].lower(), minutes=minutes, half=half)
        end, last = part.end(), part[0].lower()
    return text + pattern[end:]


def _iso(value: dt.datetime | dt.date | dt.time) -> str:
    if isinstance(value, dt.datetime):
        if value.time() == dt.time():
            return value.date().isoformat()
        return value.isoformat(sep=" ", timespec="seconds" if value.second else "minutes")
    return value.isoformat()


def _date_part(value: Any, part: str, *, minutes: bool, half: bool) -> str:
    hour = getattr(value, "hour", 0)
    shown_hour = (hour % 12 or 12) if half else hour
    year, month, day = (getattr(value, name, 0) for name in ("year", "month", "day"))
    minute, second = getattr(value, "minute", 0), getattr(value, "second", 0)
    if minutes:
        return f"{minute:02d}" if part == "mm" else str(minute)
    week = _DAYS[value.weekday()] if hasattr(value, "weekday") else ""
    name = _MONTHS[month - 1] if month else ""
    texts = {
        "yyyy": f"{year:04d}", "yy": f"{year % 100:02d}", "mmmm": name, "mmm": name[:3], "mm": f"{month:02d}",
        "m": str(month), "dddd": week, "ddd": week[:3], "dd": f"{day:02d}", "d": str(day), "hh": f"{shown_hour:02d}",
        "h": str(shown_hour), "ss": f"{second:02d}", "s": str(second), "am/pm": "AM" if hour < 12 else "PM",
        "a/p": "A" if hour < 12 else "P",
    }  # fmt: skip
    return texts.get(part, "")


def _duration(value: dt.timedelta) -> str:
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
