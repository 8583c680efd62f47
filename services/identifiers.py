"""Makes ids that sort by time: a prefix and 26 characters of Crockford's base 32, laid out as a ULID."""

from __future__ import annotations

import os
import secrets
import threading

from memory.ports import Clock

# Without I, L, O and U, which are read as other characters. Source: https://www.crockford.com/base32.html
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26
# 48 bits of milliseconds, then 80 random bits. Source: https://github.com/ulid/spec
_RANDOM_BITS = 80
# The first of a millisecond leaves the top bit free, so that counting up from it cannot overflow.
_FIRST_BITS = 79


class TimeSortedIds:
    """Makes ids for one process; each is greater than the one before, also when the clock is set back."""

    def __init__(self, clock: Clock) -> None:
        """Begin.

        Args:
            clock: tells the time that ids begin with.
        """
        self._clock = clock
        self._lock = threading.Lock()
        self._process = 0
        self._last = 0

    def __call__(self, prefix: str) -> str:
        """Return a new id.

        Args:
            prefix: kind of thing, for example "doc"; a trailing underscore is allowed.

        Returns:
            For example `doc_01J8Z3Q6T4W8K2M5N7P9R1S3V5`.
        """
        with self._lock:
            self._last = self._next()
            return f"{prefix.rstrip('_')}_{_base32(self._last)}"

    def _next(self) -> int:
        fresh = (self._clock() // 1000 << _RANDOM_BITS) | secrets.randbits(_FIRST_BITS)
        same_millisecond = self._last >> _RANDOM_BITS >= fresh >> _RANDOM_BITS
        if same_millisecond and self._process == os.getpid():
            return self._last + 1
        # A child of a fork must not count on from its parent's number, as its siblings would.
        self._process = os.getpid()
        return fresh


def _base32(number: int) -> str:
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
