"""When a node is hot: two limits, each with hysteresis, so that a node at the limit does not flicker. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Level = Literal["ok", "hot", "too_hot"]

# A limit is left only this far below it ...
LEAVE_DEGREES = 5.0
# ... and only when it stayed there this long: a package cools by 10 degrees within seconds of its load's end.
LEAVE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Latch:
    """One limit: on from the limit upwards, off again some degrees and seconds below it."""

    on: bool = False
    cool_since: float | None = None  # monotonic seconds; None while it is not cool enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """What is remembered between two looks at the sensor."""

    hot: Latch = field(default_factory=Latch)
    too_hot: Latch = field(default_factory=Latch)

    @property
    def level(self) -> Level:
        """The level as reported."""
        if self.too_hot.on:
            return "too_hot"
        return "hot" if self.hot.on else "ok"


def felt(heat: Heat, celsius: float | None, *, now: float, hot: float, too_hot: float) -> Heat:
    """Return what is remembered after one more look at the sensor.

    Args:
        heat: what was remembered.
        celsius: package temperature; None without a sensor, which counts as cool.
        now: monotonic seconds.
        hot: limit of the level `hot`, degrees.
        too_hot: limit of the level `too_hot`, degrees.

    Returns:
        The new state; its `level` is what to report.
    """
    return Heat(hot=_latched(heat.hot, celsius, now, hot), too_hot=_latched(heat.too_hot, celsius, now, too_hot))


def _latched(latch: Latch, celsius: float | None, now: float, limit: float) -> Latch:
    if celsius is not None and celsius >= limit:
        return Latch(on=True)
    if not latch.on:
        return latch
    if celsius is not None and celsius > limit - LEAVE_DEGREES:
        return Latch(on=True)
    since = now if latch.cool_since is None else latch.cool_since
    return Latch(on=False) if now - since >= LEAVE_SECONDS else Latch(on=True, cool_since=since)
