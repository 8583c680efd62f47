"""Keeps the token states of passages that were read lately: a second question on the same passages costs little.

The states of a passage are some ten thousand numbers, so they are kept as bytes, and what is just read is scored as the
same bytes: a score never depends on whether a passage was kept.
"""

from __future__ import annotations

import threading
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
    """The least recently used go first when the bytes are used up. Thread safe."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Start empty.

        Args:
            most_bytes: what all entries may take; 0 keeps nothing.
        """
        self._most = most_bytes
        self._used = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, TokenStates] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """Bytes taken by all entries, about."""
        return self._used

    def get(self, text: str) -> TokenStates | None:
        """Return the states of a text, None when they are not kept."""
        key = _key(text)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, text: str, states: TokenStates) -> None:
        """Keep the states of a text."""
        key = _key(text)
        with self._lock:
            before = self._kept.pop(key, None)
            self._used += states.nbytes - (0 if before is None else before.nbytes)
            self._kept[key] = states
            while self._used > self._most:
                self._used -= self._kept.popitem(last=False)[1].nbytes


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
