"""How often a caller may ask: a bucket of requests for each, which fills at a steady rate up to a burst.

What is left is told with every answer in the fields `RateLimit-Policy` and `RateLimit` of the IETF draft
draft-ietf-httpapi-ratelimit-headers: the quota `q` in its window of `w` seconds, the remaining requests `r`, and the
seconds `t` after which the whole quota is there again. The buckets are in this process: a restart fills them all.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

# A bucket is 200 bytes; valid keys are few, but whoever has none may come from many addresses.
MOST_BUCKETS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often a caller may ask."""

    name: str  # of the policy, as the header says it
    per_second: float  # requests, in the long run
    burst: int  # requests at once, after a rest

    @property
    def window(self) -> int:
        """Return the seconds in which an empty bucket is full again."""
        return max(1, math.ceil(self.burst / self.per_second))


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a caller has left after a request."""

    rate: Rate
    requests: int
    wait: float  # seconds until the next one is taken; 0: this one was
    rest: float  # seconds until all are there again

    @property
    def refused(self) -> bool:
        """Whether the request was one too many."""
        return self.wait > 0

    def headers(self) -> Mapping[str, str]:
        """Return the header fields that tell a caller."""
        rate = self.rate
        return {
            "RateLimit-Policy": f'"{rate.name}";q={rate.burst};w={rate.window}',
            "RateLimit": f'"{rate.name}";r={self.requests};t={math.ceil(self.rest)}',
        }


class Rates:
    """The buckets of one API process; any thread may take from them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, most: int = MOST_BUCKETS) -> None:
        """Start with full buckets.

        Args:
            clock: seconds that only grow.
            most: buckets that are remembered.
        """
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float, Rate]] = {}  # requests left, when it was so, and the rate

    def take(self, who: str, rate: Rate) -> Left:
        """Take a request from a caller's bucket, or say how long to wait.

        Args:
            who: names the caller; it is kept, so never a secret.
            rate: of this caller.

        Returns:
            What is left; a refused request took nothing.
        """
        with self._lock:
            now = self._clock()
            held = self._filled(who, rate, now)
            wait = max(0.0, (1 - held) / rate.per_second)
            if not wait:
                held -= 1
            self._keep(who, (held, now, rate), now)
        return Left(rate=rate, requests=int(held), wait=wait, rest=(rate.burst - held) / rate.per_second)

    def _filled(self, who: str, rate: Rate, now: float) -> float:
        if who not in self._buckets:
            return float(rate.burst)
        held, at, _ = self._buckets[who]
        return min(float(rate.burst), held + (now - at) * rate.per_second)

    def _keep(self, who: str, bucket: tuple[float, float, Rate], now: float) -> None:
        self._buckets.pop(who, None)
        if len(self._buckets) >= self._most:
            # A full bucket is like none. Where all are in use the one that was longest at rest goes, the first.
            full = [name for name, (_, _, rate) in self._buckets.items() if self._filled(name, rate, now) >= rate.burst]
            for name in full or [next(iter(self._buckets))]:
                del self._buckets[name]
        self._buckets[who] = bucket
