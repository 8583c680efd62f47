"""Entities of XHTML: those that the page declares itself, and those that its document type declares for all pages.

A reader of HTML knows no declarations, and an XML parser would need the document type from the network. So their names
are replaced before the page is parsed. An entity that stands for a file or an address stays a name.
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Mapping
from typing import Final

from services.reading.refusals import CannotRead

# A document type stands in front of the root element; this far it is looked for.
_HEAD_CHARS: Final = 64 * 1024
_DOCTYPE_BEGINS = re.compile(r"<!DOCTYPE", re.I)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,1000}(?:\[(.*?)\]\s*)?>", re.I | re.S)
# What is not ended goes on to the end: it is looked for once, not from each of its beginnings.
_ASIDE = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_DECLARED = re.compile(r"<!ENTITY\s+([\w:.-]+)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>", re.S)
# In a section of characters and in a comment a name is only its letters.
_NAME = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&([A-Za-z_:][\w:.-]*);", re.S)
# Of XML itself; what they stand for would be read as markup.
_OF_XML: Final = ("amp", "lt", "gt", "quot", "apos")
# Of characters that all entities of a page may add to it, each counted as one more, and how deep one may stand in
# another.
_MOST_ADDED: Final = 1_000_000
_DEEPEST: Final = 20
TOO_MUCH: Final = "The page declares entities that unfold to far more than it holds. Take them out and send it again."


def has_declarations(text: str) -> bool:
    """Return whether a page has declarations of its own in front."""
    found = _doctype(text)
    return found is not None and found[1] is not None


def unfolded(text: str) -> str:
    """Return XHTML with each entity written out and a document type without declarations.

    Args:
        text: the page.

    Raises:
        CannotRead: its entities unfold without end, or to more than a page has reason for.
    """
    found = _doctype(text)
    own: dict[str, str] = {}
    if found is not None:
        for name, quoted, single in _DECLARED.findall(_ASIDE.sub("", found[1] or "")):
            own.setdefault(name, quoted or single)  # the first declaration counts
        text = f"{text[: found.start()]}<!DOCTYPE html>{text[found.end() :]}"
    return _Unfolding(own).of(text, 0)


def _doctype(text: str) -> re.Match[str] | None:
    begins = _DOCTYPE_BEGINS.search(text, 0, _HEAD_CHARS)
    return None if begins is None else _DOCTYPE.match(text, begins.start(), _HEAD_CHARS)


class _Unfolding:
    """The entities of one page, and how much more may be added to it."""

    def __init__(self, own: Mapping[str, str]) -> None:
        self._own = own
        self._left = _MOST_ADDED

    def of(self, text: str, depth: int) -> str:
        """Return text with the entities in it written out."""
        if depth > _DEEPEST:
            raise CannotRead(TOO_MUCH)
        return _NAME.sub(lambda found: self._one(found, depth), text)

    def _one(self, found: re.Match[str], depth: int) -> str:
        name = found[1]
        if name is None or name in _OF_XML:
            return found[0]
        if name in self._own:
            self._left -= 1
            value = self.of(self._own[name], depth + 1)
            self._left -= len(value)
            if self._left < 0:
                raise CannotRead(TOO_MUCH)
            return value
        return html.entities.html5.get(f"{name};", f"&amp;{name};")
