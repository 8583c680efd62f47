"""Memories: atomic facts in version chains. Written by the writer alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.errors import NotFound
from memory.records import FOREVER, Actor, MemoryKind, Micros, Owner, Scope
from store import believed, spaces
from store.connection import Reader, Writer
from store.rows import announce, open_window


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A memory to be, as a new chain (no parent) or as the next version of one."""

    id: str
    space_id: int
    row_id: int
    statement: str
    equality_key: str
    kind: MemoryKind
    confidence: float
    model: str  # what extracted it: "rules", "direct" or a model's name
    actor: Actor
    parent: VersionRef | None = None
    speaker: str | None = None
    said_at: Micros | None = None
    said_zone: str | None = None
    is_static: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    prompt_version: str = ""
    job_id: str | None = None
    node: str | None = None
    entities: Sequence[Mapping[str, Any]] = ()
    relations: Sequence[Mapping[str, Any]] = ()
    unjudged: bool = False  # added although no judge could decide
    historic: bool = False  # older than what was known when it came
    owner: Owner = field(default_factory=Owner)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRef:
    """What the writer needs to know of a stored version."""

    id: str
    space_id: int
    row_id: int
    root_id: str
    version: int
    confidence: float
    statement: str
    equality_key: str
    forgotten_at: Micros | None
    owner: Owner
    speaker: str | None
    said_at: Micros | None
    actor: Actor
    recorded_at: Micros


def version_ref(row: Mapping[str, Any]) -> VersionRef:
    """Return a row of the table as a version."""
    return VersionRef(
        id=row["id"], space_id=row["space_id"], row_id=row["row_id"], root_id=row["root_id"], version=row["version"],
        confidence=row["confidence"], statement=row["statement"], equality_key=row["equality_key"],
        forgotten_at=row["forgotten_at"], owner=spaces.owner_of(row), speaker=row["speaker"], said_at=row["said_at"],
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), recorded_at=row["recorded_at"],
    )  # fmt: skip


def ref(scope: Scope, db: Reader, memory_id: str) -> VersionRef:
    """Return a version by id.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    visible, values = spaces.bounded(scope, db, "memory")
    row = db.execute(f"SELECT * FROM memory WHERE id = ? AND {visible}", (memory_id, *values)).fetchone()
    if row is None:
        raise NotFound(f"No memory {memory_id!r} in this space.", field="id")
    return version_ref(row)


def latest(db: Reader, root_id: str) -> VersionRef:
    """Return the newest version of a chain; one that came late and is history is not it."""
    query = "SELECT * FROM memory WHERE root_id = ? ORDER BY historic, version DESC LIMIT 1"
    return version_ref(db.execute(query, (root_id,)).fetchone())


def highest_version(db: Reader, root_id: str) -> int:
    """Return the highest version number of a chain, history included."""
    return int(db.execute("SELECT max(version) FROM memory WHERE root_id = ?", (root_id,)).fetchone()[0])


def find(db: Reader, memory_id: str) -> VersionRef | None:
    """Return a version of whichever space; None when it is gone."""
    row = db.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchone()
    return version_ref(row) if row else None


def by_id(db: Reader, memory_id: str) -> VersionRef:
    """Return a version of whichever space.

    Raises:
        NotFound: it is gone.
    """
    found = find(db, memory_id)
    if found is None:
        raise NotFound(f"No memory {memory_id!r}.")
    return found


def ahead_by_row(db: Reader, row_id: int, *, at: Micros) -> tuple[VersionRef, str, Micros] | None:
    """Return the memory of a search row, a mark of what is believed of its validity, and when its last window begins.

    Args:
        db: the store.
        row_id: a search row.
        at: now.

    Returns:
        None when it was forgotten, or no believed window of it holds now or later.
    """
    windows = db.execute(
        "SELECT valid_from, valid_to FROM validity WHERE row_id = ? AND retired_at IS NULL ORDER BY valid_from",
        (row_id,),
    ).fetchall()
    if not windows or all(window["valid_to"] <= at for window in windows):
        return None
    row = db.execute(
        "SELECT * FROM memory WHERE row_id = ? AND forgotten_at IS NULL AND coalesce(forget_after > ?, 1)", (row_id, at)
    ).fetchone()
    if row is None:
        return None
    mark = " ".join(f"{window['valid_from']}:{window['valid_to']}" for window in windows)
    return version_ref(row), mark, windows[-1]["valid_from"]


def live_equal(db: Reader, space_id: int, equality_key: str, owner: Owner, *, at: Micros) -> VersionRef | None:
    """Return the live memory of a space that says the same to the same user and agent; None when there is none."""
    # The planner would rather read all that a space holds, in the order of time.
    row = db.execute(
        """
        SELECT memory.* FROM memory INDEXED BY memory_equality JOIN validity ON validity.row_id = memory.row_id
        WHERE space_id = ? AND equality_key = ? AND user_id IS ? AND agent_id IS ? AND forgotten_at IS NULL
          AND retired_at IS NULL AND valid_from <= ? AND valid_to > ? AND coalesce(forget_after > ?, 1)
        ORDER BY memory.recorded_at LIMIT 1
        """,
        (space_id, equality_key, owner.user, owner.agent, at, at, at),
    ).fetchone()
    return version_ref(row) if row else None


def add_version(tx: Writer, new: NewVersion, *, valid_from: Micros, valid_to: Micros = FOREVER, at: Micros) -> None:
    """Insert a memory whose search row exists, true from `valid_from` on; its sources are still to be added."""
    parent, owner = new.parent, new.owner
    tx.execute(
        """
        INSERT INTO memory (id, space_id, row_id, root_id, parent_id, version, statement, speaker, said_at, said_zone,
                            kind, confidence, is_static, metadata, equality_key, user_id, agent_id, session_id, model,
                            prompt_version, job_id, actor_kind, actor_id, recorded_at, updated_at, node, entities,
                            relations, unjudged, historic)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (new.id, new.space_id, new.row_id, parent.root_id if parent else new.id, parent.id if parent else None,
         highest_version(tx, parent.root_id) + 1 if parent else 1, new.statement, new.speaker, new.said_at,
         new.said_zone, new.kind, new.confidence, new.is_static, json.dumps(dict(new.metadata)),
         new.equality_key, owner.user, owner.agent, owner.session, new.model, new.prompt_version, new.job_id,
         new.actor.kind, new.actor.id, at, at,
         new.node, json.dumps(list(new.entities)), json.dumps(list(new.relations)), new.unjudged, new.historic),
    )  # fmt: skip
    open_window(tx, new.row_id, valid_from=valid_from, valid_to=valid_to, at=at, actor=new.actor, job_id=new.job_id)


def reinforce(tx: Writer, version: VersionRef, *, confidence: float, at: Micros) -> None:
    """Raise the support of a memory by one and set its confidence."""
    believed.keep(tx, version.id, at=at)
    tx.execute(
        "UPDATE memory SET support = support + 1, confidence = ?, updated_at = ? WHERE id = ?",
        (confidence, at, version.id),
    )
    announce(tx, version.row_id, "metadata", at=at)


def set_metadata(tx: Writer, memory_id: str, metadata: Mapping[str, Any], *, at: Micros) -> None:
    """Replace the metadata of a version."""
    believed.keep(tx, memory_id, at=at)
    tx.execute(
        "UPDATE memory SET metadata = ?, updated_at = ? WHERE id = ?", (json.dumps(dict(metadata)), at, memory_id)
    )


def by_text(scope: Scope, db: Reader, equality_key: str) -> list[VersionRef]:
    """Return the unforgotten versions of a scope whose equality key this is, newest first."""
    visible, values = spaces.bounded(scope, db, "memory")
    rows = db.execute(
        f"""
        SELECT * FROM memory WHERE {visible} AND equality_key = ? AND forgotten_at IS NULL
        ORDER BY version DESC, recorded_at DESC
        """,
        (*values, equality_key),
    ).fetchall()
    return [version_ref(row) for row in rows]


def join_chain(tx: Writer, version: VersionRef, parent: VersionRef, *, at: Micros) -> bool:
    """Make a memory that is a chain of its own the next version of another chain; False when it has versions itself."""
    if version.root_id != version.id or highest_version(tx, version.id) > 1:
        return False
    tx.execute(
        "UPDATE memory SET root_id = ?, parent_id = ?, version = ? WHERE id = ?",
        (parent.root_id, parent.id, highest_version(tx, parent.root_id) + 1, version.id),
    )
    announce(tx, version.row_id, "metadata", at=at)
    return True


def flag_historic(tx: Writer, memory_id: str) -> None:
    """Mark a version as older than what was known when it came."""
    tx.execute("UPDATE memory SET historic = 1 WHERE id = ?", (memory_id,))


def flag_unjudged(tx: Writer, memory_id: str) -> None:
    """Mark a memory as added although no judge could decide."""
    tx.execute("UPDATE memory SET unjudged = 1 WHERE id = ?", (memory_id,))


def set_forget_after(tx: Writer, memory_id: str, at: Micros | None, reason: str | None = None) -> None:
    """Set the time from which on a memory is forgotten by itself, and what is said of it then; None: never."""
    tx.execute("UPDATE memory SET forget_after = ?, forget_reason = ? WHERE id = ?", (at, reason, memory_id))


def confirm(tx: Writer, memory_id: str) -> None:
    """Take the flags `unjudged` and `inferred` off a memory."""
    tx.execute("UPDATE memory SET unjudged = 0, inferred = 0 WHERE id = ?", (memory_id,))
