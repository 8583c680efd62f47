"""What was asked of the writer: rows that go ahead of every candidate, in the order they were asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.records import Actor, Micros
from store.connection import Reader, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing asked of the writer."""

    id: str
    kind: str
    payload: Mapping[str, Any]
    actor: Actor
    state: str  # waiting, done or refused
    result: Mapping[str, Any] | None  # of a refused one: code, message and details
    recorded_at: Micros
    caused_by: str | None = None  # id of the request of a caller that it comes from


def _request(row: Mapping[str, Any]) -> Request:
    return Request(
        id=row["id"], kind=row["kind"], payload=json.loads(row["payload"]),
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), state=row["state"],
        result=json.loads(row["result"]) if row["result"] else None, recorded_at=row["recorded_at"],
        caused_by=row["caused_by"],
    )  # fmt: skip


def add(
    tx: Writer,
    *,
    request_id: str,
    kind: str,
    payload: Mapping[str, Any],
    actor: Actor,
    caused_by: str | None = None,
    at: Micros,
) -> None:
    """Ask something of the writer.

    Args:
        tx: the transaction.
        request_id: of this question to the writer.
        kind: what is asked, a name in `services/handlers.py`.
        payload: JSON.
        actor: who asks.
        caused_by: id of the caller's request that it comes from; None when nobody asked for it.
        at: present time.
    """
    tx.execute(
        """
        INSERT INTO request (id, kind, payload, actor_kind, actor_id, state, caused_by, recorded_at)
        VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?)
        """,
        (request_id, kind, json.dumps(payload), actor.kind, actor.id, caused_by, at),
    )


def get(db: Reader, request_id: str) -> Request | None:
    """Return a request; None when there is none."""
    row = db.execute("SELECT * FROM request WHERE id = ?", (request_id,)).fetchone()
    return _request(row) if row else None


def next_waiting(db: Reader) -> Request | None:
    """Return the oldest waiting request; a person's go before the pipeline's."""
    row = db.execute(
        "SELECT * FROM request WHERE state = 'waiting' ORDER BY actor_kind = 'pipeline', seq LIMIT 1"
    ).fetchone()
    return _request(row) if row else None


def any_waiting(db: Reader, kinds: Sequence[str]) -> bool:
    """Tell whether a request of one of these kinds waits."""
    marks = ",".join("?" * len(kinds))
    return bool(
        db.execute(f"SELECT 1 FROM request WHERE state = 'waiting' AND kind IN ({marks}) LIMIT 1", kinds).fetchone()
    )


def settle(tx: Writer, request_id: str, *, state: str, result: Mapping[str, Any], at: Micros) -> None:
    """Record the outcome of a request and drop its payload, which is no longer needed."""
    tx.execute(
        "UPDATE request SET state = ?, result = ?, payload = '{}', settled_at = ? WHERE id = ?",
        (state, json.dumps(result), at, request_id),
    )


def prune(tx: Writer, *, before: Micros) -> int:
    """Delete settled requests older than `before`; returns how many."""
    done = tx.execute("DELETE FROM request WHERE state <> 'waiting' AND settled_at < ?", (before,))
    return done.rowcount
