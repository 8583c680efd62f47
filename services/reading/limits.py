"""What reading one file may cost."""

from __future__ import annotations

from dataclasses import dataclass

# A spreadsheet or book of 50 MB packs to a fifth of this; what unpacks to more is made to do so.
MOST_UNPACKED_BYTES = 300 * 1024**2
# Office files and books have some hundreds of parts.
MOST_ENTRIES = 10_000
# Text packs to a tenth, long runs of one cell to a hundredth.
MOST_RATIO = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingLimits:
    """The bounds of the process that reads a file."""

    seconds: float = 45.0  # of processor time; by the clock on the wall eight times that
    memory_bytes: int = 1024**3  # of its address space
    chars: int = 5_000_000  # of text; what is more is left out and said
