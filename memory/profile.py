"""What a profile says of a space: lasting things first, then what is new; what is doubtful is marked and comes last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.records import Memory, Micros, SearchAnswer

# What is older has become part of the lasting picture or is over. Source: design of `GET /v4/profile`.
DYNAMIC_MICROS: Micros = 14 * 24 * 3600 * 1_000_000
DISPUTED = "[Disputed] "
UNJUDGED = "[Unjudged] "


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The parts of a profile, each in the order it is read in."""

    static: tuple[Memory, ...] = ()
    dynamic: tuple[Memory, ...] = ()
    buckets: Mapping[str, tuple[Memory, ...]] = field(default_factory=dict)  # by key
    search: SearchAnswer | None = None  # what fits the question asked beside it
    degraded: tuple[str, ...] = ()  # what is missing and why, one sentence each


def lasting(memories: Iterable[Memory], *, limit: int, but: Sequence[Memory] = ()) -> tuple[Memory, ...]:
    """Choose the lasting part.

    Args:
        memories: preferences and facts that hold.
        limit: most of them.
        but: what another part says already.

    Returns:
        Marked static first, then preferences, then facts, each by support; doubtful ones last.
    """
    told = {one.id for one in but}
    ordered = sorted(
        (one for one in memories if one.kind != "episode" and one.id not in told),
        key=lambda one: (
            is_doubtful(one), not one.is_static, one.kind != "preference", -one.support, -one.confidence,
            -one.recorded_at, one.id,
        ),
    )  # fmt: skip
    return tuple(ordered[:limit])


def recent(memories: Iterable[Memory], *, since: Micros, until: Micros, limit: int) -> tuple[Memory, ...]:
    """Choose what is new: episodes, and facts that took the place of others.

    Args:
        memories: that hold.
        since: the first time at which they may have begun, inclusive.
        until: the last one, inclusive.
        limit: most of them.

    Returns:
        The newest first; doubtful ones last.
    """
    begun = [(one, begins(one)) for one in memories]
    found = [(one, at) for one, at in begun if since <= at <= until and (one.kind == "episode" or one.version > 1)]
    found.sort(key=lambda pair: (is_doubtful(pair[0]), -pair[1], pair[0].id))
    return tuple(one for one, _ in found[:limit])


def gathered(memories: Iterable[Memory], *, limit: int) -> tuple[Memory, ...]:
    """Choose the memories of a bucket, of every kind: by support, the newest first among equals, doubtful ones last."""
    ordered = sorted(
        memories, key=lambda one: (is_doubtful(one), not one.is_static, -one.support, -begins(one), one.id)
    )
    return tuple(ordered[:limit])


def begins(memory: Memory) -> Micros:
    """Return when a memory became true, as far as that is believed; else when it was recorded."""
    believed = [window.valid_from for window in memory.windows if window.retired_at is None]
    return max(believed, default=memory.recorded_at)


def is_doubtful(memory: Memory) -> bool:
    """Tell whether something contradicts a memory, or no judge could decide about it."""
    return memory.is_disputed or memory.is_unjudged


def line(memory: Memory) -> str:
    """Return a memory as a line of a profile, marked when it is doubtful."""
    return f"{doubt(memory)}{memory.text}"


def doubt(memory: Memory) -> str:
    """Return the mark of a doubtful memory; nothing for any other."""
    return DISPUTED if memory.is_disputed else UNJUDGED if memory.is_unjudged else ""
