"""The control plane in control.db: admin keys by their hashes, and who changed what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.records import Actor, Micros, Page
from store.connection import Reader, Writer
from store.paging import keyset


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminKey:
    """A key of the control plane, without its secret."""

    id: str  # adm_...
    key_hash: str  # hex sha256 of the secret
    created_at: Micros
    last_used_at: Micros | None  # within a minute or so; None: never
    revoked_at: Micros | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminChange:
    """One change of tenants, keys or members."""

    seq: int
    at: Micros
    actor: Actor
    action: str  # what was changed and how, as in key.rotated
    tenant: str | None  # None: of no tenant
    target: str  # id of what was changed


def insert(tx: Writer, key: AdminKey) -> None:
    """Keep a new admin key."""
    tx.execute(
        "INSERT INTO admin_key (id, key_hash, created_at) VALUES (?, ?, ?)", (key.id, key.key_hash, key.created_at)
    )


def any_made(db: Reader | Writer) -> bool:
    """Tell whether an admin key was ever made, revoked or not."""
    return db.execute("SELECT 1 FROM admin_key LIMIT 1").fetchone() is not None


def by_hash(db: Reader, key_hash: str) -> AdminKey | None:
    """Return the admin key with that hash, revoked or not; None when there is none."""
    row = db.execute("SELECT * FROM admin_key WHERE key_hash = ?", (key_hash,)).fetchone()
    return AdminKey(**dict(row)) if row else None


def revoke_all(tx: Writer, *, at: Micros) -> int:
    """Revoke every admin key; returns how many were valid."""
    return tx.execute("UPDATE admin_key SET revoked_at = ? WHERE revoked_at IS NULL", (at,)).rowcount


def note(tx: Writer, *, at: Micros, actor: Actor, action: str, tenant: str | None, target: str) -> None:
    """Keep who changed what, in the transaction of the change."""
    tx.execute(
        "INSERT INTO admin_change (at, actor_kind, actor_id, action, tenant_id, target) VALUES (?, ?, ?, ?, ?, ?)",
        (at, actor.kind, actor.id, action, tenant, target),
    )


def changes(db: Reader, *, within: frozenset[str] | None, limit: int, cursor: str | None) -> Page[AdminChange]:
    """Return changes, newest first.

    Args:
        db: control.db.
        within: only of these tenants; None: all.
        limit: rows a page.
        cursor: from the page before.
    """
    names = sorted(within) if within is not None else []
    where = ["1"] if within is None else [f"tenant_id IN ({', '.join('?' * len(names))})"]
    return keyset(
        db, "SELECT * FROM admin_change", "admin_change", where, names, column="seq",
        key="seq", order="desc", limit=limit, page=None, cursor=cursor, make=_change,
    )  # fmt: skip


def _change(row: Mapping[str, Any]) -> AdminChange:
    return AdminChange(
        seq=row["seq"], at=row["at"], actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), action=row["action"],
        tenant=row["tenant_id"], target=row["target"],
    )  # fmt: skip
