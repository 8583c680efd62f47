"""API keys: resolved, made, listed, revoked. A secret is shown once; what is kept is its hash."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memory.errors import InvalidInput, NotFound, Unauthenticated
from memory.records import Actor, Micros, Page
from memory.values import container_tag
from services.control import Change, Control, changing
from store import keys, tenants
from store.keys import Key as Key
from store.members import Role

KeyActor = Literal["person", "agent", "service"]

PREFIX = "mlk_"
# 256 random bits cannot be guessed, so a plain sha256 is enough to keep; no slow hash is needed.
SECRET_BYTES = 32
LOCAL = Actor(kind="person", id="local")
DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who sends a request, and what the key behind it is limited to."""

    tenant: str
    actor: Actor
    spaces: tuple[str, ...] | None  # None: every space of the tenant
    read_only: bool
    user: str | None  # the key is bound to this user
    agent: str | None  # the key is bound to this agent
    role: Role | None = None  # of a member who signed in; None: a key, or the person at this machine


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key as it is answered once, to whoever made it."""

    key: Key
    secret: str  # mlk_...; never to be seen again


def resolve(host: Control, secret: str | None) -> Caller:
    """Return the caller behind a secret; without one, the person at this machine.

    Trust boundary: only a transport that has made sure that the request comes from this machine may pass None. Unknown,
    revoked and expired keys, and those of a tenant that is not in use, are told apart by nobody outside.

    Args:
        host: the control store and the clock.
        secret: as sent; None for a keyless caller on loopback.

    Returns:
        The caller.

    Raises:
        Unauthenticated: the secret is not that of a key that is valid now.
    """
    tenant = DEFAULT_TENANT
    with host.store.control_read() as db:
        known = keys.by_hash(db, hash_of(secret)) if secret is not None else None
        disabled = tenants.is_disabled(db, known.tenant if known else tenant)
    if secret is None:
        if disabled:
            raise Unauthenticated(f"The tenant {tenant!r} is not in use.")
        return Caller(tenant=tenant, actor=LOCAL, spaces=None, read_only=False, user=None, agent=None)
    if known is None or not is_secret_of(secret, known.key_hash) or not known.valid(host.clock()) or disabled:
        raise Unauthenticated("This API key is not known, was revoked or has expired.")
    return Caller(
        tenant=known.tenant,
        actor=Actor(kind=known.actor_kind, id=known.id),
        spaces=known.spaces,
        read_only=known.read_only,
        user=known.user,
        agent=known.agent,
    )


def is_secret_of(secret: str, key_hash: str) -> bool:
    """Compare by the whole hash in constant time: the look-up alone would tell how far a guess agrees."""
    return secrets.compare_digest(key_hash, hash_of(secret))


def ensure_local(host: Control) -> None:
    """Make the tenant of the person at this machine, so that its first read finds it empty and not missing."""
    host.store.ensure_tenant(DEFAULT_TENANT)


def new(
    host: Control,
    *,
    tenant: str,
    label: str,
    actor_kind: KeyActor = "agent",
    spaces: Sequence[str] | None = None,
    read_only: bool = False,
    user: str | None = None,
    agent: str | None = None,
    expires_at: Micros | None = None,
) -> NewKey:
    """Make a key that is not kept yet.

    Args:
        host: the clock and the ids.
        tenant: whose data the key opens.
        label: what it is for, for a person.
        actor_kind: who acts with it; only a person approves, resolves and wins.
        spaces: names it is limited to; None: every space of the tenant.
        read_only: whether it may read only.
        user: the user it is bound to.
        agent: the agent it is bound to.
        expires_at: when it ends, microseconds; None: never.

    Returns:
        The key with its secret, which is not kept.

    Raises:
        InvalidInput: an empty list of spaces, a name that no space can have, or an end in the past.
    """
    if spaces is not None and not spaces:
        raise InvalidInput("A key that is limited to spaces needs at least one.", field="spaces")
    names = None if spaces is None else tuple(dict.fromkeys(container_tag(name, field="spaces") for name in spaces))
    now = host.clock()
    require_to_come(expires_at, now)
    secret = new_secret()
    key = Key(
        id=host.new_id("key"), tenant=tenant, label=label, key_hash=hash_of(secret), actor_kind=actor_kind,
        spaces=names, user=user, agent=agent, read_only=read_only, created_at=now, expires_at=expires_at,
        revoked_at=None,
    )  # fmt: skip
    return NewKey(key=key, secret=secret)


def keep(change: Change, key: Key) -> None:
    """Keep a new key."""
    keys.insert(change.tx, key)
    change.note("key.created", tenant=key.tenant, target=key.id)


def create(host: Control, *, tenant: str = DEFAULT_TENANT, actor: Actor = LOCAL, label: str, **limits: Any) -> NewKey:
    """Make a key as `new` does and keep it; the tenant is made too when it is new."""
    made = new(host, tenant=tenant, label=label, **limits)
    host.store.ensure_tenant(tenant)
    with changing(host, actor) as change:
        keep(change, made.key)
    return made


def listing(host: Control, *, tenant: str | None = None) -> tuple[Key, ...]:
    """Return the keys of a tenant, or of all, oldest first, revoked and expired ones too."""
    with host.store.control_read() as db:
        return keys.listing(db, tenant=tenant)


def page(host: Control, tenant: str, *, limit: int, cursor: str | None) -> Page[Key]:
    """Return a page of a tenant's keys, oldest first, revoked and expired ones too."""
    with host.store.control_read() as db:
        return keys.page(db, tenant, limit=limit, cursor=cursor)


def get(host: Control, tenant: str, key_id: str) -> Key:
    """Return a key of a tenant.

    Raises:
        NotFound: the tenant has no key of that id.
    """
    with host.store.control_read() as db:
        return found(keys.get(db, tenant, key_id), key_id)


def revoke(host: Control, key_id: str, *, tenant: str | None = None, actor: Actor = LOCAL) -> Key:
    """End a key now; one that is revoked already keeps the time of the first revocation.

    Args:
        host: the control store.
        key_id: which.
        tenant: whose key it has to be; None: whoever's.
        actor: who asks.

    Raises:
        NotFound: no key has that id.
    """
    with changing(host, actor) as change:
        if tenant is not None:
            found(keys.get(change.tx, tenant, key_id), key_id)
        ended = found(keys.revoke(change.tx, key_id, at=change.at), key_id)
        change.note("key.revoked", tenant=ended.tenant, target=key_id)
    return ended


def any_valid(host: Control) -> bool:
    """Tell whether at least one key is valid now."""
    now = host.clock()
    return any(key.valid(now) for key in listing(host))


def new_secret() -> str:
    """Return a key that nobody has."""
    return PREFIX + secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """Return the hex sha256 of a secret: what is kept of it."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def found(key: Key | None, key_id: str) -> Key:
    """Return a key that has to be there.

    Raises:
        NotFound: it is not.
    """
    if key is None:
        raise NotFound(f"No key {key_id!r}; `memlane keys list` shows them.", field="id")
    return key


def require_to_come(expires_at: Micros | None, now: Micros) -> None:
    """Refuse an end in the past.

    Raises:
        InvalidInput: the key would have expired already.
    """
    if expires_at is not None and expires_at <= now:
        raise InvalidInput("The key would have expired already.", field="expires_at")
