"""Tenants in control.db: their names, and whether they are in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.records import Micros, Page
from store.connection import Reader, Writer
from store.paging import keyset


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """An owner of data."""

    id: str  # also the name of its file
    name: str  # for a person
    created_at: Micros
    disabled_at: Micros | None  # None: in use


def get(db: Reader | Writer, tenant: str) -> Tenant | None:
    """Return a tenant; None when there is none of that id."""
    row = db.execute("SELECT * FROM tenant WHERE id = ?", (tenant,)).fetchone()
    return _tenant(row) if row else None


def is_disabled(db: Reader, tenant: str) -> bool:
    """Tell whether a tenant is not to be used at present."""
    row = db.execute("SELECT disabled_at FROM tenant WHERE id = ?", (tenant,)).fetchone()
    return row is not None and row["disabled_at"] is not None


def listing(db: Reader, *, within: frozenset[str] | None, limit: int, cursor: str | None) -> Page[Tenant]:
    """Return tenants, oldest first.

    Args:
        db: control.db.
        within: only these; None: all.
        limit: rows a page.
        cursor: from the page before.
    """
    names = sorted(within) if within is not None else []
    where = ["1"] if within is None else [f"id IN ({', '.join('?' * len(names))})"]
    return keyset(
        db, "SELECT * FROM tenant", "tenant", where, names, column="created_at", key="id", order="asc", limit=limit,
        page=None, cursor=cursor, make=_tenant,
    )  # fmt: skip


def insert(tx: Writer, tenant: Tenant) -> None:
    """Keep a new tenant, whose file is there."""
    tx.execute(
        "INSERT INTO tenant (id, name, created_at) VALUES (?, ?, ?)", (tenant.id, tenant.name, tenant.created_at)
    )


def rename(tx: Writer, tenant: str, name: str) -> None:
    """Give a tenant another name; its id stays."""
    tx.execute("UPDATE tenant SET name = ? WHERE id = ?", (name, tenant))


def set_disabled(tx: Writer, tenant: str, at: Micros | None) -> None:
    """Take a tenant out of use, keeping the first time, or put it back with None."""
    tx.execute(
        "UPDATE tenant SET disabled_at = CASE WHEN ?1 IS NULL THEN NULL ELSE coalesce(disabled_at, ?1) END"
        " WHERE id = ?2",
        (at, tenant),
    )


def _tenant(row: Mapping[str, Any]) -> Tenant:
    return Tenant(id=row["id"], name=row["name"], created_at=row["created_at"], disabled_at=row["disabled_at"])
