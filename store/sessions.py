"""Sessions: the runs of episodes. What is in them is in `store.episodes`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from memory.errors import Ambiguous, NotFound
from memory.records import Micros, Page, Paging, Scope
from memory.records import Session as SessionAsRead
from store import spaces
from store.connection import Reader, Writer
from store.paging import keyset

_SELECT = """
    SELECT session.*, space.name AS space, (
        SELECT coalesce(max(seq) + 1, 0) FROM episode WHERE session_id = session.id
    ) AS episodes FROM session JOIN space ON space.id = session.space_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A run of episodes, as it is appended to."""

    id: str
    space_id: int
    conversation_id: str | None
    watermark: int  # episodes below this index are handed to extraction
    job_id: str | None  # the newest consolidation
    user_id: str | None
    agent_id: str | None
    metadata: Mapping[str, Any]


def ensure(scope: Scope, tx: Writer, *, session_id: str, space_id: int, conversation_id: str, at: Micros) -> Session:
    """Return the session of a space that is called by its id or its name, made with `session_id` when it is new."""
    found = _called(tx, space_id, conversation_id)
    if found is not None:
        return found
    tx.execute(
        """
        INSERT INTO session (id, space_id, conversation_id, user_id, agent_id, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        (session_id, space_id, conversation_id, scope.user, scope.agent, at, at),
    )
    return by_id(tx, session_id)


def _called(db: Reader, space_id: int, name: str) -> Session | None:
    row = db.execute(
        "SELECT * FROM session WHERE id = ?1 AND space_id = ?2"
        " UNION ALL SELECT * FROM session WHERE space_id = ?2 AND conversation_id = ?1 LIMIT 1",
        (name, space_id),
    ).fetchone()
    return None if row is None else _session(row)


def by_id(db: Reader, session_id: str) -> Session:
    """Return a session by its id.

    Raises:
        NotFound: there is none.
    """
    row = db.execute("SELECT * FROM session WHERE id = ?", (session_id,)).fetchone()
    if row is None:
        raise NotFound(f"No session {session_id!r}.", field="session_id")
    return _session(row)


def _session(row: Mapping[str, Any]) -> Session:
    return Session(
        id=row["id"], space_id=row["space_id"], conversation_id=row["conversation_id"], watermark=row["watermark"],
        job_id=row["job_id"], user_id=row["user_id"], agent_id=row["agent_id"],
        metadata=json.loads(row["metadata"]),
    )  # fmt: skip


def visible(scope: Scope, db: Reader) -> tuple[str, list[Any]]:
    """Return the condition, with its values, that holds for those sessions that a scope may see.

    Trust boundary between the users and agents of a space, as `store.spaces.bounded` is for other tables.

    Args:
        scope: who asks.
        db: the store.
    """
    ids = list(spaces.find(scope, db).values())
    among, values = spaces.among(ids)
    conditions = [f"session.space_id IN ({among})"]
    for column, named_ in (("user_id", scope.user), ("agent_id", scope.agent)):
        if named_ is not None:
            conditions.append(f"(session.{column} IS NULL OR session.{column} = ?)")
            values.append(named_)
    return " AND ".join(conditions), values


def named(scope: Scope, db: Reader, name: str) -> list[Session]:
    """Return the sessions that a scope may see and that are called by their id or by their conversationId.

    Args:
        scope: who asks; a conversation of the same name may be in several of its spaces.
        db: the store.
        name: ses_..., or what the caller calls the conversation.
    """
    ids = spaces.find(scope, db)
    order = {ids[space]: place for place, space in enumerate(scope.spaces) if space in ids}
    condition, values = visible(scope, db)
    rows = db.execute(
        f"SELECT * FROM session WHERE {condition} AND (id = ? OR conversation_id = ?)", (*values, name, name)
    ).fetchall()
    return sorted(map(_session, rows), key=lambda one: order[one.space_id])


def get(scope: Scope, db: Reader, ref: str) -> SessionAsRead:
    """Return one session by its id or by its conversationId.

    Raises:
        NotFound: there is none in the scope's spaces.
        Ambiguous: several spaces of the scope have one of that name.
    """
    found = named(scope, db, ref)
    exact = next((one for one in found if one.id == ref), None)
    if exact is None and len(found) > 1:
        raise Ambiguous(f"Several spaces have a session {ref!r}; name one space or use the id.", field="session_id")
    if not found:
        raise NotFound(f"No session {ref!r} in this space.", field="session_id")
    return read(db, (exact or found[0]).id)


def read(db: Reader, session_id: str) -> SessionAsRead:
    """Return a session that is known to exist, as it is read."""
    return _as_read(db.execute(f"{_SELECT} WHERE session.id = ?", (session_id,)).fetchone())


def listing(
    scope: Scope,
    db: Reader,
    *,
    sort: str = "updatedAt",
    order: str = "desc",
    **paging: Unpack[Paging],
) -> Page[SessionAsRead]:
    """Return a page of the sessions that a scope may see.

    Args:
        scope: whose; with a session, only those called so.
        db: the store.
        sort: createdAt or updatedAt.
        order: asc or desc.
        **paging: which page.
    """
    condition, values = visible(scope, db)
    conditions = [condition]
    if scope.session is not None:
        conditions.append("? IN (session.id, session.conversation_id)")
        values.append(scope.session)
    column = {"createdAt": "session.created_at", "updatedAt": "session.updated_at"}[sort]
    return keyset(
        db, _SELECT, "session", conditions, values, column=column, key="session.id", order=order,
        make=_as_read, **paging,
    )  # fmt: skip


def _as_read(row: Mapping[str, Any]) -> SessionAsRead:
    return SessionAsRead(
        id=row["id"], space=row["space"], conversation_id=row["conversation_id"], user=row["user_id"],
        agent=row["agent_id"], metadata=json.loads(row["metadata"]), episodes=row["episodes"], job_id=row["job_id"],
        created_at=row["created_at"], updated_at=row["updated_at"],
    )  # fmt: skip


def of_episode(db: Reader, episode_id: str) -> Session:
    """Return the session an episode belongs to."""
    row = db.execute(
        "SELECT session.* FROM session JOIN episode ON episode.session_id = session.id WHERE episode.id = ?",
        (episode_id,),
    ).fetchone()
    return _session(row)


def describe(tx: Writer, session_id: str, metadata: Mapping[str, Any]) -> None:
    """Replace the metadata of a session."""
    tx.execute("UPDATE session SET metadata = ? WHERE id = ?", (json.dumps(dict(metadata)), session_id))


def hand_over(tx: Writer, session_id: str, *, watermark: int, job_id: str | None, at: Micros) -> None:
    """Move the watermark: the episodes below it belong to a consolidation, or need none.

    Args:
        tx: the transaction.
        session_id: ses_...
        watermark: how many episodes there are.
        job_id: of the consolidation; None leaves the newest one named.
        at: present time.
    """
    tx.execute(
        "UPDATE session SET watermark = ?, job_id = coalesce(?, job_id), updated_at = ? WHERE id = ?",
        (watermark, job_id, at, session_id),
    )
