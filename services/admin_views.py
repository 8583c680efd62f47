"""Tenants, keys, members and changes as JSON: what `/v1/admin` answers and `memlane keys` prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from memory.records import Micros, Page
from memory.temporal import to_iso
from services.admin import AdminChange
from services.keys import Key
from services.members import Member
from services.tenants import Tenant

Row = TypeVar("Row")
Json = dict[str, Any]


def tenant(one: Tenant) -> Json:
    """Return a tenant as JSON."""
    return {
        "id": one.id, "name": one.name, "disabled": one.disabled_at is not None,
        "created_at": _moment(one.created_at), "disabled_at": _moment(one.disabled_at),
    }  # fmt: skip


def key(one: Key, now: Micros) -> Json:
    """Return a key as JSON, without its hash.

    Args:
        one: the key.
        now: what its state is told for.
    """
    state = "revoked" if one.revoked_at is not None else "valid" if one.valid(now) else "expired"
    return {
        "id": one.id, "tenant": one.tenant, "label": one.label, "state": state, "actor": one.actor_kind,
        "spaces": list(one.spaces) if one.spaces is not None else None, "user": one.user, "agent": one.agent,
        "read_only": one.read_only, "created_at": _moment(one.created_at), "expires_at": _moment(one.expires_at),
        "revoked_at": _moment(one.revoked_at), "last_used_at": _moment(one.last_used_at), "replaces": one.replaces,
    }  # fmt: skip


def member(one: Member) -> Json:
    """Return a member as JSON."""
    return {
        "id": one.id, "tenant": one.tenant, "issuer": one.issuer, "subject": one.subject, "email": one.email,
        "role": one.role, "created_at": _moment(one.created_at), "last_used_at": _moment(one.last_used_at),
    }  # fmt: skip


def change(one: AdminChange) -> Json:
    """Return a change of the control plane as JSON."""
    return {
        "at": _moment(one.at), "actor": {"kind": one.actor.kind, "id": one.actor.id}, "action": one.action,
        "tenant": one.tenant, "target": one.target,
    }  # fmt: skip


def page(name: str, found: Page[Row], view: Callable[[Row], Json]) -> Json:
    """Return a page as JSON.

    Args:
        name: what its rows are called.
        found: the page.
        view: makes a row JSON.
    """
    return {
        name: [view(one) for one in found.rows], "total": found.total, "limit": found.limit,
        "next_cursor": found.next_cursor,
    }  # fmt: skip


def _moment(at: Micros | None) -> str | None:
    return to_iso(at, None) if at is not None else None
