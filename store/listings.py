"""Memories as they are read: by id, the versions of a chain, and pages of a space, at a point of both clocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from memory.errors import NotFound
from memory.records import FOREVER, Clocks, Memory, Micros, Page, Paging, Scope
from store import spaces
from store.connection import Reader
from store.hydration import load_memories
from store.memories import ref
from store.paging import keyset

# Numbers, not parameters: a condition may stand in several places of a query.
_HELD = """
    EXISTS (SELECT 1 FROM validity WHERE validity.row_id = memory.row_id
            AND valid_from <= {as_of:d} AND valid_to > {as_of:d}
            AND validity.recorded_at <= {known_at:d} AND (retired_at IS NULL OR retired_at > {known_at:d}))
"""


def get(scope: Scope, db: Reader, memory_id: str, clocks: Clocks, *, now: Micros) -> Memory:
    """Return one version with its windows and sources, as it was known.

    Args:
        scope: whose.
        db: the store.
        memory_id: a version; with `as_of`, any version of the chain whose version of that time is wanted.
        clocks: without `as_of` the version named is returned, whether or not it is live.
        now: what an absent clock says.

    Raises:
        NotFound: there is none in the scope's spaces, or there was none at that time.
    """
    ref(scope, db, memory_id)
    if clocks.as_of is not None:
        return _chain(scope, db, memory_id, clocks, now=now)[-1]
    _, known_at = clocks.resolved(now)
    found = load_memories(db, [memory_id], known_at=known_at)[memory_id]
    if found.recorded_at > known_at:
        raise NotFound(f"Memory {memory_id!r} was not known then.", field="known_at")
    return _expired(found, min(known_at, now))


def history(scope: Scope, db: Reader, memory_id: str, clocks: Clocks, *, now: Micros) -> tuple[Memory, ...]:
    """Return every version of the chain of a memory that was known, oldest first.

    Args:
        scope: whose.
        db: the store.
        memory_id: any version of the chain.
        clocks: with `as_of` only versions that held then.
        now: what an absent clock says.

    Raises:
        NotFound: there is none in the scope's spaces, or there was none at that time.
    """
    return _chain(scope, db, memory_id, clocks, now=now)


def _chain(scope: Scope, db: Reader, memory_id: str, clocks: Clocks, *, now: Micros) -> tuple[Memory, ...]:
    root = ref(scope, db, memory_id).root_id
    visible, values = spaces.bounded(scope, db, "memory")
    as_of, known_at = clocks.resolved(now)
    held = f"AND {_HELD.format(as_of=as_of, known_at=known_at)}" if clocks.as_of is not None else ""
    rows = db.execute(
        f"SELECT id FROM memory WHERE root_id = ? AND recorded_at <= ? AND {visible} {held} ORDER BY version",
        (root, known_at, *values),
    ).fetchall()
    if not rows:
        raise NotFound(f"No version of memory {memory_id!r} held then.", field="as_of" if held else "known_at")
    loaded = load_memories(db, [row["id"] for row in rows], known_at=known_at)
    return tuple(_expired(loaded[row["id"]], min(known_at, now)) for row in rows)


def _expired(found: Memory, at: Micros) -> Memory:
    """Return a memory as forgotten once its time has come, also before that is written down."""
    due = found.forget_after is not None and found.forget_after <= at
    return replace(found, is_forgotten=True) if due else found


def listing(
    scope: Scope,
    db: Reader,
    clocks: Clocks,
    *,
    now: Micros,
    sort: str = "createdAt",
    order: str = "desc",
    forgotten: bool = False,
    history: bool = False,
    **paging: Unpack[Paging],
) -> Page[Memory]:
    """Return a page of the memories that have a window containing both times, as they were known.

    Args:
        scope: whose memories.
        db: the store.
        clocks: the times.
        now: what an absent clock says.
        sort: createdAt or updatedAt (the present one, also in a listing of the past).
        order: asc or desc.
        forgotten: list what was forgotten too.
        history: list every version that was known, superseded ones too.
        **paging: which page.
    """
    visible, arguments = spaces.bounded(scope, db, "memory")
    as_of, known_at = clocks.resolved(now)
    column = {"createdAt": "memory.recorded_at", "updatedAt": "memory.updated_at"}[sort]
    bare = keyset(
        db, "SELECT memory.id, memory.recorded_at, memory.updated_at FROM memory", "memory",
        [visible, *_listed(as_of, known_at, forgotten=forgotten, history=history), *_kept(clocks, now, forgotten)],
        arguments,
        column=column, key="memory.id", order=order, make=lambda row: str(row["id"]), **paging,
    )  # fmt: skip
    loaded = load_memories(db, list(bare.rows), known_at=known_at)
    rows = tuple(loaded[one] for one in bare.rows)
    return Page(rows=rows, total=bare.total, limit=bare.limit, next_cursor=bare.next_cursor)


def _kept(clocks: Clocks, now: Micros, forgotten: bool) -> list[str]:
    """Leave out what is to be forgotten by itself and has not been yet."""
    at = now if clocks.known_at is None else clocks.known_at
    return [] if forgotten else [f"coalesce(memory.forget_after > {at:d}, 1)"]


def _listed(as_of: Micros, known_at: Micros, *, forgotten: bool, history: bool) -> list[str]:
    gone = f"coalesce(memory.forgotten_at, {FOREVER:d}) <= {known_at:d}"
    if not history:
        held = _HELD.format(as_of=as_of, known_at=known_at)
        return [f"({held} OR {gone})" if forgotten else held]
    known = f"memory.recorded_at <= {known_at:d}"
    return [known] if forgotten else [known, f"NOT {gone}"]
