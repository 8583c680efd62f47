"""Keeps the token states of passages that were read lately: a second question on the same passages costs little.

The states of a passage are some ten thousand numbers, so they are kept as bytes, and what is just read is scored as the
same bytes: a score never depends on whether a passage was kept. They are known by a hash with a salt of this process,
so that no copy of its memory tells whether a text was among them. What nobody asks for goes, erased or not.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

# 5,000 passages of 24 tokens, 500 of the longest.
MOST_BYTES = 48 * 1024 * 1024
# What an entry takes beside its states: the key, the arrays' headers and their place in the dictionary.
_ENTRY_BYTES = 400


@dataclass(frozen=True, slots=True)
class TokenStates:
    """The states of one passage, each a direction; a score by them is within 0.005 of that by the exact ones."""

    steps: npt.NDArray[np.int8]  # (tokens, dimension), -127..127
    lengths: Floats  # float32 (tokens,), of the steps as vectors

    @classmethod
    def of(cls, states: Floats) -> TokenStates:
        """Round states to bytes, each by its own largest number.

        Args:
            states: float32 (tokens, dimension).
        """
        largest = np.abs(states).max(axis=1, keepdims=True, initial=1e-12)
        steps = np.rint(states * (127 / largest))
        lengths = np.sqrt(np.einsum("td,td->t", steps, steps)).astype(np.float32)
        return cls(steps.astype(np.int8), np.maximum(lengths, np.float32(1e-12)))

    @property
    def nbytes(self) -> int:
        """Bytes taken, about."""
        return self.steps.nbytes + self.lengths.nbytes + _ENTRY_BYTES

    def cosines(self, query: Floats) -> Floats:
        """Compare every state with those of a query.

        Args:
            query: float32 (query tokens, dimension), each row of length 1.

        Returns:
            float32 (tokens, query tokens), -1 to 1.
        """
        return np.asarray((self.steps.astype(np.float32) @ query.T) / self.lengths[:, None], dtype=np.float32)


class KeptStates:
    """Thread safe; the least recently used go first, when the bytes are used up or they are forgotten."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Start empty.

        Args:
            most_bytes: what all entries may take; 0 keeps nothing.
        """
        self._most = most_bytes
        self._used = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, tuple[TokenStates, float]] = OrderedDict()  # with the time of the last use
        self._salt = os.urandom(16)

    @property
    def nbytes(self) -> int:
        """Bytes taken by all entries, about."""
        return self._used

    def get(self, text: str) -> TokenStates | None:
        """Return the states of a text, None when they are not kept."""
        key = self._key(text)
        with self._lock:
            found = self._kept.pop(key, None)
            if found is None:
                return None
            self._kept[key] = found[0], time.monotonic()
            return found[0]

    def keep(self, text: str, states: TokenStates) -> None:
        """Keep the states of a text."""
        key = self._key(text)
        with self._lock:
            before = self._kept.pop(key, None)
            self._used += states.nbytes - (0 if before is None else before[0].nbytes)
            self._kept[key] = states, time.monotonic()
            while self._used > self._most:
                self._drop_oldest()

    def forget(self, idle: float) -> None:
        """Drop what was not used for a while.

        Args:
            idle: seconds without use that count as a while; 0 drops everything.
        """
        until = time.monotonic() - idle
        with self._lock:
            while self._kept and next(iter(self._kept.values()))[1] <= until:
                self._drop_oldest()

    def _drop_oldest(self) -> None:
        _, (states, _) = self._kept.popitem(last=False)
        self._used -= states.nbytes

    def _key(self, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, salt=self._salt).digest()
