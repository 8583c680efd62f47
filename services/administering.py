"""What is done on the control plane, for whoever may do it there: by HTTP, or at the machine of the store."""

from __future__ import annotations

from typing import Any

from memory.records import Idempotency
from services import admin, admin_views, key_changes, keys, members, tenants
from services.admin import Administrator
from services.control import Change, Control, Json, once
from services.members import Role


def create_tenant(
    host: Control, who: Administrator, tenant: str, *, name: str | None = None, repeat: Idempotency | None = None
) -> Json:
    """Make a tenant, with its file.

    Args:
        host: the store.
        who: administers.
        tenant: its id.
        name: what a person calls it; None: as its id.
        repeat: makes a repeated request answer as the first.

    Raises:
        Forbidden: who administers some tenants makes no others.
        InvalidInput: the id cannot be one.
        StateConflict: there is one of that id already.
    """
    admin.require_all(who, "make tenants")
    made = tenants.new(host, tenant, name)

    def make(change: Change) -> Json:
        tenants.keep(change, made)
        return admin_views.tenant(made)

    return once(host, who.actor, repeat, make)


def edit_tenant(host: Control, who: Administrator, tenant: str, *, name: str | None, disabled: bool | None) -> Json:
    """Rename a tenant, take it out of use, or put it back.

    Raises:
        Forbidden: an owner renames a tenant and no more.
        NotFound: there is no such tenant, or it is not theirs.
    """
    require(host, who, tenant)
    if disabled is not None:
        admin.require_all(who, "take tenants out of use")
    return admin_views.tenant(tenants.edit(host, who.actor, tenant, name=name, disabled=disabled))


def create_key(
    host: Control, who: Administrator, tenant: str, *, repeat: Idempotency | None = None, **limits: Any
) -> Json:
    """Make a key of a tenant; the secret is in this answer and nowhere else.

    Args:
        host: the store.
        who: administers.
        tenant: whose data the key opens.
        repeat: makes a repeated request answer as the first, without the secret.
        **limits: as `keys.new` takes them.

    Raises:
        NotFound: there is no such tenant, or it is not theirs.
        InvalidInput: a limit that makes no sense.
    """
    require(host, who, tenant)
    made = keys.new(host, tenant=tenant, **limits)

    def make(change: Change) -> Json:
        keys.keep(change, made.key)
        return admin_views.key(made.key, change.at)

    return once(host, who.actor, repeat, make, secret=made.secret)


def rotate_key(
    host: Control,
    who: Administrator,
    tenant: str,
    key_id: str,
    *,
    overlap_seconds: int = 0,
    repeat: Idempotency | None = None,
) -> Json:
    """Make a key in the place of another; the secret is in this answer and nowhere else.

    Args:
        host: the store.
        who: administers.
        tenant: whose key.
        key_id: of the key that ends.
        overlap_seconds: how long that one still opens something.
        repeat: makes a repeated request answer as the first, without the secret.

    Raises:
        NotFound: there is no such key, or it is not theirs.
        StateConflict: the key has ended or was rotated.
    """
    require(host, who, tenant)
    made = key_changes.successor_of(host, keys.get(host, tenant, key_id))

    def make(change: Change) -> Json:
        key_changes.rotate(change, made.key, overlap_seconds=overlap_seconds)
        return admin_views.key(made.key, change.at)

    return once(host, who.actor, repeat, make, secret=made.secret)


def add_member(
    host: Control,
    who: Administrator,
    tenant: str,
    issuer: str,
    *,
    role: Role,
    subject: str | None = None,
    email: str | None = None,
    repeat: Idempotency | None = None,
) -> Json:
    """Make a person a member of a tenant.

    Args:
        host: the store.
        who: administers.
        tenant: whose member.
        issuer: that signs people in; empty: none does.
        role: what they may do.
        subject: the issuer's name of the person.
        email: or an address that it has to have verified.
        repeat: makes a repeated request answer as the first.

    Raises:
        NotFound: there is no such tenant, or it is not theirs.
        InvalidInput: nobody is named, or twice.
        StateConflict: the person is a member already, or nobody is signed in here.
    """
    require(host, who, tenant)
    made = members.new(host, issuer, tenant, role=role, subject=subject, email=email)

    def make(change: Change) -> Json:
        members.keep(change, made)
        return admin_views.member(made)

    return once(host, who.actor, repeat, make)


def require(host: Control, who: Administrator, tenant: str) -> None:
    """Refuse a tenant there is not, and with the same words one that is not theirs.

    Raises:
        NotFound: so it is.
    """
    admin.require_tenant(who, tenant)
    tenants.get(host, tenant)
