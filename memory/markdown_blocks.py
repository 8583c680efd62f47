"""Cuts a Markdown source into blocks that tile it: one pass over its lines, in linear time.

A scanner of our own and not a Markdown library: we need only line-granular blocks with exact source offsets, and a
bounded nesting depth keeps every line's cost proportional to its length, whatever the input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal, NamedTuple

from memory import markdown_starts as starts

BlockKind = Literal["front", "heading", "fence", "table", "code", "comment", "html", "rule", "prose", "blank"]

# Quotes and lists nested deeper than this are read as text: it bounds the work of a line of 100,000 `>`.
DEEPEST_NESTING = 16
# Front matter longer than this is read as text, so that a rule at the top of a page does not swallow the page.
LONGEST_FRONT_MATTER_LINES = 200

_QUOTE = 0
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_KEY = re.compile(r"[\w\"'.-]+[ ]*[:=]")


@dataclass(slots=True)
class Block:
    """A run of whole lines of one kind; the scanner still extends the last one."""

    kind: BlockKind
    start: int  # character offset in the source
    end: int  # exclusive, behind the line break
    nested: bool = False  # inside a quote or a list item
    level: int = 0  # of a heading, 1..6
    title: str = ""  # of a heading; of open prose its last line, a possible table header
    marker: str = ""  # of a fence, e.g. "```"
    info: str = ""  # of a fence: what follows its marker
    indent: int = 0  # of a fence: columns in front of its marker
    prefix: str = ""  # of a fence: what its containers put in front of each line
    closed: bool = True  # of a fence: whether its closing line is part of it
    last_line: int = 0  # offset where its last line begins
    lines: int = 1
    body_start: int = 0  # of a fence or table: offset behind the opening line or the header rows
    html_end: str | None = None


class _Line(NamedTuple):
    start: int
    end: int
    text: str  # without the line break, tabs expanded


def scan_lines(source: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each line with its line break; CR, LF and CRLF end lines."""
    for found in _LINE.finditer(source):
        if found.end() > found.start():
            yield found.span()


def scan_blocks(source: str, *, markdown: bool = True, front_matter: bool = True) -> list[Block]:
    """Cut a source into blocks.

    Args:
        source: the whole text.
        markdown: False reads it as plain paragraphs between blank lines.
        front_matter: whether the source may begin with front matter.

    Returns:
        Blocks in order; they tile the source exactly.
    """
    scanner = _Scanner(source)
    lines: Iterator[_Line] = (_line(source, start, end) for start, end in scan_lines(source))
    feed = scanner.feed if markdown else scanner.feed_plain
    if markdown and front_matter and source.startswith(("---", "+++")):
        head = list(islice(lines, LONGEST_FRONT_MATTER_LINES + 1))
        lines = chain(head[scanner.take_front_matter(head) :], lines)
    for line in lines:
        feed(line)
    return scanner.blocks


def _line(source: str, start: int, end: int) -> _Line:
    text = source[start:end].rstrip("\r\n")
    return _Line(start, end, text.expandtabs(4) if "\t" in text else text)


class _Scanner:
    """The state between lines: the open containers and the open block."""

    def __init__(self, source: str) -> None:
        self.blocks: list[Block] = []
        self._source = source
        self._containers: list[int] = []  # _QUOTE, or the content width of a list item
        self._open: Block | None = None
        self._last_comment_end = source.rfind("-->")

    def take_front_matter(self, lines: list[_Line]) -> int:
        """Take front matter from the top and return the number of its lines."""
        if len(lines) < 2 or lines[0].text.rstrip() not in {"---", "+++"} or not lines[1].text.strip():
            return 0
        ends = {lines[0].text.rstrip(), "..."}
        for count, line in enumerate(lines[1:], start=2):
            if line.text.rstrip() in ends:
                if not any(_KEY.match(inner.text) for inner in lines[1 : count - 1]):
                    return 0
                self.blocks.append(Block("front", lines[0].start, line.end))
                return count
        return 0

    def feed_plain(self, line: _Line) -> None:
        """Take the next line of plain text."""
        if not line.text.strip():
            self._blank(line)
        elif self._open:
            self._extend(self._open, line)
        else:
            self._begin("prose", line, 0)

    def feed(self, line: _Line) -> None:
        """Take the next line of Markdown."""
        matched, at = self._match(line.text)
        block = self._open
        if block and block.kind in {"fence", "html", "comment"}:
            if matched == len(self._containers) and self._continue_raw(block, line, at):
                return
            self._open = None
        if not line.text[at:].strip():
            del self._containers[matched:]
            self._blank(line)
        else:
            self._start_line(line, matched, at)

    def _match(self, text: str) -> tuple[int, int]:
        """Return how many open containers the line continues, and the offset behind them."""
        at = 0
        for count, width in enumerate(self._containers):
            indent = starts.indentation(text, at)
            if width == _QUOTE:
                if indent > 3 or text[at + indent : at + indent + 1] != ">":
                    return count, at
                at += indent + 1
                at += text[at : at + 1] == " "
            elif indent >= width:
                at += width
            elif at + indent < len(text):
                return count, at
            else:
                at = len(text)
        return len(self._containers), at

    def _continue_raw(self, block: Block, line: _Line, at: int) -> bool:
        """Extend a fence or HTML block; False when a blank line ended it before this line."""
        if block.kind == "fence":
            self._extend(block, line)
            if starts.closes_fence(line.text, at, block.marker):
                block.closed = True
                self._open = None
            return True
        if block.html_end is None and not line.text[at:].strip():
            return False
        self._extend(block, line)
        if block.html_end and block.html_end in line.text.lower():
            self._open = None
        return True

    def _blank(self, line: _Line) -> None:
        # A line of nothing but quote marks is blank to Markdown, but not to a reader of the source.
        kind: BlockKind = "rule" if line.text.strip() else "blank"
        if self.blocks and self.blocks[-1].kind == kind:
            self._extend(self.blocks[-1], line)
        else:
            self._begin(kind, line, 0)
        self._open = None

    def _start_line(self, line: _Line, matched: int, at: int) -> None:
        stack = self._containers[:matched]
        at, opened = self._open_containers(line.text, stack, at, len(stack) == len(self._containers))
        paragraph = self._open if self._open and self._open.kind == "prose" and not opened else None
        lazy = paragraph is not None and len(stack) < len(self._containers)
        if starts.indentation(line.text, at) >= 4:
            if paragraph:
                self._extend(paragraph, line, at)
            else:
                self._enter(stack, opened)
                self._continue_or_begin("code", line, at)
            return
        if self._leaf(line, at, stack, opened, paragraph, lazy):
            return
        if paragraph:
            self._extend(paragraph, line, at)
            return
        self._enter(stack, opened)
        table = self._open if self._open and self._open.kind == "table" else None
        if table:
            self._extend(table, line)
        else:
            self._begin("prose", line, at)

    def _open_containers(self, text: str, stack: list[int], at: int, same: bool) -> tuple[int, bool]:
        """Push the quotes and list items that begin on this line; return the offset behind them and whether any did."""
        opened = False
        while len(stack) < DEEPEST_NESTING:
            indent = starts.indentation(text, at)
            place = at + indent
            if indent > 3 or starts.is_rule(text, place):
                break
            if text[place : place + 1] == ">":
                stack.append(_QUOTE)
                at = place + 1
                at += text[at : at + 1] == " "
            else:
                item = starts.list_marker(text, place)
                if not item or (not opened and same and self._cannot_interrupt(item[0], text, place)):
                    break
                stack.append(indent + item[1])
                at = min(place + item[1], len(text))
            opened = True
        return at, opened

    def _cannot_interrupt(self, marker: str, text: str, place: int) -> bool:
        """Return whether an open paragraph goes on although the line looks like a list item."""
        if not self._open or self._open.kind != "prose":
            return False
        return not text[place + len(marker) :].strip() or (marker[0].isdigit() and marker[:-1] != "1")

    def _leaf(self, line: _Line, at: int, stack: list[int], opened: bool, paragraph: Block | None, lazy: bool) -> bool:
        """Begin what the line starts; False when it is text."""
        text, place = line.text, at + starts.indentation(line.text, at)
        if paragraph and not lazy and self._underline(paragraph, line, place):
            return True
        heading = starts.heading_start(text, place)
        fence = starts.fence_start(text, place, place - at)
        html = starts.html_start(
            text, place, interrupts=paragraph is not None, comment_closes=line.start < self._last_comment_end
        )
        if not (heading or fence or html or starts.is_rule(text, place)):
            return False
        self._enter(stack, True)
        if heading:
            self._heading(line, at, heading)
        elif fence:
            block = self._begin("fence", line, at)
            block.marker, block.info, block.indent = fence.marker, fence.info, fence.indent
            block.prefix, block.closed, block.body_start = _blank_markers(text[:at]), False, line.end
        elif html:
            block = self._begin("comment" if html.comment else "html", line, at)
            block.html_end = html.end
            if html.end and html.end in text[place + 2 :].lower():
                self._open = None
        else:
            self._begin("rule", line, at)
            self._open = None
        return True

    def _heading(self, line: _Line, at: int, heading: tuple[int, str]) -> None:
        block = self._begin("prose" if self._containers else "heading", line, at)
        block.level, block.title = heading
        self._open = None

    def _underline(self, paragraph: Block, line: _Line, place: int) -> bool:
        """Turn an open paragraph into a Setext heading or a table, when this line says so."""
        header = paragraph.title
        level = starts.underline_level(line.text, place)
        if level:
            self._extend(paragraph, line)
            self._open = None
            if not self._containers:
                paragraph.kind, paragraph.level = "heading", level
                paragraph.title = " ".join(self._source[paragraph.start : line.start].split())
            return True
        if not starts.is_delimiter_row(line.text, place, header):
            return False
        if paragraph.lines > 1:
            paragraph.end = paragraph.last_line
            table = Block("table", paragraph.last_line, line.end, nested=paragraph.nested, lines=2)
            self.blocks.append(table)
            self._open = table
        else:
            self._extend(paragraph, line)
            paragraph.kind, table = "table", paragraph
        table.body_start, table.last_line = line.end, line.start
        return True

    def _enter(self, stack: list[int], opened: bool) -> None:
        if opened or stack != self._containers:
            self._open = None
        self._containers = stack

    def _continue_or_begin(self, kind: BlockKind, line: _Line, at: int) -> None:
        if self._open and self._open.kind == kind:
            self._extend(self._open, line)
        else:
            self._begin(kind, line, at)

    def _begin(self, kind: BlockKind, line: _Line, at: int) -> Block:
        block = Block(kind, line.start, line.end, nested=bool(self._containers), last_line=line.start)
        block.title = line.text[at:].strip()
        self.blocks.append(block)
        self._open = block
        return block

    def _extend(self, block: Block, line: _Line, at: int = 0) -> None:
        block.end, block.last_line = line.end, line.start
        block.lines += 1
        if block.kind == "prose":
            block.title = line.text[at:].strip()


def _blank_markers(prefix: str) -> str:
    """Return a container prefix as it stands on the lines after the first: list markers become spaces."""
    return "".join(mark if mark in "> " else " " for mark in prefix)
