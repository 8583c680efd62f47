"""How blocks of resident rows grow: new rows make a block of their own, and small blocks are merged.

A block never changes, so a reader holds a tuple of blocks and needs no lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

# A block is merged with the one before it while that one is less than this many times larger: the number of blocks
# grows with the logarithm of the rows.
_MERGE_FACTOR = 4


class Sized(Protocol):
    """A block, as large as it has slots."""

    @property
    def slots(self) -> npt.NDArray[np.int32]:
        """Rows, each as often as the block says something of it."""
        ...


Block = TypeVar("Block", bound=Sized)


def with_block(blocks: tuple[Block, ...], added: Block, merged: Callable[[Block, Block], Block]) -> tuple[Block, ...]:
    """Return the blocks with a newer one behind them, small ones merged.

    Args:
        blocks: those there are, the oldest first; they stay as they are.
        added: the new one.
        merged: joins two neighbours, the older one first.
    """
    kept = [*blocks, added]
    while len(kept) > 1 and len(kept[-2].slots) < _MERGE_FACTOR * max(1, len(kept[-1].slots)):
        last = kept.pop()
        kept[-1] = merged(kept[-1], last)
    return tuple(kept)


def owners_of(starts: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Return the number of the range that each member of consecutive ranges is in.

    Args:
        starts: (ranges + 1,), where each begins, and the end of the last.
    """
    return np.repeat(np.arange(len(starts) - 1, dtype=np.int64), np.diff(starts))
