"""Shapes that single values of an export have: what the program that reads them later takes for granted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory import values
from memory.errors import MemlaneError
from memory.records import BEGINNING, FOREVER
from memory.temporal import EARLIEST, LATEST
from memory.tenant_settings import is_bucket_key, is_filled

# Positions and lengths are kept in arrays of 32 bits.
_LARGEST = 2**31 - 1
_LONGEST_NAME = 255
_LONGEST_LINE = 10_000
# Of facts, reasons and what is indexed of a fact; the settings of the server that wrote them may have let in as much.
_LONGEST_PROSE = 100_000
_MOST_ENTRIES = 10_000
_ID = re.compile(r"[a-z]{2,5}_[0-9A-Za-z_-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a value has to be."""

    what: str  # for a sentence: "Line 2 needs ... in `kind`."
    fits: Callable[[Any], bool]


def whole(least: int, most: int) -> Shape:
    """Return the shape of whole numbers between two, both included."""
    return Shape(
        what=f"a whole number of {least} to {most}", fits=lambda value: type(value) is int and least <= value <= most
    )


def number(least: float, most: float) -> Shape:
    """Return the shape of numbers between two, both included."""
    return Shape(
        what=f"a number of {least:g} to {most:g}",
        fits=lambda value: type(value) in (int, float) and least <= value <= most,
    )


def text(longest: int, *, blank: bool = True) -> Shape:
    """Return the shape of texts."""
    least = 0 if blank else 1
    return Shape(
        what=f"a text of {least:,} to {longest:,} characters",
        fits=lambda value: isinstance(value, str) and len(value) <= longest and (blank or bool(value.strip())),
    )


def one_of(*words: str) -> Shape:
    """Return the shape of what is one of a few words."""
    return Shape(what=f"one of {', '.join(words)}", fits=lambda value: isinstance(value, str) and value in words)


def _as_sent(check: Callable[[Any], Any]) -> Callable[[Any], bool]:
    """Return whether a value passes a check of the doors as it is."""

    def fits(value: Any) -> bool:
        try:
            return bool(check(value) == value)
        except MemlaneError:
            return False

    return fits


def _all(entries: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(entries, list) and len(entries) <= _MOST_ENTRIES and all(map(fits, entries))


def _objects(*fields: str) -> Shape:
    """Return the shape of lists of objects that have just these fields, all texts."""
    return Shape(
        what=f"a list of objects with {', '.join(fields)}, all texts",
        fits=lambda value: _all(value, lambda one: _is_object(one, fields)),
    )


def _is_object(value: Any, fields: tuple[str, ...]) -> bool:
    return isinstance(value, Mapping) and set(value) == set(fields) and all(map(_line, value.values()))


def _line(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_LINE


def _is_share(value: Any) -> bool:
    # Shares of floats add up to a little more than 1.
    return type(value) in (int, float) and 0 <= value <= 1.000_001


def _by_option(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, Mapping) and len(value) <= _MOST_ENTRIES and all(map(fits, value.values()))


def _is_fit(value: Any) -> bool:
    """Tell whether a value is what `store.calibrations` keeps of a fit."""
    if not isinstance(value, Mapping) or set(value) != {"temperature", "thresholds", "verdicts"}:
        return False
    temperature = value["temperature"]
    return (
        type(temperature) in (int, float)
        and 0.001 <= temperature <= 1_000
        and _by_option(value["thresholds"], _is_threshold)
        and _by_option(value["verdicts"], _is_finding)
    )


def _is_threshold(value: Any) -> bool:
    return value is None or _is_share(value)


def _is_finding(value: Any) -> bool:
    if not isinstance(value, Mapping) or set(value) != {"standing", "threshold", "target", "precision"}:
        return False
    told = value["precision"]
    return (
        value["standing"] in ("proven", "unproven", "demoted", "without_target")
        and _is_threshold(value["threshold"])
        and _is_threshold(value["target"])
        and isinstance(told, Mapping)
        and set(told) == {"labels", "right", "low", "high"}
        and all(COUNT.fits(told[name]) for name in ("labels", "right"))
        and all(_is_share(told[name]) for name in ("low", "high"))
    )


_YEARS = "microseconds since 1970, of the years 1 to 9999"
COUNT, NUMBERED = whole(0, _LARGEST), whole(1, _LARGEST)
FLAG = whole(0, 1)
SHARE, LIKENESS = number(0, 1), number(-1.001, 1.001)
TIME = Shape(what=_YEARS, fits=lambda value: type(value) is int and EARLIEST <= value <= LATEST)
OPEN_TIME = Shape(what=f"{_YEARS}, or open", fits=lambda value: TIME.fits(value) or value in (BEGINNING, FOREVER))
# When something ends that may be kept longer than a time can be written.
END = Shape(what="microseconds since 1970", fits=lambda value: type(value) is int and EARLIEST <= value <= FOREVER)
NAME, NAME_OR_NONE = text(_LONGEST_NAME, blank=False), text(_LONGEST_NAME)
LINE, PROSE, TEXT = text(_LONGEST_LINE), text(_LONGEST_PROSE), text(2**27)
CONTEXT = text(values.LONGEST_CONTEXT, blank=False)
ID = Shape(what="an id", fits=lambda value: isinstance(value, str) and _ID.fullmatch(value) is not None)
ID_OR_NONE = Shape(what="an id, or an empty text", fits=lambda value: value == "" or ID.fits(value))
SPACE_NAME = Shape(what="the name of a space", fits=_as_sent(values.container_tag))
CUSTOM_ID = Shape(what="an id as callers choose them", fits=_as_sent(values.custom_id))
BUCKET_KEY = Shape(what="the key of a bucket", fits=is_bucket_key)
METADATA = Shape(
    what="an object of texts, numbers, booleans and lists of texts",
    fits=lambda value: isinstance(value, Mapping) and _as_sent(values.metadata)(value),
)
ENTITIES, RELATIONS = _objects("name", "type"), _objects("from", "type", "to")
LINES = Shape(what="a list of texts", fits=lambda value: _all(value, _line))
PATHS = Shape(
    what="a list of texts",
    fits=lambda value: _all(value, lambda one: is_filled(one, values.LONGEST_LINE)),
)
TEXTS = Shape(what="an object of texts", fits=lambda value: _by_option(value, lambda one: isinstance(one, str)))
SHARES = Shape(what="an object of numbers of 0 to 1", fits=lambda value: _by_option(value, _is_share))
FITTED = Shape(what="what a calibration has fitted", fits=_is_fit)
JSON = Shape(what="JSON", fits=lambda value: True)
BYTES = Shape(what="bytes", fits=lambda value: isinstance(value, bytes))
HASH = Shape(what="at most 64 bytes", fits=lambda value: isinstance(value, bytes) and len(value) <= 64)
