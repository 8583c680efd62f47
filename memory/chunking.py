"""Cuts a document into chunks: blocks, then units, then greedy packing within each section.

The rule: spans tile the source; a chunk's body is at most `HARD_CHARS` characters and `TOKEN_LIMIT` estimated
wordpieces; blank runs belong to the span before them (leading ones to the first) and are not part of a body.
"""

from __future__ import annotations

from dataclasses import replace

from memory.chunk_units import Limits, Unit, build_units, split_unit
from memory.markdown_blocks import scan_blocks
from memory.records import ChunkSpan
from memory.token_estimate import TokenCosts, estimate_tokens

# About 330 wordpieces of English prose: a few paragraphs, which is what a question is usually about.
CHUNK_CHARS = 1400
# A heading with its first paragraph, or a fence, may use this much over the target rather than be cut.
HARD_CHARS = 1750
# Embedders commonly stop at 512 wordpieces; the heading path and special tokens need the rest.
TOKEN_LIMIT = 440.0
# A section's last chunk shorter than this joins the one before when both fit the hard limit.
_SMALL = 200
# A heading path is as useful with its outer steps left out as it is harmful when it crowds out the text.
_PATH_TOKENS = 60.0


def chunk(source: str, *, markdown: bool = True, size: int = CHUNK_CHARS) -> list[ChunkSpan]:
    """Cut a document into chunks.

    Args:
        source: the document's text.
        markdown: False for plain text, where only blank lines and sentences are cut at.
        size: characters aimed at, at least 200; bodies may be a quarter longer, never more.

    Returns:
        Spans that tile the source exactly, none with a blank body; none at all for a blank document. Sections begin a
        new chunk; a heading without text of its own goes with the section that follows. Fences and tables are kept
        whole where they fit; else a fence is closed and re-opened (`opening`, `closing`) and a table cut between rows,
        its header repeated. A table row or code line is cut only when it alone is over the limit.
    """
    if not source.strip():
        return []
    limits = Limits(size, size * HARD_CHARS // CHUNK_CHARS, TOKEN_LIMIT)
    costs = TokenCosts(source)
    packer = _Packer(source, costs, limits)
    for unit in build_units(source, scan_blocks(source, markdown=markdown), costs, limits):
        packer.add(unit)
    return packer.spans()


class _Packer:
    """Puts units into chunks, in order."""

    def __init__(self, source: str, costs: TokenCosts, limits: Limits) -> None:
        self._source = source
        self._costs = costs
        self._limits = limits
        self._chunks: list[list[Unit]] = []
        self._leading = False  # whether the last chunk holds nothing but leads

    def add(self, unit: Unit) -> None:
        """Add a unit to the last chunk, or begin another."""
        current = self._chunks[-1] if self._chunks else None
        if current is None or not self._together(current, unit):
            self._begin(unit)
        elif self._fits(current, unit, self._limits.hard if self._leading else self._limits.size):
            current.append(unit)
            self._leading = self._leading and unit.lead
        elif unit.prose and self._leading:
            for part in split_unit(self._source, replace(unit, prose=False), self._costs, self._limits):
                self.add(part)
        else:
            self._begin(unit)

    def spans(self) -> list[ChunkSpan]:
        """Return the chunks as spans."""
        self._join_small()
        return [
            ChunkSpan(
                position=position,
                start=units[0].start,
                end=units[-1].end,
                heading=_bounded_path(units[-1].heading),
                opening=units[0].opening,
                closing=units[-1].closing,
            )
            for position, units in enumerate(self._chunks)
        ]

    def _begin(self, unit: Unit) -> None:
        self._join_small()
        self._chunks.append([replace(unit, opening=unit.opening or unit.header)])
        self._leading = unit.lead

    def _together(self, current: list[Unit], unit: Unit) -> bool:
        """Return whether a unit may stand in the current chunk at all."""
        if current[-1].closing or unit.opening:
            return False
        return self._leading or current[-1].heading == unit.heading

    def _fits(self, current: list[Unit], unit: Unit, room: int) -> bool:
        shell = current[0].opening + unit.closing
        length = unit.last - current[0].first + len(shell)
        tokens = self._costs.between(current[0].first, unit.last) + (estimate_tokens(shell) if shell else 0.0)
        return length <= room and tokens <= self._limits.tokens

    def _join_small(self) -> None:
        """Join a short last chunk to the one before it, where that is allowed."""
        if len(self._chunks) < 2:
            return
        before, last = self._chunks[-2:]
        joinable = before[-1].heading == last[0].heading == last[-1].heading and not before[-1].closing
        small = not last[0].opening and last[-1].last - last[0].first < _SMALL
        if joinable and small and self._fits(before, last[-1], self._limits.hard):
            before.extend(last)
            self._chunks.pop()


def _bounded_path(heading: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out the middle of a heading path that would crowd out the text."""
    kept = heading
    while len(kept) > 1 and sum(estimate_tokens(title) + 1 for title in kept) > _PATH_TOKENS:
        kept = (kept[0], *kept[2:]) if len(kept) > 2 else kept[1:]
    return kept
