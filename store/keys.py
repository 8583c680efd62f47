"""API keys in control.db: the hash of each, whose it is, and what it is limited to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memory.records import Micros, Page
from store.connection import Reader, Writer
from store.paging import keyset


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One API key, without its secret."""

    id: str  # key_...
    tenant: str
    label: str
    key_hash: str  # hex sha256 of the secret
    actor_kind: Literal["person", "agent", "service"]
    spaces: tuple[str, ...] | None  # None: every space of the tenant
    user: str | None
    agent: str | None
    read_only: bool
    created_at: Micros
    expires_at: Micros | None
    revoked_at: Micros | None
    last_used_at: Micros | None = None  # within a minute or so; None: never
    replaces: str | None = None  # the key that was rotated into this one

    def valid(self, at: Micros) -> bool:
        """Tell whether the key opens anything at a time."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


def insert(tx: Writer, key: Key) -> None:
    """Keep a new key."""
    tx.execute(
        """
        INSERT INTO api_key (id, tenant_id, label, key_hash, actor_kind, spaces, user_id, agent_id, read_only,
                             created_at, expires_at, replaces)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (key.id, key.tenant, key.label, key.key_hash, key.actor_kind,
         json.dumps(key.spaces) if key.spaces is not None else None, key.user, key.agent, key.read_only,
         key.created_at, key.expires_at, key.replaces),
    )  # fmt: skip


def by_hash(db: Reader, key_hash: str) -> Key | None:
    """Return the key with that hash, revoked or expired or not; None when there is none."""
    row = db.execute("SELECT * FROM api_key WHERE key_hash = ?", (key_hash,)).fetchone()
    return _key(row) if row else None


def listing(db: Reader, *, tenant: str | None = None) -> tuple[Key, ...]:
    """Return the keys of a tenant, or of all, oldest first."""
    rows = db.execute(
        "SELECT * FROM api_key WHERE ?1 IS NULL OR tenant_id = ?1 ORDER BY created_at, id", (tenant,)
    ).fetchall()
    return tuple(_key(row) for row in rows)


def get(db: Reader | Writer, tenant: str, key_id: str) -> Key | None:
    """Return a key of a tenant; None when it has none of that id."""
    row = db.execute("SELECT * FROM api_key WHERE tenant_id = ? AND id = ?", (tenant, key_id)).fetchone()
    return _key(row) if row else None


def page(db: Reader, tenant: str, *, limit: int, cursor: str | None) -> Page[Key]:
    """Return a page of a tenant's keys, oldest first."""
    return keyset(
        db, "SELECT * FROM api_key", "api_key", ["tenant_id = ?"], [tenant], column="created_at", key="id",
        order="asc", limit=limit, page=None, cursor=cursor, make=_key,
    )  # fmt: skip


def successor(db: Reader | Writer, key_id: str) -> str | None:
    """Return the id of the key that a key was rotated into; None when it was not."""
    row = db.execute("SELECT id FROM api_key WHERE replaces = ?", (key_id,)).fetchone()
    return str(row["id"]) if row else None


def set_label(tx: Writer, key_id: str, label: str) -> None:
    """Say anew what a key is for."""
    tx.execute("UPDATE api_key SET label = ? WHERE id = ?", (label, key_id))


def set_end(tx: Writer, key_id: str, at: Micros | None) -> None:
    """Let a key end at a time, or never."""
    tx.execute("UPDATE api_key SET expires_at = ? WHERE id = ?", (at, key_id))


def revoke(tx: Writer, key_id: str, *, at: Micros) -> Key | None:
    """Mark a key as revoked, once; None when there is none of that id."""
    tx.execute("UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", (at, key_id))
    row = tx.execute("SELECT * FROM api_key WHERE id = ?", (key_id,)).fetchone()
    return _key(row) if row else None


def revoke_bound(tx: Writer, *, tenant: str, user: str, at: Micros) -> int:
    """Revoke the keys that are bound to a user, and take the user's name and the label off them; returns how many."""
    done = tx.execute(
        """
        UPDATE api_key SET revoked_at = coalesce(revoked_at, ?), user_id = NULL, label = ''
        WHERE tenant_id = ? AND user_id = ?
        """,
        (at, tenant, user),
    )
    return done.rowcount


def _key(row: Mapping[str, Any]) -> Key:
    return Key(
        id=row["id"], tenant=row["tenant_id"], label=row["label"], key_hash=row["key_hash"],
        actor_kind=row["actor_kind"], spaces=tuple(json.loads(row["spaces"])) if row["spaces"] is not None else None,
        user=row["user_id"], agent=row["agent_id"], read_only=bool(row["read_only"]), created_at=row["created_at"],
        expires_at=row["expires_at"], revoked_at=row["revoked_at"], last_used_at=row["last_used_at"],
        replaces=row["replaces"],
    )  # fmt: skip
