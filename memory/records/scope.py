"""Who asks for whose data, and the words and units every record uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, Required, TypedDict, TypeVar

from memory.errors import OneSpace

Row = TypeVar("Row")
Micros = int
FOREVER: Micros = 2**62
BEGINNING: Micros = -(2**62)

ActorKind = Literal["person", "agent", "service", "pipeline", "dream"]
MemoryKind = Literal["fact", "preference", "episode"]
RowKind = Literal["memory", "chunk"]
JobState = Literal["queued", "running", "done", "partial", "failed", "cancelled"]
Outcome = Literal["added", "reinforced", "superseded", "conflict", "review", "suppressed", "dropped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whom a row is bound to within its space; None: nobody in particular."""

    user: str | None = None
    agent: str | None = None
    session: str | None = None


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

    @property
    def owner(self) -> Owner:
        """Whom a row that is written in this scope is bound to."""
        return Owner(user=self.user, agent=self.agent, session=self.session)

    def sees(self, owner: Owner) -> bool:
        """Tell whether a row with this owner may be returned to this scope."""
        pairs = ((self.user, owner.user), (self.agent, owner.agent), (self.session, owner.session))
        return all(named is None or bound in (None, named) for named, bound in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """A point of both clocks that a read answers for."""

    as_of: Micros | None = None  # what was true then; None: now
    known_at: Micros | None = None  # what was believed then; None: now

    def resolved(self, now: Micros) -> tuple[Micros, Micros]:
        """Return both times; what is believed now is everything that has not been retired."""
        believed = FOREVER - 1 if self.known_at is None else self.known_at
        return now if self.as_of is None else self.as_of, believed


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did it, with the key or job behind it."""

    kind: ActorKind
    id: str  # key id, job id, or "local" for a keyless loopback caller


class Paging(TypedDict, total=False):
    """Which page of a listing is asked for: by a cursor, by a number, or the first."""

    limit: Required[int]  # rows a page
    page: int | None  # 1-based; ignored with a cursor
    cursor: str | None  # where the page before ended; stable while rows are added


class Sorting(Paging, total=False):
    """Which page of a listing, and in which order."""

    sort: str  # createdAt or updatedAt
    order: str  # asc or desc


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """One page of a listing, in a stable order."""

    rows: tuple[Row, ...]
    total: int
    limit: int  # as applied
    next_cursor: str | None  # None on the last page
