"""Memories: atomic facts in version chains, with the sources they rest on. Written by the writer alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.errors import NotFound
from memory.records import FOREVER, Actor, Memory, MemoryKind, Micros, Owner, Scope
from store import believed, spaces
from store.connection import Reader, Writer
from store.hydration import load_memories
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """Where a memory was said."""

    kind: str  # document, episode or direct
    document_id: str | None = None
    revision: int | None = None
    chunk_id: str | None = None
    episode_id: str | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    job_id: str | None = None


def _ref(row: Mapping[str, Any]) -> VersionRef:
    return VersionRef(
        id=row["id"], space_id=row["space_id"], row_id=row["row_id"], root_id=row["root_id"], version=row["version"],
        confidence=row["confidence"], statement=row["statement"], equality_key=row["equality_key"],
        forgotten_at=row["forgotten_at"], owner=spaces.owner_of(row), speaker=row["speaker"], said_at=row["said_at"],
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), recorded_at=row["recorded_at"],
    )  # fmt: skip


# Forgetting binds the same user and agent that equality does.
_GRAVE = """
    tombstone.space_id = ? AND tombstone.equality_key = ? AND tombstone.user_id IS ? AND tombstone.agent_id IS ?
"""


def ref(scope: Scope, db: Reader, memory_id: str) -> VersionRef:
    """Return a version by id.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    visible, values = spaces.bounded(scope, db, "memory")
    row = db.execute(f"SELECT * FROM memory WHERE id = ? AND {visible}", (memory_id, *values)).fetchone()
    if row is None:
        raise NotFound(f"No memory {memory_id!r} in this space.", field="id")
    return _ref(row)


def latest(db: Reader, root_id: str) -> VersionRef:
    """Return the newest version of a chain; one that came late and is history is not it."""
    query = "SELECT * FROM memory WHERE root_id = ? ORDER BY historic, version DESC LIMIT 1"
    return _ref(db.execute(query, (root_id,)).fetchone())


def highest_version(db: Reader, root_id: str) -> int:
    """Return the highest version number of a chain, history included."""
    return int(db.execute("SELECT max(version) FROM memory WHERE root_id = ?", (root_id,)).fetchone()[0])


def find(db: Reader, memory_id: str) -> VersionRef | None:
    """Return a version of whichever space; None when it is gone."""
    row = db.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchone()
    return _ref(row) if row else None


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
    return _ref(row), mark, windows[-1]["valid_from"]


def live_equal(db: Reader, space_id: int, equality_key: str, owner: Owner, *, at: Micros) -> VersionRef | None:
    """Return the live memory of a space that says the same to the same user and agent; None when there is none."""
    row = db.execute(
        """
        SELECT memory.* FROM memory JOIN validity ON validity.row_id = memory.row_id
        WHERE space_id = ? AND equality_key = ? AND user_id IS ? AND agent_id IS ? AND forgotten_at IS NULL
          AND retired_at IS NULL AND valid_from <= ? AND valid_to > ? AND coalesce(forget_after > ?, 1)
        ORDER BY memory.recorded_at LIMIT 1
        """,
        (space_id, equality_key, owner.user, owner.agent, at, at, at),
    ).fetchone()
    return _ref(row) if row else None


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


def add_source(tx: Writer, memory_id: str, new: NewSource, *, at: Micros) -> bool:
    """Record one more place where a memory was said.

    Returns:
        Whether it counts as further support: False when the same document or episode says so already.
    """
    known = tx.execute(
        """
        SELECT 1 FROM source WHERE memory_id = ? AND kind = ? AND document_id IS ? AND episode_id IS ?
        AND retired_at IS NULL
        """,
        (memory_id, new.kind, new.document_id, new.episode_id),
    ).fetchone()
    tx.execute(
        """
        INSERT INTO source (memory_id, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id,
                            recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (memory_id, new.kind, new.document_id, new.revision, new.chunk_id, new.episode_id, new.start, new.end,
         new.quote, new.job_id, at),
    )  # fmt: skip
    return known is None


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


def mark_forgotten(tx: Writer, version: VersionRef, *, at: Micros, reason: str, batch: str | None = None) -> None:
    """Mark a version as forgotten by a person and leave a tombstone, so that old sources do not teach it again."""
    tx.execute(
        "UPDATE memory SET forgotten_at = ?, forget_reason = ?, forget_batch = ?, updated_at = ? WHERE id = ?",
        (at, reason, batch, at, version.id),
    )
    tx.execute(
        """
        INSERT INTO tombstone (space_id, equality_key, user_id, agent_id, memory_id, forgotten_at, reason)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        (version.space_id, version.equality_key, version.owner.user, version.owner.agent, version.id, at, reason),
    )


def forgotten(db: Reader, space_id: int, equality_key: str, owner: Owner) -> VersionRef | None:
    """Return the version that somebody forgot for this user and agent and that says the same; None when nobody did."""
    row = db.execute(
        f"""
        SELECT memory.* FROM tombstone JOIN memory ON memory.id = memory_id
        WHERE {_GRAVE} ORDER BY tombstone.forgotten_at DESC LIMIT 1
        """,
        (space_id, equality_key, owner.user, owner.agent),
    ).fetchone()
    return _ref(row) if row else None


def lift_tombstone(tx: Writer, version: VersionRef) -> None:
    """Let what was forgotten be learned again."""
    tx.execute(
        f"DELETE FROM tombstone WHERE {_GRAVE}",
        (version.space_id, version.equality_key, version.owner.user, version.owner.agent),
    )


def of_batch(scope: Scope, db: Reader, batch: str) -> list[VersionRef]:
    """Return the versions that one forget-matching call forgot."""
    visible, values = spaces.bounded(scope, db, "memory")
    rows = db.execute(
        f"SELECT * FROM memory WHERE forget_batch = ? AND {visible} ORDER BY id", (batch, *values)
    ).fetchall()
    return [_ref(row) for row in rows]


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
    return [_ref(row) for row in rows]


def sole_sources(db: Reader, document_id: str, *, but_revision: int | None) -> list[VersionRef]:
    """Return the memories that rest on a document alone.

    Args:
        db: the store.
        document_id: the document.
        but_revision: leave out those that this revision or a later one says too; None: whatever the revision.
    """
    rows = db.execute(
        """
        SELECT memory.* FROM memory WHERE forgotten_at IS NULL
          AND EXISTS (SELECT 1 FROM source WHERE memory_id = memory.id AND document_id = ?1 AND retired_at IS NULL)
          AND NOT EXISTS (SELECT 1 FROM source WHERE memory_id = memory.id AND retired_at IS NULL
                          AND (document_id IS NOT ?1 OR revision >= ?2))
          AND EXISTS (SELECT 1 FROM validity WHERE row_id = memory.row_id AND retired_at IS NULL
                      AND valid_to = 4611686018427387904)
        ORDER BY memory.recorded_at, memory.id
        """,
        (document_id, but_revision),
    ).fetchall()
    return [_ref(row) for row in rows]


def only_documents(db: Reader, memory_id: str) -> frozenset[str]:
    """Return the documents that say what a memory says; none when something else says it too."""
    query = "SELECT document_id FROM source WHERE memory_id = ? AND retired_at IS NULL"
    rows = db.execute(query, (memory_id,)).fetchall()
    said = frozenset(row["document_id"] for row in rows)
    return frozenset() if None in said else said


def retire_sources(tx: Writer, document_id: str, *, before_revision: int | None, reason: str, at: Micros) -> None:
    """Retire what a document was a source of: all of it, or what revisions before `before_revision` said."""
    tx.execute(
        """
        UPDATE source SET retired_at = ?, reason = ? WHERE document_id = ? AND retired_at IS NULL
        AND (? IS NULL OR revision < ?)
        """,
        (at, reason, document_id, before_revision, before_revision),
    )


def copy_sources(tx: Writer, old_id: str, new_id: str, *, at: Micros) -> None:
    """Let a restored version rest on the sources of the version it restores; retired ones stay retired."""
    tx.execute(
        """
        INSERT INTO source (memory_id, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id,
                            recorded_at, retired_at, reason)
        SELECT ?, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id, ?, retired_at, reason
        FROM source WHERE memory_id = ?
        """,
        (new_id, at, old_id),
    )


def of_document(scope: Scope, db: Reader, document_id: str) -> tuple[Memory, ...]:
    """Return the memories that rest on a document, in the order they were recorded."""
    visible, values = spaces.bounded(scope, db, "memory")
    rows = db.execute(
        f"""
        SELECT DISTINCT memory.id, memory.recorded_at FROM memory JOIN source ON source.memory_id = memory.id
        WHERE document_id = ? AND retired_at IS NULL AND {visible} ORDER BY memory.recorded_at, memory.id
        """,
        (document_id, *values),
    ).fetchall()
    loaded = load_memories(db, [row["id"] for row in rows])
    return tuple(loaded[row["id"]] for row in rows)


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
