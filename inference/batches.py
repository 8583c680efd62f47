"""Micro-batches: how many texts one run of the model takes.

Measured with two threads: long texts are slower in a batch than alone (padding, cache), short ones several times
faster, so a batch is sized by its padded tokens after sorting by length, not by its number of texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# One text of 256, 4 of 100, 12 of 40 or 40 of 12 tokens. Of batches of 1, 4, 16 and 64 texts, 4 were fastest at 100
# tokens, 16 at 40 and 64 (by 4 % over 16) at 12; at 200 tokens one was as fast as four.
BATCH_TOKENS = 480


def micro_batches(lengths: Sequence[int], budget: int = BATCH_TOKENS) -> list[list[int]]:
    """Group texts of similar length so that no run takes more than a number of padded tokens.

    Args:
        lengths: tokens of each text, at least 1.
        budget: most padded tokens of a batch; a text longer than that is a batch alone.

    Returns:
        Lists of positions in `lengths`; each position occurs exactly once, shorter texts first.
    """
    batches: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batches and (len(batches[-1]) + 1) * lengths[position] <= budget:
            batches[-1].append(position)
        else:
            batches.append([position])
    return batches


def padded(batch: Sequence[Sequence[int]]) -> tuple[Ids, Mask]:
    """Put lists of ids into one array.

    Args:
        batch: ids of each text, none empty.

    Returns:
        The ids, int64 (texts, longest), zero where padded; and where they are real, bool of the same shape.
    """
    lengths = np.array([len(ids) for ids in batch])
    mask = np.arange(lengths.max()) < lengths[:, None]
    array = np.zeros(mask.shape, dtype=np.int64)
    array[mask] = np.concatenate([np.asarray(ids, dtype=np.int64) for ids in batch])
    return array, mask
