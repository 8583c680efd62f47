"""Folds Unicode text so that spellings which readers take for one are one: the first half of `segmentation`."""

from __future__ import annotations

import unicodedata

import regex

_INVISIBLE = regex.compile(r"[\u00AD\u200B-\u200C\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]")
# Arabic short vowels and the stretching mark; Hebrew points and accents; the dot under letters of Indian scripts, which
# is left out as often as it is written.
_DOTS = r"\u093C\u09BC\u0A3C\u0ABC\u0B3C\u0CBC"
_MARKS = regex.compile(rf"[{_DOTS}\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06ED\u0591-\u05BD\u05BF\u05C1-\u05C7]")
_BASE_MARK = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}])\p{Mn}+")
_SPELLINGS = str.maketrans(
    {
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ٱ": "ا",
        "ى": "ي",
        "ی": "ي",
        "ئ": "ي",
        "ؤ": "و",
        "ة": "ه",
        "ک": "ك",
        "ँ": "ं",
        "ঁ": "ং",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "‐": "-",
        "‑": "-",
    }
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_TRANSCRIBED = frozenset("äöü")


def compose(text: str) -> str:
    """Return the text in one form (NFKC) without invisible characters, case kept."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    return plain if plain.isascii() else "".join(map(_ascii_digit, plain))


def fold(text: str) -> str:
    """Fold case, diacritics of Latin, Greek and Cyrillic, Arabic spellings, Hebrew points, and dots of Indian scripts.

    Args:
        text: composed text; see `compose`.
    """
    low = text.casefold()
    if low.isascii():
        return low
    open_text = _BASE_MARK.sub("", unicodedata.normalize("NFD", low))
    return unicodedata.normalize("NFC", _MARKS.sub("", open_text).translate(_SPELLINGS))


def transcribed(text: str) -> str | None:
    """Return the folded text with umlauts written as two letters (Müller: mueller), None when it has none."""
    low = text.casefold()
    return fold(low.translate(_UMLAUTS)) if _TRANSCRIBED & set(low) else None


def _ascii_digit(char: str) -> str:
    if char.isascii():
        return char
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)
