"""The entries of the ledger: appended in order, read in order, never changed; `store.chain` ties them together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from memory.errors import NotFound
from memory.records import Clocks, Episode, Message, Micros, Page, Paging, Scope
from store import sessions
from store.chain import Place, Words, chain_hash, text_hash
from store.connection import Reader, Writer
from store.paging import keyset


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEpisode:
    """A message on its way into the ledger, with what only the outside can give it."""

    id: str  # ep_...
    message: Message
    tokens: int
    salt: bytes  # 16 random bytes: erasing text and salt leaves the chain whole and the hash unguessable
    kind: str = "turn"


def append(tx: Writer, session_id: str, new: Sequence[NewEpisode], *, at: Micros) -> int:
    """Append episodes to a session; each is chained to the one before.

    Args:
        tx: a write transaction: writers take turns, so the order has no gaps.
        session_id: ses_...
        new: in order.
        at: present time.

    Returns:
        The seq of the first.
    """
    last = tx.execute(
        "SELECT seq, chain_hash FROM episode WHERE session_id = ? ORDER BY seq DESC LIMIT 1", (session_id,)
    ).fetchone()
    start, previous = (last["seq"] + 1, bytes(last["chain_hash"])) if last else (0, b"")
    for seq, one in enumerate(new, start):
        previous = _insert(tx, session_id, one, seq=seq, previous=previous, at=at)
    return start


def _insert(tx: Writer, session_id: str, new: NewEpisode, *, seq: int, previous: bytes, at: Micros) -> bytes:
    said = new.message
    words = Words(
        name=said.name, content=said.content, occurred_at=said.said_at, zone=said.said_zone, metadata=said.metadata
    )  # fmt: skip
    place = Place(session_id=session_id, seq=seq, id=new.id, kind=new.kind, role=said.role, recorded_at=at)
    text = text_hash(new.salt, words)
    chained = chain_hash(previous, place, text)
    tx.execute(
        """
        INSERT INTO episode (id, session_id, seq, kind, role, name, content, occurred_at, zone, metadata, tokens,
                             salt, text_hash, chain_hash, recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (new.id, session_id, seq, new.kind, said.role, said.name, said.content, said.said_at, said.said_zone,
         json.dumps(dict(said.metadata)), new.tokens, new.salt, text, chained, at),
    )  # fmt: skip
    return chained


def between(db: Reader, session_id: str, *, start: int = 0, end: int | None = None) -> list[Episode]:
    """Return the episodes with start <= index < end, in order."""
    rows = db.execute(
        "SELECT * FROM episode WHERE session_id = ? AND seq >= ? AND (? IS NULL OR seq < ?) ORDER BY seq",
        (session_id, start, end, end),
    ).fetchall()
    return [_episode(row) for row in rows]


def messages(db: Reader, session_id: str) -> list[Episode]:
    """Return what a conversation consists of, in order: turns and what tools answered, to align a request against."""
    rows = db.execute(
        "SELECT * FROM episode WHERE session_id = ? AND kind IN ('turn', 'tool_result') ORDER BY seq", (session_id,)
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


def by_id(db: Reader, episode_id: str) -> Episode:
    """Return one episode that is known to exist."""
    return _episode(db.execute("SELECT * FROM episode WHERE id = ?", (episode_id,)).fetchone())


def get(scope: Scope, db: Reader, episode_id: str) -> Episode:
    """Return one episode of a session that a scope may see.

    Raises:
        NotFound: there is none.
    """
    visible, values = sessions.visible(scope, db)
    row = db.execute(
        f"SELECT episode.* FROM episode JOIN session ON session.id = session_id WHERE episode.id = ? AND {visible}",
        (episode_id, *values),
    ).fetchone()
    if row is None:
        raise NotFound(f"No episode {episode_id!r} in this space.", field="id")
    return _episode(row)


def listing(
    db: Reader,
    session_id: str,
    clocks: Clocks,
    *,
    now: Micros,
    order: str = "asc",
    kinds: Sequence[str] = (),
    since: int | None = None,
    saying: str | None = None,
    **paging: Unpack[Paging],
) -> Page[Episode]:
    """Return a page of a session's episodes, in the order they were appended in.

    Args:
        db: the store.
        session_id: of a session that the caller may see.
        clocks: what had been said, and what had been recorded, by then.
        now: what an absent clock says.
        order: asc or desc.
        kinds: only these; empty: all.
        since: only from this seq on.
        saying: only those whose content has this text in it, in any of the usual spellings of its case.
        **paging: which page.
    """
    conditions, values = ["session_id = ?"], [session_id, *kinds]
    if kinds:
        conditions.append(f"kind IN ({','.join('?' * len(kinds))})")
    if since is not None:
        conditions.append(f"seq >= {since:d}")
    if saying is not None:
        # SQLite folds ASCII alone; the spellings are for the letters it leaves as they are.
        spellings = {saying, saying.lower(), saying.upper(), saying.capitalize(), saying.title()}
        conditions.append(f"({' OR '.join(['instr(lower(content), lower(?))'] * len(spellings))})")
        values += sorted(spellings)
    as_of, known_at = clocks.resolved(now)
    if clocks.as_of is not None:
        conditions.append(f"ifnull(occurred_at, recorded_at) <= {as_of:d}")
    if clocks.known_at is not None:
        conditions.append(f"recorded_at <= {known_at:d}")
    return keyset(
        db, "SELECT * FROM episode", "episode", conditions, values, column="seq", key="id", order=order,
        make=_episode, **paging,
    )  # fmt: skip


def _episode(row: Mapping[str, Any]) -> Episode:
    return Episode(
        id=row["id"], session_id=row["session_id"], index=row["seq"], kind=row["kind"], role=row["role"],
        name=row["name"], content=row["content"], said_at=row["occurred_at"], said_zone=row["zone"],
        recorded_at=row["recorded_at"], metadata=json.loads(row["metadata"]), chain_hash=bytes(row["chain_hash"]),
        is_erased=not row["salt"],
    )  # fmt: skip
