"""Sessions and their episodes: an append-only ledger whose entries are chained by salted hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.errors import NotFound
from memory.records import Episode, Message, Micros, Scope
from store import spaces
from store.connection import Reader, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A run of episodes."""

    id: str
    space_id: int
    conversation_id: str | None
    watermark: int  # episodes below this index are handed to extraction
    job_id: str | None  # the newest consolidation
    user_id: str | None
    agent_id: str | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEpisode:
    """A message on its way into the ledger, with what only the outside can give it."""

    id: str  # ep_...
    message: Message
    tokens: int
    salt: bytes  # 16 random bytes: erasing text and salt leaves the chain whole and the hash unguessable
    kind: str = "turn"


def ensure(scope: Scope, tx: Writer, *, session_id: str, space_id: int, conversation_id: str, at: Micros) -> Session:
    """Return the session of a conversation, made with `session_id` when it is new."""
    tx.execute(
        """
        INSERT INTO session (id, space_id, conversation_id, user_id, agent_id, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """,
        (session_id, space_id, conversation_id, scope.user, scope.agent, at, at),
    )
    row = tx.execute(
        "SELECT * FROM session WHERE space_id = ? AND conversation_id = ?", (space_id, conversation_id)
    ).fetchone()
    return _session(row)


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


def named(scope: Scope, db: Reader, name: str) -> list[Session]:
    """Return the sessions that a scope may see and that are called by their id or by their conversationId.

    Trust boundary between the users and agents of a space, as `store.spaces.bounded` is for other tables.

    Args:
        scope: who asks; a conversation of the same name may be in several of its spaces.
        db: the store.
        name: ses_..., or what the caller calls the conversation.
    """
    ids = spaces.find(scope, db)
    order = {ids[space]: place for place, space in enumerate(scope.spaces) if space in ids}
    rows = db.execute(
        f"""
        SELECT * FROM session WHERE space_id IN ({",".join("?" * len(order))}) AND ? IN (id, conversation_id)
          AND (user_id IS NULL OR ? IS NULL OR user_id = ?) AND (agent_id IS NULL OR ? IS NULL OR agent_id = ?)
        """,
        (*order, name, scope.user, scope.user, scope.agent, scope.agent),
    ).fetchall()
    return sorted(map(_session, rows), key=lambda one: order[one.space_id])


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


def spoken(db: Reader, session_id: str) -> list[tuple[str, str | None, str]]:
    """Return (role, name, content) of every stored episode in order, to align a request against."""
    rows = db.execute(
        "SELECT role, name, content FROM episode WHERE session_id = ? ORDER BY seq", (session_id,)
    ).fetchall()
    return [(row["role"], row["name"], row["content"]) for row in rows]


def text_hash(salt: bytes, message: Message) -> bytes:
    """Return the salted hash of what was said and by whom."""
    said = json.dumps([message.role, message.name, message.content], ensure_ascii=False)
    return hashlib.sha256(salt + said.encode("utf-8", "surrogatepass")).digest()


def chain_hash(previous: bytes, seq: int, text: bytes) -> bytes:
    """Return the hash that ties an entry to the one before it."""
    return hashlib.sha256(previous + seq.to_bytes(8, "big") + text).digest()


def append(tx: Writer, session_id: str, episodes: Sequence[NewEpisode], *, start: int, at: Micros) -> None:
    """Append episodes after the `start` that are stored; each is chained to the one before."""
    last = tx.execute(
        "SELECT chain_hash FROM episode WHERE session_id = ? ORDER BY seq DESC LIMIT 1", (session_id,)
    ).fetchone()
    previous = bytes(last["chain_hash"]) if last else b""
    for seq, new in enumerate(episodes, start):
        said = text_hash(new.salt, new.message)
        previous = chain_hash(previous, seq, said)
        tx.execute(
            """
            INSERT INTO episode (id, session_id, seq, kind, role, name, content, occurred_at, zone, metadata, tokens,
                                 salt, text_hash, chain_hash, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            (new.id, session_id, seq, new.kind, new.message.role, new.message.name, new.message.content,
             new.message.said_at, new.message.said_zone, json.dumps(dict(new.message.metadata)), new.tokens, new.salt,
             said, previous, at),
        )  # fmt: skip


def hand_over(tx: Writer, session_id: str, *, watermark: int, job_id: str, at: Micros) -> None:
    """Move the watermark: the episodes below it belong to a consolidation."""
    tx.execute(
        "UPDATE session SET watermark = ?, job_id = ?, updated_at = ? WHERE id = ?", (watermark, job_id, at, session_id)
    )


def episodes(db: Reader, session_id: str, *, start: int = 0, end: int | None = None) -> list[Episode]:
    """Return the episodes with start <= index < end, in order."""
    rows = db.execute(
        "SELECT * FROM episode WHERE session_id = ? AND seq >= ? AND (? IS NULL OR seq < ?) ORDER BY seq",
        (session_id, start, end, end),
    ).fetchall()
    return [_episode(row) for row in rows]


def recent(db: Reader, session_id: str, *, as_of: Micros, known_at: Micros, limit: int) -> list[Episode]:
    """Return the newest episodes that say something, newest first.

    Args:
        db: the store.
        session_id: ses_...
        as_of: what was said later is left out; what says no time counts from when it was recorded.
        known_at: what was recorded later is left out.
        limit: most of them.
    """
    rows = db.execute(
        """
        SELECT * FROM episode WHERE session_id = ? AND recorded_at <= ? AND ifnull(occurred_at, recorded_at) <= ?
          AND trim(content) != ''
        ORDER BY seq DESC LIMIT ?
        """,
        (session_id, known_at, as_of, limit),
    ).fetchall()
    return [_episode(row) for row in rows]


def episode(db: Reader, episode_id: str) -> Episode:
    """Return one episode by its id."""
    return _episode(db.execute("SELECT * FROM episode WHERE id = ?", (episode_id,)).fetchone())


def _episode(row: Mapping[str, Any]) -> Episode:
    return Episode(
        id=row["id"], session_id=row["session_id"], index=row["seq"], kind=row["kind"], role=row["role"],
        name=row["name"], content=row["content"], said_at=row["occurred_at"], said_zone=row["zone"],
        recorded_at=row["recorded_at"], metadata=json.loads(row["metadata"]),
    )  # fmt: skip


def _said(row: Mapping[str, Any]) -> bytes:
    """Return the hash of an entry's text; of an erased one, which has no salt any more, the one that was kept."""
    if not row["salt"]:
        return bytes(row["text_hash"])
    return text_hash(bytes(row["salt"]), Message(role=row["role"], content=row["content"], name=row["name"]))


def broken_chains(db: Reader) -> list[str]:
    """Return the ids of episodes whose hash does not follow from the entry before, or that leave a gap."""
    broken = []
    previous: tuple[str, int, bytes] = ("", -1, b"")
    rows = db.execute(
        "SELECT id, session_id, seq, salt, role, name, content, text_hash, chain_hash FROM episode "
        "ORDER BY session_id, seq"
    ).fetchall()
    for row in rows:
        session, seq, before = previous
        if row["session_id"] != session:
            seq, before = -1, b""
        expected = chain_hash(before, row["seq"], _said(row))
        if row["seq"] != seq + 1 or expected != bytes(row["chain_hash"]):
            broken.append(row["id"])
        previous = (row["session_id"], row["seq"], bytes(row["chain_hash"]))
    return broken
