"""Members in control.db: the people of a tenant, by the issuer that signs them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memory.records import Micros, Page
from store.connection import Reader, Writer
from store.paging import keyset

Role = Literal["owner", "editor", "reader"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A person of a tenant."""

    id: str  # mbr_...
    tenant: str
    issuer: str
    subject: str | None  # None: not known before the first sign-in with the e-mail address
    email: str | None  # ASCII, lower case
    role: Role
    created_at: Micros
    last_used_at: Micros | None  # within a minute or so; None: never


def insert(tx: Writer, member: Member) -> None:
    """Keep a new member."""
    tx.execute(
        "INSERT INTO member (id, tenant_id, issuer, subject, email, role, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (member.id, member.tenant, member.issuer, member.subject, member.email, member.role, member.created_at),
    )


def get(db: Reader | Writer, tenant: str, member_id: str) -> Member | None:
    """Return a member of a tenant; None when it has none of that id."""
    row = db.execute("SELECT * FROM member WHERE tenant_id = ? AND id = ?", (tenant, member_id)).fetchone()
    return _member(row) if row else None


def same(db: Reader | Writer, tenant: str, *, issuer: str, subject: str | None, email: str | None) -> Member | None:
    """Return the member of a tenant that is named by the same subject or address; None when there is none."""
    row = db.execute(
        "SELECT * FROM member WHERE tenant_id = ? AND issuer = ? AND (subject = ? OR email = ?) LIMIT 1",
        (tenant, issuer, subject, email),
    ).fetchone()
    return _member(row) if row else None


def of_person(db: Reader, *, issuer: str, subject: str, email: str | None) -> tuple[Member, ...]:
    """Return what a person is in every tenant that is in use, oldest first.

    Args:
        db: control.db.
        issuer: that vouches for the person.
        subject: the issuer's name of the person.
        email: an address the issuer has verified; it finds only members that have no subject yet.
    """
    rows = db.execute(
        """
        SELECT member.* FROM member JOIN tenant ON tenant.id = member.tenant_id
        WHERE issuer = ?1 AND (subject = ?2 OR (subject IS NULL AND email = ?3)) AND disabled_at IS NULL
        ORDER BY member.created_at, member.id
        """,
        (issuer, subject, email),
    ).fetchall()
    return tuple(_member(row) for row in rows)


def listing(db: Reader, tenant: str, *, limit: int, cursor: str | None) -> Page[Member]:
    """Return the members of a tenant, oldest first."""
    return keyset(
        db, "SELECT * FROM member", "member", ["tenant_id = ?"], [tenant], column="created_at", key="id", order="asc",
        limit=limit, page=None, cursor=cursor, make=_member,
    )  # fmt: skip


def bind(tx: Writer, member_id: str, subject: str) -> bool:
    """Keep the subject of a member that has none; returns whether it is the member's now."""
    tx.execute("UPDATE OR IGNORE member SET subject = ? WHERE id = ? AND subject IS NULL", (subject, member_id))
    row = tx.execute("SELECT subject FROM member WHERE id = ?", (member_id,)).fetchone()
    return row is not None and row["subject"] == subject


def set_role(tx: Writer, member_id: str, role: Role) -> None:
    """Give a member another role."""
    tx.execute("UPDATE member SET role = ? WHERE id = ?", (role, member_id))


def remove(tx: Writer, member_id: str) -> None:
    """Delete a member."""
    tx.execute("DELETE FROM member WHERE id = ?", (member_id,))


def _member(row: Mapping[str, Any]) -> Member:
    return Member(
        id=row["id"], tenant=row["tenant_id"], issuer=row["issuer"], subject=row["subject"], email=row["email"],
        role=row["role"], created_at=row["created_at"], last_used_at=row["last_used_at"],
    )  # fmt: skip
