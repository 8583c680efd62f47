"""What a search or a question may say of how it is looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

KINDS = ("fact", "preference", "episode")
ARMS = ("vectors", "lexical", "time", "entities")
# As the server has it: about a second to a hundred years.
HALF_LIFE_DAYS = (1e-5, 36_500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """Which memories count, and which ways of finding them are used; what is left out is up to the server."""

    kinds: Sequence[str] = ()  # fact, preference, episode; none: all
    min_confidence: float | None = None  # 0 to 1
    session: str | None = None  # only what was said in it
    arms: Sequence[str] = ()  # vectors, lexical, time, entities; none: all
    exact: bool | None = None  # True compares every vector in full
    now: str | None = None  # ISO 8601, what "last spring" counts from
    time_zone: str | None = None  # "+02:00" or "Europe/Oslo"
    half_life_days: float | None = None  # how fast age takes from a memory's order

    def body(self) -> dict[str, Any]:
        """Return the fields of a request; the server reads this spelling on every plane."""
        sent = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in sent.items()
                if value is not None and value != ()}  # fmt: skip
