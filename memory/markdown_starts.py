"""Recognises what a line of Markdown can start, by CommonMark's rules, each in time linear in the line.

Every function takes the line (without its line break, tabs expanded) and the offset behind its containers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# A longer marker cannot be closed and re-opened within a chunk; such a line is ordinary text to us.
LONGEST_FENCE_MARKER = 100

_FENCE = re.compile(r"(`{3,}|~{3,})(.*)", re.DOTALL)
_ATX = re.compile(r"(#{1,6})(?:[ \t]|\Z)")
_MARKER = re.compile(r"([-+*]|\d{1,9}[.)])(?= |\Z)")
_CELL = re.compile(r":?-+:?")
_RAW_TAG = re.compile(r"<(pre|script|style|textarea)(?:[\s>]|\Z)", re.IGNORECASE)
_BLOCK_TAG = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|"
    r"dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|"
    r"menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|"
    r"tr|track|ul)(?:\s|/?>|\Z)",
    re.IGNORECASE,
)
_LONE_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?>\s*\Z")


@dataclass(frozen=True, slots=True)
class FenceStart:
    """The opening line of a code fence."""

    marker: str  # e.g. "```"
    info: str  # what follows the marker, trimmed
    indent: int  # columns in front of the marker, 0..3


@dataclass(frozen=True, slots=True)
class HtmlStart:
    """The first line of an HTML block."""

    comment: bool
    end: str | None  # lower-case text that ends the block on its line; None: a blank line ends it


def indentation(line: str, at: int) -> int:
    """Return the number of spaces at an offset."""
    place = at
    while place < len(line) and line[place] == " ":
        place += 1
    return place - at


def heading_start(line: str, at: int) -> tuple[int, str] | None:
    """Return level (1..6) and title of an ATX heading, or None."""
    found = _ATX.match(line, at)
    if not found:
        return None
    title = line[found.end(1) :].strip()
    bare = title.rstrip("#")
    if bare != title and (not bare or bare[-1] in " \t"):
        title = bare.rstrip()
    return len(found.group(1)), title


def underline_level(line: str, at: int) -> int:
    """Return the level of a Setext underline: 1 for `=`, 2 for `-`, 0 for anything else."""
    marks = set(line[at:].strip())
    return {"=": 1, "-": 2}.get(marks.pop(), 0) if len(marks) == 1 else 0


def is_rule(line: str, at: int) -> bool:
    """Return whether the line is a thematic break."""
    if line[at : at + 1] not in {"-", "_", "*"}:
        return False
    marks = line[at:].replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and set(marks) == {line[at]}


def fence_start(line: str, at: int, indent: int) -> FenceStart | None:
    """Return the fence that a line opens, or None."""
    if line[at : at + 3] not in {"```", "~~~"}:
        return None
    found = _FENCE.match(line, at)
    if not found or len(found.group(1)) > LONGEST_FENCE_MARKER:
        return None
    marker, info = found.group(1), found.group(2).strip()
    if marker[0] == "`" and "`" in info:
        return None
    return FenceStart(marker, info, indent)


def closes_fence(line: str, at: int, marker: str) -> bool:
    """Return whether a line inside a fence closes it."""
    if indentation(line, at) > 3:
        return False
    text = line[at:].strip()
    return len(text) >= len(marker) and set(text) == {marker[0]}


def html_start(line: str, at: int, *, interrupts: bool, comment_closes: bool) -> HtmlStart | None:
    """Return the HTML block that a line begins, or None.

    Args:
        line: the line.
        at: offset of its first non-blank character.
        interrupts: whether a paragraph is open, which a lone unknown tag cannot interrupt.
        comment_closes: whether `-->` occurs from here on. Other than CommonMark, a comment that is never closed is
            ordinary text to us: one stray mark must not hide the rest of a document.
    """
    if line[at : at + 1] != "<":
        return None
    if line.startswith("<!--", at):
        return HtmlStart(True, "-->") if comment_closes else None
    raw = _RAW_TAG.match(line, at)
    if raw:
        return HtmlStart(False, f"</{raw.group(1).lower()}>")
    if line.startswith("<?", at):
        return HtmlStart(False, "?>")
    if _BLOCK_TAG.match(line, at) or (not interrupts and _LONE_TAG.match(line, at)):
        return HtmlStart(False, None)
    return None


def list_marker(line: str, at: int) -> tuple[str, int] | None:
    """Return the marker of a list item and the columns up to its content, or None."""
    found = _MARKER.match(line, at)
    if not found:
        return None
    marker = found.group(1)
    gap = indentation(line, found.end())
    if gap > 4 or found.end() + gap >= len(line):
        gap = 1
    return marker, len(marker) + gap


def cells(row: str) -> list[str]:
    r"""Return the trimmed cells of a table row; `\|` does not separate."""
    inner = row.strip().replace("\\|", "\0")
    inner = inner.removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\0", "|") for cell in inner.split("|")]


def is_delimiter_row(line: str, at: int, header: str) -> bool:
    """Return whether a line is the row under a table's header, with as many cells as the header."""
    text = line[at:].strip()
    if "|" not in text or "-" not in text or not set(text) <= set("|-: "):
        return False
    row = cells(text)
    return all(_CELL.fullmatch(cell) for cell in row) and len(row) == len(cells(header))
