"""What a fetch may take and what it brings."""

from __future__ import annotations

import time
from dataclasses import dataclass

from memory.errors import FetchFailed

# 5 MB of HTML is a book; what is larger is a data file, to be uploaded by somebody who wants it.
BODY_BYTES = 5 * 1024 * 1024
# In all, from the first look-up to the last byte of the last hop. A page that takes longer is one a person gives up on.
SECONDS = 20.0
REDIRECTS = 5
# Status line and headers of one answer. Browsers stop at 256 KiB, most servers at 8 to 16 KiB.
HEADER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one fetch may take."""

    body_bytes: int = BODY_BYTES  # of the body, unpacked
    seconds: float = SECONDS  # of wall clock, all hops together
    redirects: int = REDIRECTS
    header_bytes: int = HEADER_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A page as it came."""

    body: bytes  # unpacked
    media_type: str  # lower case, without parameters; empty when the answer did not say
    charset: str | None  # as the answer said
    final_url: str  # where the last redirect led


class Deadline:
    """The end of a fetch by the wall clock, whatever it is waiting for."""

    def __init__(self, seconds: float) -> None:
        """Begin now.

        Args:
            seconds: until the end.
        """
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, more than 0.

        Raises:
            FetchFailed: none are left.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> FetchFailed:
        """Return the error of a fetch that took too long."""
        return FetchFailed(f"The page timed out: it was not there after {self._seconds:g} seconds.", final=True)
