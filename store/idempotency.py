"""What a repeated POST was answered the first time; the row commits with the effect."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from memory.errors import Erased, IdempotencyMismatch
from memory.records import Idempotency, Micros, Scope
from store.connection import Reader, Writer

# A client that has not repeated its request within a week will not.
KEEP_MICROS: Micros = 7 * 24 * 3600 * 1_000_000


def lookup(scope: Scope, db: Reader | Writer, idempotency: Idempotency) -> tuple[int, Any] | None:
    """Return the answer that the same request was given before.

    Look inside the transaction that has the effect: two equal requests at once then take turns.

    Args:
        scope: whose request; another scope with the same key counts as another body and learns nothing.
        db: the tenant's file.
        idempotency: route, key and body of the request.

    Returns:
        HTTP status and JSON answer, or None when the key is new.

    Raises:
        IdempotencyMismatch: the key was used with another body.
        Erased: what was made under the key has been erased.
    """
    row = db.execute(
        "SELECT body_hash, status, response FROM idempotency WHERE route = ? AND key = ?",
        (idempotency.route, idempotency.key),
    ).fetchone()
    if row is None:
        return None
    if not row["body_hash"]:
        raise Erased(
            "What was made under this Idempotency-Key was erased; use a new key to make it anew.",
            field="Idempotency-Key",
        )
    if row["body_hash"] != _fingerprint(scope, idempotency):
        raise IdempotencyMismatch(field="Idempotency-Key")
    return int(row["status"]), json.loads(row["response"])


def remember(scope: Scope, tx: Writer, idempotency: Idempotency, *, status: int, response: Any, at: Micros) -> None:
    """Keep an answer for the same request to come.

    Args:
        scope: whose request.
        tx: the transaction that has the effect.
        idempotency: route, key and body of the request.
        status: HTTP status of the answer.
        response: JSON value of the answer.
        at: present time.
    """
    tx.execute(
        "INSERT INTO idempotency (route, key, body_hash, status, response, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (
            idempotency.route,
            idempotency.key,
            _fingerprint(scope, idempotency),
            status,
            json.dumps(response, ensure_ascii=False),
            at,
        ),
    )


def prune(tx: Writer, *, now: Micros) -> int:
    """Delete answers older than seven days; returns how many."""
    return tx.execute("DELETE FROM idempotency WHERE created_at < ?", (now - KEEP_MICROS,)).rowcount


def _fingerprint(scope: Scope, idempotency: Idempotency) -> str:
    parts = [idempotency.body_hash, list(scope.spaces), scope.user, scope.agent, scope.session]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
