"""Imports: what was sent to be made rows of, and how far that is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memory.errors import NotFound
from memory.records import Actor, Micros
from store.connection import Reader, Writer

ImportState = Literal["waiting", "importing", "finished", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One import."""

    id: str  # imp_...
    state: ImportState
    spaces: tuple[str, ...]  # names of the targets
    model: str | None  # that made the vectors in the file
    dimension: int | None
    lines: int  # of the file
    done: int  # lines of which rows were made
    place: int  # where in the file the next line begins, bytes
    counts: Mapping[str, int]  # what was made, by kind of line
    reason: str | None  # why it failed
    actor: Actor
    requested_at: Micros
    finished_at: Micros | None

    @property
    def is_open(self) -> bool:
        """Whether it still goes on."""
        return self.state in ("waiting", "importing")


def add(
    tx: Writer,
    *,
    import_id: str,
    spaces: Mapping[str, str],
    model: Mapping[str, Any] | None,
    lines: int,
    place: int,
    hidden: str,
    actor: Actor,
    at: Micros,
) -> None:
    """Keep an import, and make its spaces without names.

    Args:
        tx: the transaction.
        import_id: imp_...
        spaces: what the spaces will be called, by what the file calls them.
        model: `model` and `dimension` of the vectors in the file.
        lines: of the file.
        place: where the first line after the header begins.
        hidden: what the spaces are called until then, before their number.
        actor: who asks.
        at: now.
    """
    told = model or {}
    tx.execute(
        """
        INSERT INTO import (id, state, spaces, model, dimension, lines, done, place, actor_kind, actor_id, requested_at)
        VALUES (?, 'waiting', ?, ?, ?, ?, 1, ?, ?, ?, ?)
        """,
        (import_id, json.dumps(list(spaces.values()), ensure_ascii=False), told.get("model"), told.get("dimension"),
         lines, place, actor.kind, actor.id, at),
    )  # fmt: skip
    for number, (sent, name) in enumerate(spaces.items()):
        made = tx.execute("INSERT INTO space (name, created_at) VALUES (?, ?)", (f"{hidden}:{number}", at))
        tx.execute(
            "INSERT INTO import_space (import_id, space_id, name, sent) VALUES (?, ?, ?, ?)",
            (import_id, made.lastrowid, name, sent),
        )


def find(db: Reader, import_id: str) -> Import | None:
    """Return an import; None when there is none of that id."""
    row = db.execute("SELECT * FROM import WHERE id = ?", (import_id,)).fetchone()
    return None if row is None else _import(row)


def get(db: Reader, import_id: str) -> Import:
    """Return an import.

    Raises:
        NotFound: there is none of that id.
    """
    found = find(db, import_id)
    if found is None:
        raise NotFound(f"No import {import_id!r}.", field="id")
    return found


def numbers(db: Reader, import_id: str) -> dict[str, int]:
    """Return the numbers of the spaces of an open import, by what its file calls them."""
    rows = db.execute("SELECT sent, space_id FROM import_space WHERE import_id = ?", (import_id,)).fetchall()
    return {row["sent"]: row["space_id"] for row in rows}


def hidden(db: Reader) -> list[int]:
    """Return the numbers of all spaces that imports have made and not named."""
    return [row["space_id"] for row in db.execute("SELECT space_id FROM import_space").fetchall()]


def promised(db: Reader, names: Sequence[str]) -> str | None:
    """Return an import that one of these spaces is promised to, or whose rows are still being taken out."""
    row = db.execute(
        "SELECT import_id FROM import_space WHERE name IN (SELECT value FROM json_each(?)) LIMIT 1",
        (json.dumps(list(names)),),
    ).fetchone()
    return None if row is None else str(row["import_id"])


def open_ids(db: Reader) -> set[str]:
    """Return the ids of the imports that still go on."""
    return {row["id"] for row in db.execute("SELECT id FROM import WHERE state IN ('waiting', 'importing')").fetchall()}


def advance(tx: Writer, import_id: str, *, done: int, place: int, counts: Mapping[str, int]) -> None:
    """Say how far an import is."""
    tx.execute(
        "UPDATE import SET state = 'importing', done = ?, place = ?, counts = ? WHERE id = ?",
        (done, place, json.dumps(dict(counts)), import_id),
    )


def end(tx: Writer, import_id: str, state: ImportState, *, reason: str | None = None, at: Micros) -> None:
    """Say that an import has ended."""
    tx.execute("UPDATE import SET state = ?, reason = ?, finished_at = ? WHERE id = ?", (state, reason, at, import_id))


def blank(tx: Writer) -> None:
    """Take the names out of imports that have ended: they may be of what is erased."""
    tx.execute(
        "UPDATE import SET spaces = '[]', reason = CASE WHEN reason LIKE 'An erasure%' THEN reason END"
        " WHERE state IN ('finished', 'failed')"
    )


def _import(row: Mapping[str, Any]) -> Import:
    return Import(
        id=row["id"], state=row["state"], spaces=tuple(json.loads(row["spaces"])), model=row["model"],
        dimension=row["dimension"], lines=row["lines"], done=row["done"], place=row["place"],
        counts=json.loads(row["counts"]), reason=row["reason"],
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), requested_at=row["requested_at"],
        finished_at=row["finished_at"],
    )  # fmt: skip
