"""Which `@media` conditions hold for a person who reads a page on a screen of usual size."""

from __future__ import annotations

import re
from typing import Final

# A window of a computer; pages write their rules for it as the usual case.
WIDTH_PIXELS: Final = 1280.0
HEIGHT_PIXELS: Final = 800.0
_PER_EM = 16.0
_TYPES: Final = {"all": True, "screen": True}
# What is asked for by name alone, and does not hold: the settings of a person who changed nothing.
_FALSE: Final = (
    "prefers-color-scheme:dark", "prefers-reduced-motion:reduce", "prefers-reduced-motion", "prefers-contrast:more",
    "prefers-contrast", "forced-colors:active", "forced-colors", "hover:none", "any-hover:none", "pointer:coarse",
    "any-pointer:coarse", "pointer:none", "orientation:portrait", "scripting:none", "inverted-colors:inverted",
    "display-mode:standalone", "monochrome", "grid",
)  # fmt: skip
_BOUND = re.compile(r"(min|max)-(?:device-)?(width|height):([\d.]+)(px|em|rem)?")
_RANGE = re.compile(r"(width|height)(<=|>=|<|>|=)([\d.]+)(px|em|rem)?")
_RANGE_REVERSED = re.compile(r"([\d.]+)(px|em|rem)?(<=|>=|<|>|=)(width|height)(?:(<=|<)([\d.]+)(px|em|rem)?)?")
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}
_TERM = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)|([\w-]+)")


def holds(condition: str) -> bool:
    """Return whether a media condition holds; one that is not known here does, since its rules may hide something.

    Args:
        condition: what stands behind `@media`, or in the attribute `media`; "" holds.
    """
    return not condition.strip() or any(_query(one) for one in condition.lower().split(","))


def _query(query: str) -> bool:
    terms = [(one[1], one[2]) for one in _TERM.finditer(query)]
    negated = bool(terms) and terms[0][1] == "not"
    words = [word for _, word in terms]
    found = [_term(feature, word) for feature, word in terms if word not in ("not", "only", "and", "or")]
    held = any(found) if "or" in words else all(found)
    return held != negated


def _term(feature: str, word: str) -> bool:
    if word:
        return _TYPES.get(word, False)
    if "(" in feature or feature.strip().startswith("not "):
        return _query(feature)
    return _feature(re.sub(r"\s+", "", feature))


def _feature(feature: str) -> bool:
    if found := _BOUND.fullmatch(feature):
        return _compared(found[2], ">=" if found[1] == "min" else "<=", found[3], found[4])
    if found := _RANGE.fullmatch(feature):
        return _compared(found[1], found[2], found[3], found[4])
    if found := _RANGE_REVERSED.fullmatch(feature):
        low = _compared(found[4], _MIRRORED[found[3]], found[1], found[2])
        return low and (found[5] is None or _compared(found[4], found[5], found[6], found[7]))
    return feature not in _FALSE


def _compared(side: str, sign: str, number: str, unit: str | None) -> bool:
    have = WIDTH_PIXELS if side == "width" else HEIGHT_PIXELS
    try:
        asked = float(number) * (1.0 if unit in (None, "px") else _PER_EM)
    except ValueError:
        return False
    return {"<": have < asked, ">": have > asked, "<=": have <= asked, ">=": have >= asked, "=": have == asked}[sign]
