"""Whether what something costs grows in proportion to what it is given."""

from __future__ import annotations

import time
from collections.abc import Callable

TRIES = 3
LEAST_SECONDS = 0.05  # what is quicker says more about the machine


def assert_linear(do: Callable[[str], object], text: str) -> None:
    """Fail when a text takes three times the processor time of its first half, or more.

    Twice is in proportion, and four times is quadratic. A machine that does something else at the same time makes
    processor seconds longer too, but not for the shortest of three tries of each.
    """
    half, whole = [], []
    for _ in range(TRIES):
        half.append(_seconds(do, text[: len(text) // 2]))
        whole.append(_seconds(do, text))
        if min(whole) < 3 * max(min(half), LEAST_SECONDS):
            return
    raise AssertionError(f"{min(whole):.2f} s for all of it, {min(half):.2f} s for half of it")


def _seconds(do: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    do(text)
    return time.process_time() - began
