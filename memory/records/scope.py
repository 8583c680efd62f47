"""Who asks for whose data, and the words and units every record uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from memory.errors import OneSpace

Row = TypeVar("Row")
Micros = int
FOREVER: Micros = 2**62
BEGINNING: Micros = -(2**62)

ActorKind = Literal["person", "agent", "service", "pipeline", "dream"]
MemoryKind = Literal["fact", "preference", "episode"]
RowKind = Literal["memory", "chunk"]
JobState = Literal["queued", "running", "done", "partial", "failed", "cancelled"]
Outcome = Literal["added", "reinforced", "superseded", "conflict", "review", "suppressed", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose data a call may touch: the first argument of every store and service function."""

    tenant: str
    spaces: tuple[str, ...] = ("default",)  # names; a write has exactly one
    user: str | None = None  # a row that has one is returned only to scopes naming it, or naming none
    agent: str | None = None
    session: str | None = None

    @property
    def space(self) -> str:
        """The one space of a write.

        Raises:
            OneSpace: the scope names none or several.
        """
        if len(self.spaces) != 1:
            raise OneSpace(field="containerTag")
        return self.spaces[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did it, with the key or job behind it."""

    kind: ActorKind
    id: str  # key id, job id, or "local" for a keyless loopback caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """One page of a listing, in a stable order."""

    rows: tuple[Row, ...]
    total: int
    limit: int  # as applied
    next_cursor: str | None  # None on the last page
