"""The control plane's own store: what its use cases need of a host, and what surrounds each of its changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memory.ports import Clock, NewId
from memory.records import Actor, Idempotency, Micros, Scope
from store import admin, idempotency
from store.connection import Store, Writer

Json = dict[str, Any]
# Of the answer to a repeated request that made a secret.
SHOWN_ONCE = "The secret was answered once, to the first of these requests; rotate the key if that answer was lost."


class Control(Protocol):
    """What the use cases of the control plane need of a host."""

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
class ControlHost:
    """The control store alone, for a command that needs neither broker nor models."""

    store: Store
    clock: Clock
    new_id: NewId


@contextmanager
def opened(data_dir: Path, *, clock: Clock, new_id: NewId) -> Iterator[ControlHost]:
    """Open a data folder for the use cases of the control plane, and close it again."""
    store = Store(data_dir, clock=clock)
    try:
        yield ControlHost(store=store, clock=clock, new_id=new_id)
    finally:
        store.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the control plane under way: its transaction, its time, and in whose name."""

    tx: Writer
    at: Micros
    actor: Actor

    def note(self, action: str, *, tenant: str | None, target: str) -> None:
        """Keep that this was done."""
        admin.note(self.tx, at=self.at, actor=self.actor, action=action, tenant=tenant, target=target)


@contextmanager
def changing(host: Control, actor: Actor) -> Iterator[Change]:
    """Run a block in one transaction of control.db."""
    with host.store.control_write() as tx:
        yield Change(tx=tx, at=host.clock(), actor=actor)


def once(
    host: Control,
    actor: Actor,
    repeat: Idempotency | None,
    make: Callable[[Change], Json],
    *,
    secret: str | None = None,
) -> Json:
    """Make something, or return what the same request made before.

    Args:
        host: the control store.
        actor: who asks; another one with the same Idempotency-Key counts as another body.
        repeat: the request's Idempotency-Key; None: it is new in any case.
        make: makes it in the transaction and returns its JSON.
        secret: is answered as `secret` when it was made now, and kept nowhere.

    Returns:
        The JSON; a repeated answer has null in place of its secret and says so in `warning`.

    Raises:
        IdempotencyMismatch: the key was used with another body, or by another.
    """
    scope = Scope(tenant="", spaces=(), agent=f"{actor.kind} {actor.id}")
    with changing(host, actor) as change:
        before = idempotency.lookup(scope, change.tx, repeat) if repeat is not None else None
        if before is not None:
            return {**before[1], **({"secret": None, "warning": SHOWN_ONCE} if secret is not None else {})}
        made = make(change)
        if repeat is not None:
            idempotency.prune(change.tx, now=change.at)
            idempotency.remember(scope, change.tx, repeat, status=201, response=made, at=change.at)
    return {**made, **({"secret": secret} if secret is not None else {})}
