"""Who may administer: the holder of the admin key, the person at this machine, or people whom an issuer signs in."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from memory.errors import Forbidden, NotFound, Unauthenticated
from memory.records import Actor, Page
from services.control import Change, Control, changing
from services.keys import LOCAL, SECRET_BYTES, hash_of, is_secret_of
from store import admin
from store.admin import AdminChange as AdminChange
from store.admin import AdminKey

# Another prefix than a data key's, so that whoever finds one knows what it opens.
PREFIX = "mla_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Administrator:
    """Who administers, and what of."""

    actor: Actor
    tenants: frozenset[str] | None  # None: all of them, and they alone make and change tenants


AT_THIS_MACHINE = Administrator(actor=LOCAL, tenants=None)


def first_key(host: Control) -> str | None:
    """Make the admin key of a store that never had one.

    Returns:
        Its secret, to be shown to a person now and never again; None when there was one before.
    """
    with host.store.control_read() as db:
        if admin.any_made(db):
            return None
    with changing(host, LOCAL) as change:
        # Two processes that start at once take turns here.
        if admin.any_made(change.tx):
            return None
        return _make(host, change)


def renew(host: Control) -> str:
    """Make another admin key and end every one before; returns its secret."""
    with changing(host, LOCAL) as change:
        admin.revoke_all(change.tx, at=change.at)
        return _make(host, change)


def resolve(host: Control, secret: str) -> Administrator:
    """Return who administers with a secret.

    Trust boundary: the key of a tenant is no admin key, whatever it may do in its tenant, and is told from an unknown
    one by nobody.

    Raises:
        Unauthenticated: the secret is not that of an admin key that is valid now.
    """
    with host.store.control_read() as db:
        known = admin.by_hash(db, hash_of(secret))
    if known is None or not is_secret_of(secret, known.key_hash) or known.revoked_at is not None:
        raise Unauthenticated("This admin key is not known or was revoked.")
    return Administrator(actor=Actor(kind="service", id=known.id), tenants=None)


def require_all(who: Administrator, what: str) -> None:
    """Refuse whoever administers some tenants what goes over them.

    Args:
        who: administers.
        what: verb and object of the message.

    Raises:
        Forbidden: it is the owner of tenants, and no administrator.
    """
    if who.tenants is not None:
        raise Forbidden(f"Only an administrator may {what}.")


def require_tenant(who: Administrator, tenant: str) -> None:
    """Refuse a tenant that is not theirs, with the words of one there is not.

    Raises:
        NotFound: they may not administer it.
    """
    if who.tenants is not None and tenant not in who.tenants:
        raise NotFound(f"No tenant {tenant!r}.", field="tenant")


def changes(host: Control, who: Administrator, *, limit: int, cursor: str | None) -> Page[AdminChange]:
    """Return who changed which tenant, key or member, newest first."""
    with host.store.control_read() as db:
        return admin.changes(db, within=who.tenants, limit=limit, cursor=cursor)


def _make(host: Control, change: Change) -> str:
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    key = AdminKey(
        id=host.new_id("adm"), key_hash=hash_of(secret), created_at=change.at, last_used_at=None, revoked_at=None
    )
    admin.insert(change.tx, key)
    change.note("admin_key.created", tenant=None, target=key.id)
    return secret
