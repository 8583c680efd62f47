"""API keys: made, resolved, listed, revoked. A secret is shown once; what is kept is its hash."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from memory.errors import InvalidInput, NotFound, Unauthenticated
from memory.ports import Clock, NewId
from memory.records import Actor, Micros
from memory.values import container_tag
from store import keys
from store.connection import Store
from store.keys import Key as Key

KeyActor = Literal["person", "agent", "service"]

PREFIX = "mlk_"
# 256 random bits cannot be guessed, so a plain sha256 is enough to keep; no slow hash is needed.
SECRET_BYTES = 32
LOCAL = Actor(kind="person", id="local")
DEFAULT_TENANT = "default"


class Control(Protocol):
    """What the use cases here need of a host."""

    @property
    def store(self) -> Store:
        """The store that holds control.db."""
        ...

    @property
    def clock(self) -> Clock:
        """Tells the time."""
        ...

    @property
    def new_id(self) -> NewId:
        """Makes ids."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who sends a request, and what the key behind it is limited to."""

    tenant: str
    actor: Actor
    spaces: tuple[str, ...] | None  # None: every space of the tenant
    read_only: bool
    user: str | None  # the key is bound to this user
    agent: str | None  # the key is bound to this agent


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key as it is answered once, to whoever made it."""

    key: Key
    secret: str  # mlk_...; never to be seen again


def resolve(host: Control, secret: str | None) -> Caller:
    """Return the caller behind a secret; without one, the person at this machine.

    Trust boundary: only a transport that has made sure that the request comes from this machine may pass None. Unknown,
    revoked and expired keys are told apart by nobody outside.

    Args:
        host: the control store and the clock.
        secret: as sent; None for a keyless caller on loopback.

    Returns:
        The caller.

    Raises:
        Unauthenticated: the secret is not that of a key that is valid now.
    """
    if secret is None:
        return Caller(tenant=DEFAULT_TENANT, actor=LOCAL, spaces=None, read_only=False, user=None, agent=None)
    with host.store.control_read() as db:
        found = keys.by_hash(db, hash_of(secret))
    # Compared by the whole hash in constant time: the look-up alone would tell how far a guess agrees.
    known = secrets.compare_digest(found.key_hash if found else "", hash_of(secret))
    if found is None or not known or not found.valid(host.clock()):
        raise Unauthenticated("This API key is not known, was revoked or has expired.")
    return Caller(
        tenant=found.tenant,
        actor=Actor(kind=found.actor_kind, id=found.id),
        spaces=found.spaces,
        read_only=found.read_only,
        user=found.user,
        agent=found.agent,
    )


def ensure_local(host: Control) -> None:
    """Make the tenant of the person at this machine, so that its first read finds it empty and not missing."""
    host.store.ensure_tenant(DEFAULT_TENANT)


def create(
    host: Control,
    *,
    tenant: str = DEFAULT_TENANT,
    label: str,
    actor_kind: KeyActor = "agent",
    spaces: Sequence[str] | None = None,
    read_only: bool = False,
    user: str | None = None,
    agent: str | None = None,
    expires_at: Micros | None = None,
) -> NewKey:
    """Make a key; the tenant is made too when it is new.

    Args:
        host: the control store, the clock and the ids.
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
    names = None if spaces is None else tuple(container_tag(name, field="spaces") for name in spaces)
    now = host.clock()
    if expires_at is not None and expires_at <= now:
        raise InvalidInput("The key would have expired already.", field="expires_at")
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    key = Key(
        id=host.new_id("key"), tenant=tenant, label=label, key_hash=hash_of(secret), actor_kind=actor_kind,
        spaces=names, user=user, agent=agent, read_only=read_only, created_at=now, expires_at=expires_at,
        revoked_at=None,
    )  # fmt: skip
    host.store.ensure_tenant(tenant)
    with host.store.control_write() as tx:
        keys.insert(tx, key)
    return NewKey(key=key, secret=secret)


def listing(host: Control, *, tenant: str | None = None) -> tuple[Key, ...]:
    """Return the keys of a tenant, or of all, oldest first, revoked and expired ones too."""
    with host.store.control_read() as db:
        return keys.listing(db, tenant=tenant)


def revoke(host: Control, key_id: str) -> Key:
    """End a key now; one that is revoked already keeps the time of the first revocation.

    Raises:
        NotFound: no key has that id.
    """
    with host.store.control_write() as tx:
        revoked = keys.revoke(tx, key_id, at=host.clock())
    if revoked is None:
        raise NotFound(f"No key {key_id!r}; `memlane keys list` shows them.", field="id")
    return revoked


def any_valid(host: Control) -> bool:
    """Tell whether at least one key is valid now."""
    now = host.clock()
    return any(key.valid(now) for key in listing(host))


def hash_of(secret: str) -> str:
    """Return the hex sha256 of a secret: what is kept of it."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlHost:
    """The control store alone, for a command that needs neither broker nor models."""

    store: Store
    clock: Clock
    new_id: NewId


@contextmanager
def opened(data_dir: Path, *, clock: Clock, new_id: NewId) -> Iterator[ControlHost]:
    """Open a data folder for the use cases here, and close it again."""
    store = Store(data_dir, clock=clock)
    try:
        yield ControlHost(store=store, clock=clock, new_id=new_id)
    finally:
        store.close()
