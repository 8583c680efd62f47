"""Search rows, their vectors and their validity windows: what makes a memory or chunk findable, and when.

Every function here is called inside the writer's fenced transaction. A row and its vector are inserted together; each
change is announced in the `change` table of the same transaction, which is how readers keep their arrays fresh.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field

from memory.errors import StoreError
from memory.names import row_names
from memory.records import BEGINNING, FOREVER, Actor, Micros, Owner, RowKind
from memory.segmentation import TOKENIZER_VERSION, segment
from store.connection import Reader, Writer
from store.vectors import sound

ROW_BITS = 32  # a row id is space id << ROW_BITS | number in the space, so that FTS5 can range over one space


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRow:
    """A search row to be."""

    space_id: int
    kind: RowKind
    group_key: str  # session or document id
    position: int  # order in the group
    text: str  # what is indexed, as shown
    vector: bytes  # little-endian float32, L2-normalised
    generation_id: int
    owner: Owner = field(default_factory=Owner)
    speaker: str | None = None
    names: str = ""  # keys of what the text names, see memory.names


def names_of(statement: str, entities: str | None) -> str:
    """Return what a memory's row is linked to.

    Args:
        statement: of the memory.
        entities: JSON list of objects with a `name`, as a model found them; None for none.
    """
    return row_names(statement, given=[one["name"] for one in json.loads(entities or "[]")])


def add_row(tx: Writer, new: NewRow, *, at: Micros) -> int:
    """Insert a search row with its vector, still without a window: staged, not yet returned by any read.

    Returns:
        The row id.

    Raises:
        InvalidInput: the vector is not of the generation's length, not finite, or zero.
    """
    row_id = _next_id(tx, new.space_id)
    terms = segment(new.text)
    tx.execute(
        """
        INSERT INTO search_row (id, space_id, kind, group_key, position, user_id, agent_id, session_id, speaker,
                                shadow, terms, tokenizer, names)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (row_id, new.space_id, new.kind, new.group_key, new.position, new.owner.user, new.owner.agent,
         new.owner.session, new.speaker, " ".join(terms), len(terms), TOKENIZER_VERSION, new.names),
    )  # fmt: skip
    vector = sound(tx, new.generation_id, new.vector)
    tx.execute("INSERT INTO vector (row_id, generation_id, data) VALUES (?, ?, ?)", (row_id, new.generation_id, vector))
    announce(tx, row_id, "add", at=at)
    return row_id


def _next_id(tx: Writer, space_id: int, *, count: int = 1) -> int:
    (number,) = tx.execute(
        "UPDATE space SET next_row = next_row + ?1 WHERE id = ?2 RETURNING next_row - ?1", (count, space_id)
    ).fetchone()
    # A number that is too large would be a row of another space.
    if not 0 < number <= (1 << ROW_BITS) - count:
        raise StoreError("A space has no number left for another search row.", space=space_id, next_row=number)
    return int(space_id << ROW_BITS | number)


def announce(tx: Writer, row_id: int, op: str, *, at: Micros) -> None:
    """Tell readers that a row was added, or its windows or metadata changed."""
    tx.execute(
        "INSERT INTO change (space_id, row_id, op, at) VALUES (?, ?, ?, ?)", (row_id >> ROW_BITS, row_id, op, at)
    )


def announce_document(tx: Writer, document_id: str, *, at: Micros) -> None:
    """Tell readers that what is said about a document changed, and so about its chunks, of whichever revision."""
    tx.execute(
        f"""
        INSERT INTO change (space_id, row_id, op, at)
        SELECT DISTINCT row_id >> {ROW_BITS}, row_id, 'metadata', ? FROM chunk WHERE document_id = ? AND row_id > 0
        """,
        (at, document_id),
    )


def prune_changes(tx: Writer, *, before: Micros) -> None:
    """Delete the changes made before a time, except the newest; a reader that is further behind loads its rows anew."""
    tx.execute(
        """
        DELETE FROM change WHERE seq < coalesce(
            (SELECT seq FROM change WHERE at >= ? ORDER BY seq LIMIT 1), (SELECT max(seq) FROM change))
        """,
        (before,),
    )


def open_window(
    tx: Writer,
    row_id: int,
    *,
    valid_from: Micros,
    valid_to: Micros = FOREVER,
    at: Micros,
    actor: Actor,
    job_id: str | None = None,
) -> None:
    """Record that a row is true from `valid_from` until `valid_to` (exclusive)."""
    tx.execute(
        """
        INSERT INTO validity (row_id, valid_from, valid_to, recorded_at, actor_kind, actor_id, job_id)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        (row_id, valid_from, valid_to, at, actor.kind, actor.id, job_id),
    )
    announce(tx, row_id, "window", at=at)


def retire_windows(tx: Writer, row_id: int, *, at: Micros, actor: Actor, reason: str) -> list[Micros]:
    """Stop believing the windows of a row that have not ended.

    Returns:
        The `valid_from` of each retired window; empty when none was open.
    """
    retired = tx.execute(
        """
        UPDATE validity SET retired_at = ?, retired_kind = ?, retired_id = ?, reason = ?
        WHERE row_id = ? AND retired_at IS NULL AND valid_to > ? RETURNING valid_from
        """,
        (at, actor.kind, actor.id, reason, row_id, at),
    ).fetchall()
    if retired:
        announce(tx, row_id, "window", at=at)
    return [row["valid_from"] for row in retired]


def close_windows(tx: Writer, row_id: int, *, until: Micros, at: Micros, actor: Actor, reason: str) -> None:
    """Record that what a row says stopped being true at `until`: a change in the world, not a correction.

    The open windows are retired and the part before `until` is recorded as closed windows.
    """
    for valid_from in retire_windows(tx, row_id, at=at, actor=actor, reason=reason):
        if valid_from < until:
            open_window(tx, row_id, valid_from=valid_from, valid_to=until, at=at, actor=actor)


def is_live(db: Reader, row_id: int, *, at: Micros) -> bool:
    """Say whether a row has a window that holds at `at`, as believed now."""
    found = db.execute(
        "SELECT 1 FROM validity WHERE row_id = ? AND retired_at IS NULL AND valid_from <= ? AND valid_to > ?",
        (row_id, at, at),
    ).fetchone()
    return found is not None


def is_ahead(db: Reader, row_id: int, *, at: Micros) -> bool:
    """Say whether a row has a window that holds at `at` or will hold later, as believed now."""
    found = db.execute(
        "SELECT 1 FROM validity WHERE row_id = ? AND retired_at IS NULL AND valid_to > ?", (row_id, at)
    ).fetchone()
    return found is not None


def valid_from(db: Reader, row_id: int) -> Micros:
    """Return when the newest window of a row begins, believed or retired."""
    row = db.execute("SELECT valid_from FROM validity WHERE row_id = ? ORDER BY id DESC LIMIT 1", (row_id,)).fetchone()
    return int(row["valid_from"])


def group_of(db: Reader, row_id: int) -> str:
    """Return the group (session or document id) that a row's neighbours are looked for in."""
    (group,) = db.execute("SELECT group_key FROM search_row WHERE id = ?", (row_id,)).fetchone()
    return str(group)


def copy_row(tx: Writer, row_id: int, *, at: Micros) -> int:
    """Insert a copy of a search row with its vectors, staged like any new row; returns its id."""
    copy_id = _next_id(tx, row_id >> ROW_BITS)
    tx.execute(
        """
        INSERT INTO search_row (id, space_id, kind, group_key, position, user_id, agent_id, session_id, speaker, shadow,
                                terms, tokenizer, names)
        SELECT ?, space_id, kind, group_key, position, user_id, agent_id, session_id, speaker, shadow, terms, tokenizer,
               names
        FROM search_row WHERE id = ?
        """,
        (copy_id, row_id),
    )
    tx.execute(
        "INSERT INTO vector (row_id, generation_id, data) SELECT ?, generation_id, data FROM vector WHERE row_id = ?",
        (copy_id, row_id),
    )
    announce(tx, copy_id, "add", at=at)
    return copy_id


def move_rows(tx: Writer, row_ids: Collection[int], space_id: int, *, at: Micros) -> None:
    """Put search rows into another space, under numbers of it; their vectors and windows go along, past ones too.

    To readers of the space that they leave they are rows whose windows are gone, so that these need not load anew. All
    go in one statement for each table: inside a savepoint every statement keeps the pages that it changes once more,
    and FTS5 writes a segment whenever row ids go back.

    Args:
        tx: the transaction.
        row_ids: the rows, which go.
        space_id: where they come to.
        at: now.
    """
    if not row_ids:
        return
    first = _next_id(tx, space_id, count=len(row_ids))
    named = {"rows": json.dumps(sorted(row_ids)), "first": first, "space": space_id, "at": at}
    tx.execute(
        """
        INSERT INTO search_row (id, space_id, kind, group_key, position, user_id, agent_id, session_id, speaker, shadow,
                                terms, tokenizer, names)
        SELECT :first + key, :space, kind, group_key, position, user_id, agent_id, session_id, speaker, shadow, terms,
               tokenizer, names
        FROM json_each(:rows) CROSS JOIN search_row ON search_row.id = value ORDER BY key
        """,
        named,
    )
    for table in ("vector", "validity", "memory", "chunk"):
        tx.execute(
            f"""
            UPDATE {table} SET row_id = :first + moved.key FROM json_each(:rows) AS moved
            WHERE {table}.row_id = moved.value
            """,
            named,
        )
    tx.execute("DELETE FROM search_row WHERE id IN (SELECT value FROM json_each(:rows))", named)
    tx.execute(
        f"""
        INSERT INTO change (space_id, row_id, op, at)
        SELECT value >> {ROW_BITS:d}, value, 'window', :at FROM json_each(:rows)
        UNION ALL SELECT :space, :first + key, 'add', :at FROM json_each(:rows)
        """,
        named,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BelievedWindow:
    """A window that is not retired."""

    id: int
    row_id: int
    valid_from: Micros
    valid_to: Micros


def chain_windows(db: Reader, root_id: str) -> list[BelievedWindow]:
    """Return the believed windows of all versions of a chain, earliest first."""
    found = db.execute(
        """
        SELECT validity.id, validity.row_id, valid_from, valid_to FROM validity
        JOIN memory ON memory.row_id = validity.row_id
        WHERE root_id = ? AND validity.retired_at IS NULL ORDER BY valid_from, validity.id
        """,
        (root_id,),
    ).fetchall()
    return [BelievedWindow(**row) for row in map(dict, found)]


def earlier_end(db: Reader, root_id: str, *, before: Micros) -> Micros:
    """Return where the believed windows of a chain that begin before a time end; BEGINNING when there are none."""
    ends = [window.valid_to for window in chain_windows(db, root_id) if window.valid_from < before]
    return max(ends, default=BEGINNING)


def cut_window(tx: Writer, window: BelievedWindow, *, until: Micros, at: Micros, actor: Actor, reason: str) -> None:
    """Retire one window, past or present, and record the part of it before `until` in its place."""
    tx.execute(
        "UPDATE validity SET retired_at = ?, retired_kind = ?, retired_id = ?, reason = ? WHERE id = ?",
        (at, actor.kind, actor.id, reason, window.id),
    )
    if window.valid_from < until:
        open_window(tx, window.row_id, valid_from=window.valid_from, valid_to=until, at=at, actor=actor)
    else:
        announce(tx, window.row_id, "window", at=at)


def reword(
    tx: Writer,
    row_id: int,
    *,
    text: str,
    names: str,
    speaker: str | None,
    group_key: str,
    position: int,
    at: Micros,
) -> int:
    """Put a memory's search row with another text in the place of one; vectors and windows move over.

    Args:
        tx: the transaction.
        row_id: the row that goes.
        text: what is indexed from now on.
        names: keys of what it names, see `memory.names`.
        speaker: who said it.
        group_key: whose neighbour it is.
        position: order in the group.
        at: now.

    Returns:
        The id of the new row.
    """
    new_id, terms = _next_id(tx, row_id >> ROW_BITS), segment(text)
    tx.execute(
        """
        INSERT INTO search_row (id, space_id, kind, group_key, position, user_id, agent_id, session_id, speaker, shadow,
                                terms, tokenizer, names)
        SELECT ?, space_id, kind, ?, ?, user_id, agent_id, session_id, ?, ?, ?, ?, ? FROM search_row WHERE id = ?
        """,
        (new_id, group_key, position, speaker, " ".join(terms), len(terms), TOKENIZER_VERSION, names, row_id),
    )
    for table in ("vector", "validity", "memory"):
        tx.execute(f"UPDATE {table} SET row_id = ? WHERE row_id = ?", (new_id, row_id))
    tx.execute("DELETE FROM search_row WHERE id = ?", (row_id,))
    announce(tx, row_id, "erase", at=at)
    return new_id
