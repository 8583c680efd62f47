"""From bytes to text: a byte order mark, then UTF-8, then what was declared, then a guess that is said to be one."""

from __future__ import annotations

import codecs
from typing import Final

from services.reading.refusals import CannotRead

# In the order they are tried: the mark of UTF-32 begins with that of UTF-16.
_MARKS: Final[tuple[tuple[bytes, str], ...]] = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
# What pages and mails call Latin 1 is Windows-1252: its quotation marks and dashes are meant.
_MEANT: Final = {"iso8859-1": "cp1252", "ascii": "cp1252"}
# Differ from Windows-1252 in some letters.
_ALIKE = ("cp1250", "cp1254", "cp1257", "cp1258", "latin_1", "iso8859_15", "iso8859_9")
# Detection reads this much; a text says in its first pages which language it is in.
_SAMPLE_BYTES = 256 * 1024
_LEAST_BYTES_TO_GUESS = 4
# Zeros up to this share are dirt, as a log has where a machine went down; more are another encoding, or no text.
_STRAY_SHARE = 0.01
_WHOLE_PER_BROKEN = 4
BINARY = "This is no text and no kind of file that is read here. Send it as text, PDF, DOCX, PPTX, XLSX, EPUB or HTML."


def decode(body: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return bytes as text, and a warning where the encoding is a guess.

    Args:
        body: the bytes.
        declared: the charset its sender names.

    Raises:
        CannotRead: the bytes are no text.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace"), ()
    if body.count(0) > len(body) * _STRAY_SHARE:
        return _wide(body), ()
    try:
        return body.decode("utf-8"), ()
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    # A few broken characters among many whole ones make it no other encoding.
    if sum(1 for one in text if one > "\x7f") > broken * _WHOLE_PER_BROKEN:
        return text, (f"{broken} characters are broken: they are no valid UTF-8.",)
    for name in filter(None, (_known(declared),)):
        try:
            return body.decode(name), ()
        except UnicodeDecodeError:
            continue
    return _guessed(body)


def _known(name: str | None) -> str | None:
    try:
        found = codecs.lookup(name or "").name
    except LookupError:
        return None
    return None if found == "utf-8" else _MEANT.get(found, found)


def _wide(body: bytes) -> str:
    """Read UTF-16 without a mark, which has a zero in every second byte of Latin text."""
    even, odd = body[0::2].count(0), body[1::2].count(0)
    half = len(body) / 2
    for zeros, others, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > half * 0.4 and others < half * 0.05:
            try:
                return body.decode(name)
            except UnicodeDecodeError:
                break
    raise CannotRead(BINARY)


def _guessed(body: bytes) -> tuple[str, tuple[str, ...]]:
    from charset_normalizer import from_bytes

    controls = sum(body[:_SAMPLE_BYTES].count(code) for code in range(32) if code not in (9, 10, 12, 13, 27))
    if controls > len(body[:_SAMPLE_BYTES]) * 0.02:
        raise CannotRead(BINARY)
    best = from_bytes(body[:_SAMPLE_BYTES]).best() if len(body) >= _LEAST_BYTES_TO_GUESS else None
    name = best.encoding if best is not None else "cp1252"
    text = body.decode(name, "replace")
    if name in _ALIKE and text == body.decode("cp1252", "replace"):
        name = "cp1252"  # the letters that differ do not occur, so the common one is named
    return text, (f"The encoding is not stated; it was read as {name.replace('_', '-')}.",)
