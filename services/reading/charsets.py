"""Which charset a page is in: its header, its own word and its bytes may disagree, and any of them may be wrong."""

from __future__ import annotations

import codecs
import re
from typing import Final

from services.reading.encodings import decode

# Where a page says it; browsers look as far.
_HEAD_BYTES: Final = 4096
_IN_META = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([a-z0-9._:+-]{1,40})", re.I)
_IN_XML = re.compile(rb"^\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([a-z0-9._:+-]{1,40})", re.I)
# What a label means to every browser. Source: the Encoding standard, "names and labels".
_MEANT: Final = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "johab": "cp949", "shift_jis": "cp932",
    "big5": "big5hkscs",
}  # fmt: skip
# What servers say of every file when nobody has told them; a page that says otherwise knows better.
_DEFAULT_OF_SERVERS = "cp1252"
# More of them than this, and the label was wrong: a guess is better.
_MOST_BROKEN: Final = 0.01


def decode_html(html: bytes, declared_charset: str | None) -> tuple[str, tuple[str, ...]]:
    """Return a page's text, and a warning where its encoding is a guess.

    A byte order mark wins. Then UTF-8, when the bytes are valid as that, as hardly a text in another encoding is. Then
    what the header says, unless it is only what servers say by default; then what the page says; then a guess.

    Args:
        html: its bytes.
        declared_charset: of the HTTP header or the upload; None when neither says.

    Raises:
        CannotRead: the bytes are no text.
    """
    label = _label(html, declared_charset)
    if label is None or _is_unmistakable(html):
        return decode(html)
    text = html.decode(label, "replace")
    if text.count("\ufffd") > len(text) * _MOST_BROKEN:
        return decode(html)
    return text, ()


def _is_unmistakable(html: bytes) -> bool:
    if b"\x00" in html or html.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    try:
        html.decode("utf-8")
    except UnicodeDecodeError:
        return False
    # Escapes to other character sets are all ASCII, so they would pass.
    return b"\x1b" not in html


def _label(html: bytes, declared: str | None) -> str | None:
    of_header, of_page = _codec(declared), _codec(_said(html))
    if of_header is None or (of_header == _DEFAULT_OF_SERVERS and of_page is not None):
        return of_page
    return of_header


def _said(html: bytes) -> str | None:
    head = html[:_HEAD_BYTES]
    found = _IN_META.search(head) or _IN_XML.search(head)
    return found[1].decode("ascii") if found else None


def _codec(label: str | None) -> str | None:
    try:
        found = codecs.lookup((label or "").strip())
    except LookupError:
        return None
    # Python has codecs between bytes and bytes too, and those that programs use among themselves.
    if not found._is_text_encoding or found.name in (
        "unicode_escape",
        "raw-unicode-escape",
        "utf-7",
        "idna",
        "punycode",
    ):
        return None
    # A page whose label can be read byte by byte is in none of these.
    return None if found.name.startswith(("utf-16", "utf-32")) else _MEANT.get(found.name, found.name)
