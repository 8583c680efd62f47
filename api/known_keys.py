"""Keys that were valid in this process not long ago: whoever sends one takes turns of its own.

What is sent with any other key, or with none, is of one caller: nobody makes itself many callers by guessing.
"""

from __future__ import annotations

import hashlib

# Of 64 bytes each; with more, all are forgotten and known again by their next request.
MOST = 10_000
STRANGERS = ""


class KnownKeys:
    """The hashes of Authorization headers that were valid; used from any thread."""

    def __init__(self, most: int = MOST) -> None:
        """Start with none.

        Args:
            most: how many are remembered.
        """
        self._most = most
        self._hashes: set[str] = set()

    def add(self, header: str) -> None:
        """Remember a header that was valid just now."""
        if not header:
            return
        if len(self._hashes) >= self._most:
            self._hashes.clear()
        self._hashes.add(_hash(header))

    def name(self, header: str) -> str:
        """Return a caller's name by its header, which says nothing of the key itself."""
        name = _hash(header) if header else STRANGERS
        return name if name in self._hashes else STRANGERS


def _hash(header: str) -> str:
    return hashlib.sha256(header.encode()).hexdigest()
