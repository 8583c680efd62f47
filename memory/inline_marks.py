"""Takes Markdown's inline marks off a text, in linear time, so that a statement reads as prose."""

from __future__ import annotations

import re

_CODE = re.compile(r"(`+)([^`]+)\1")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?: \"[^\"()]*\")?\)|\[[^\[\]]*\])")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]*)>")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}(?: [^<>]{0,200})?/?>")
_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).)*-->", re.DOTALL)
_EMPHASIS = re.compile(r"(?<!\w)(?<![*_~\\])[*_~]{1,3}(?=[^\s*_~])|(?<=[^\s*_~\\])[*_~]{1,3}(?!\w)(?![*_~])")
_QUOTE_PREFIX = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")
_MARKER = re.compile(r"\s*(?:[-+*•–]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def without_marks(text: str) -> str:
    """Return the text without list marker, quote marks, emphasis, code ticks, tags and link targets, on one line.

    Args:
        text: a sentence, list item or cell of Markdown.
    """
    plain = _QUOTE_PREFIX.sub("", text)
    marker = _MARKER.match(plain)
    if marker:
        plain = plain[marker.end() :]
    plain = _AUTOLINK.sub(r"\1", _COMMENT.sub(" ", plain))
    pieces = _split_code(plain)
    return " ".join("".join(code or _prose(text) for text, code in pieces).split())


def without_links(text: str) -> str:
    """Return the text with the words of its links and images; a badge is an image inside a link."""
    return _LINK.sub(r"\1", _LINK.sub(r"\1", text))


def _split_code(text: str) -> list[tuple[str, str]]:
    """Return (prose, "") and ("", code) in order: code keeps its characters."""
    pieces = []
    start = 0
    for found in _CODE.finditer(text):
        pieces += [(text[start : found.start()], ""), ("", found.group(2))]
        start = found.end()
    return [*pieces, (text[start:], "")]


def _prose(text: str) -> str:
    return _ESCAPE.sub(r"\1", _EMPHASIS.sub("", _TAG.sub(" ", without_links(text))))
