"""A share and the interval it is known within."""

from __future__ import annotations

import math
from dataclasses import dataclass

# 95 % of a normal distribution lies within so many standard deviations.
Z95 = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its 95 % interval."""

    hits: int
    of: int

    @property
    def share(self) -> float:
        """0..1; 0 when there is nothing to share."""
        return self.hits / self.of if self.of else 0.0

    def interval(self) -> tuple[float, float]:
        """Return the bounds of the share, 0..1. Source: Wilson 1927."""
        if not self.of:
            return 0.0, 1.0
        widening = Z95**2 / self.of
        middle = (self.share + widening / 2) / (1 + widening)
        half = Z95 * math.sqrt(self.share * (1 - self.share) / self.of + widening / (4 * self.of)) / (1 + widening)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        """Return the share, its interval and its n."""
        low, high = self.interval()
        return f"{self.share:.3f} ({low:.3f} to {high:.3f}, {self.hits} of {self.of})"
