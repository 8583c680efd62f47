"""Turns the blocks of a document into units: the pieces that packing never cuts any further.

A fence or table that fits is one unit. A longer fence is split at line ends into parts that each read as a fence; a
table is split between rows and repeats its header; prose is split by `text_cuts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memory.markdown_blocks import Block, scan_lines
from memory.text_cuts import cut_run, cut_sentences, ink
from memory.token_estimate import TokenCosts, estimate_tokens

# A table's header is repeated in front of its later parts unless it is longer than this.
LONGEST_HEADER = 300
# Of a heading's text, this much goes into the heading path; the chunk itself keeps all of it.
LONGEST_HEADING = 120
# Info strings longer than this are cut where a fence is re-opened.
_LONGEST_INFO = 60
_HEADING_TOKENS = 40.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a chunk's body may cost."""

    size: int  # characters aimed at
    hard: int  # characters never exceeded
    tokens: float  # estimated wordpieces never exceeded


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the source that packing keeps whole."""

    start: int
    end: int
    first: int  # offset of its first character that is not white space
    last: int  # offset behind its last such character
    heading: tuple[str, ...]
    lead: bool = False  # heading, front matter, comment or rule: says nothing alone
    prose: bool = False  # may be cut finer when it does not fit behind its heading
    opening: str = ""  # must stand in front, so nothing may come before it in its chunk
    closing: str = ""  # must stand behind, so nothing may follow
    header: str = ""  # put in front when the unit begins a chunk


def build_units(source: str, blocks: Sequence[Block], costs: TokenCosts, limits: Limits) -> list[Unit]:
    """Return the units of a document; blank runs belong to the unit before them, leading ones to the first.

    Args:
        source: the document.
        blocks: its blocks, tiling it.
        costs: its token costs.
        limits: what a chunk may cost.
    """
    units: list[Unit] = []
    path: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "blank":
            if units:
                units[-1] = replace(units[-1], end=block.end)
            continue
        if block.kind == "heading":
            path = [step for step in path if step[0] < block.level]
            path.append((block.level, _short_title(block.title)))
        heading = tuple(title for _, title in path if title)
        units.extend(_block_units(source, block, heading, costs, limits))
    if units:
        units[0] = replace(units[0], start=0)
    return units


def make_unit(source: str, start: int, end: int, heading: tuple[str, ...], **extra: object) -> Unit:
    """Return a unit with the extent of its text."""
    text = source[start:end]
    first = start + len(text) - len(text.lstrip())
    last = start + len(text.rstrip())
    return Unit(start, end, min(first, end), max(last, start), heading, **extra)  # type: ignore[arg-type]


def split_unit(source: str, unit: Unit, costs: TokenCosts, limits: Limits) -> list[Unit]:
    """Cut a unit of prose at its sentence ends, and finer where it must be."""
    parts = []
    start = unit.start
    for end in cut_sentences(source, unit.start, unit.end, costs, limits.size, limits.tokens):
        if end > start:
            parts.append(make_unit(source, start, end, unit.heading, lead=unit.lead))
            start = end
    return parts


def _block_units(
    source: str, block: Block, heading: tuple[str, ...], costs: TokenCosts, limits: Limits
) -> Iterator[Unit]:
    whole = make_unit(source, block.start, block.end, heading)
    if block.kind == "fence":
        yield from _fence_units(source, block, whole, costs, limits)
        return
    fits = whole.last - whole.first <= limits.size and costs.between(whole.first, whole.last) <= limits.tokens
    lead = block.kind in {"heading", "front", "comment", "rule"}
    prose = block.kind == "prose"
    if fits:
        yield replace(whole, lead=lead, prose=prose)
    elif block.kind == "table":
        yield from _row_units(source, block, heading, costs, limits)
    elif block.kind in {"code", "html", "front", "comment"}:
        yield from _line_units(source, replace(whole, lead=lead), costs, limits)
    else:
        yield from split_unit(source, replace(whole, lead=lead), costs, limits)


def _line_units(source: str, whole: Unit, costs: TokenCosts, limits: Limits) -> Iterator[Unit]:
    def reach(at: int) -> int:
        return min(at + limits.size, costs.furthest(at, limits.tokens))

    start = whole.start
    for end in cut_run(source, whole.start, whole.end, reach):
        yield make_unit(source, start, end, whole.heading, lead=whole.lead)
        start = end


def _row_units(
    source: str, block: Block, heading: tuple[str, ...], costs: TokenCosts, limits: Limits
) -> Iterator[Unit]:
    header = source[block.start : block.body_start].rstrip("\r\n") + "\n"
    header_tokens = estimate_tokens(header)
    usable = len(header) <= LONGEST_HEADER and header_tokens <= limits.tokens / 4
    room = limits.size - len(header) if usable else limits.size
    tokens = limits.tokens - header_tokens if usable else limits.tokens
    start = block.start
    for _, end in scan_lines(source[block.body_start : block.end]):
        row_end = block.body_start + end
        unit = make_unit(source, start, row_end, heading)
        if unit.last - unit.first <= room and costs.between(unit.first, unit.last) <= tokens:
            yield replace(unit, header=header if usable and start > block.start else "")
        else:
            yield from split_unit(source, unit, costs, limits)
        start = row_end
    if start == block.start:
        yield from split_unit(source, make_unit(source, start, block.end, heading), costs, limits)


def _fence_units(source: str, block: Block, whole: Unit, costs: TokenCosts, limits: Limits) -> Iterator[Unit]:
    closing = "" if block.closed else _closing(source, block.end, _fence_mark(block))
    cost = costs.between(whole.first, whole.last) + estimate_tokens(closing)
    if whole.last - whole.first + len(closing) <= limits.hard and cost <= limits.tokens:
        yield replace(whole, closing=closing)
        return
    mark = _fence_mark(block)
    opening = f"{mark}{block.info[:_LONGEST_INFO]}\n"
    start = block.start
    for end in _fence_cuts(source, block, _fence_reach(block, opening, mark, costs, limits)):
        whole_line = start == block.start or source[start - 1] in "\r\n"
        yield make_unit(
            source,
            start,
            end,
            whole.heading,
            opening="" if start == block.start else opening + ("" if whole_line else block.prefix),
            closing="" if end == block.end and block.closed else _closing(source, end, mark),
        )
        start = end


def _fence_mark(block: Block) -> str:
    return f"{block.prefix}{' ' * block.indent}{block.marker}"


def _fence_reach(block: Block, opening: str, mark: str, costs: TokenCosts, limits: Limits) -> Callable[[int], int]:
    """Return how far a part of a fence may reach, given what is put in front of it and behind it."""
    shell = opening + block.prefix + "\n" + mark
    chars = max(limits.size - len(shell), limits.size // 4)
    tokens = max(limits.tokens - estimate_tokens(shell), limits.tokens / 4)
    return lambda at: min(at + chars, costs.furthest(at, tokens))


def _fence_cuts(source: str, block: Block, reach: Callable[[int], int]) -> Iterator[int]:
    """Yield where the parts of a fence end: at line ends, within a line only where it alone is too long."""
    part = block.start
    for start, end, last in _code_lines(source, block, reach):
        if start > block.start and last > reach(ink(source, part, end)):
            yield start
            part = start
        if last > reach(ink(source, part, end)):
            *cuts, _ = cut_run(source, part, end, reach)
            yield from cuts
            part = cuts[-1] if cuts else part
    yield block.end


def _code_lines(source: str, block: Block, reach: Callable[[int], int]) -> list[tuple[int, int, int]]:
    """Return (start, end, end of text) of the lines that are not blank; the closing line goes with the one before."""
    lines = []
    for first, following in scan_lines(source[block.start : block.end]):
        start, end = block.start + first, block.start + following
        text = source[start:end].rstrip()
        if text:
            lines.append((start, end, start + len(text)))
    if block.closed and len(lines) > 2 and lines[-1][2] <= reach(ink(source, lines[-2][0], block.end)):
        _, end, last = lines.pop()
        lines[-1] = (lines[-1][0], end, last)
    return lines


def _closing(source: str, end: int, mark: str) -> str:
    """Return the line that closes a fence behind a part."""
    return mark if source[end - 1] in "\r\n" else f"\n{mark}"


def _short_title(title: str) -> str:
    """Return a heading's text for the path: one line, bounded."""
    text = " ".join(title.split())
    if len(text) <= LONGEST_HEADING and estimate_tokens(text) <= _HEADING_TOKENS:
        return text
    costs = TokenCosts(text)
    end = next(
        iter(cut_run(text, 0, len(text), lambda at: min(at + LONGEST_HEADING, costs.furthest(at, _HEADING_TOKENS))))
    )
    return text[:end].rstrip() + "…"
