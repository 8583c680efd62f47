"""Where `memlane keys` works: on a data folder of this machine, or on a server that is asked over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import click

from memlane.administration import Administration
from memlane.errors import MemlaneError as ClientError
from memory.errors import MemlaneError, NotFound, StateConflict
from memory.settings import Settings
from memory.temporal import to_iso
from services import admin, admin_views, administering, control, key_changes, keys
from services.admin import AT_THIS_MACHINE
from services.clock import system_clock
from services.control import ControlHost, Json
from services.identifiers import TimeSortedIds


class Failed(click.ClickException):
    """What was asked for was not done; the exit code is that of every command for the same reason."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]


class Keys(Protocol):
    """What is done with keys."""

    def create(self, tenant: str, label: str, *, days: int | None, **limits: Any) -> Json:
        """Make a key; the answer has its secret."""
        ...

    def listing(self, tenant: str | None) -> Sequence[Json]:
        """Return the keys of a tenant, or of all of them."""
        ...

    def rotate(self, tenant: str, key_id: str, *, overlap_seconds: int) -> Json:
        """Make a key in the place of another; the answer has its secret."""
        ...

    def expire(self, tenant: str, key_id: str, *, seconds: int) -> Json:
        """Let a key end after so many seconds."""
        ...

    def revoke(self, tenant: str, key_id: str) -> Json:
        """End a key now."""
        ...


class LocalKeys:
    """The keys of a data folder; whoever may write its files may do all of this."""

    def __init__(self, host: ControlHost) -> None:
        self._host = host

    def create(self, tenant: str, label: str, *, days: int | None, **limits: Any) -> Json:
        """Make a key of a tenant that there is; the default one is made, as by the first start.

        Raises:
            NotFound: there is no such tenant.
        """
        if tenant != keys.DEFAULT_TENANT and tenant not in self._host.store.tenants():
            raise NotFound(f"No tenant {tenant!r}.", field="tenant")
        ends = self._host.clock() + days * 86_400_000_000 if days is not None else None
        actor = limits.pop("actor")
        made = keys.create(self._host, tenant=tenant, label=label, actor_kind=actor, expires_at=ends, **limits)
        return {**admin_views.key(made.key, self._host.clock()), "secret": made.secret}

    def listing(self, tenant: str | None) -> Sequence[Json]:
        """Return the keys of a tenant, or of all of them."""
        now = self._host.clock()
        return [admin_views.key(one, now) for one in keys.listing(self._host, tenant=tenant)]

    def rotate(self, tenant: str, key_id: str, *, overlap_seconds: int) -> Json:
        """Make a key in the place of another."""
        return administering.rotate_key(self._host, AT_THIS_MACHINE, tenant, key_id, overlap_seconds=overlap_seconds)

    def expire(self, tenant: str, key_id: str, *, seconds: int) -> Json:
        """Let a key end after so many seconds."""
        now = self._host.clock()
        ends = now + seconds * 1_000_000
        return admin_views.key(
            key_changes.edit(self._host, AT_THIS_MACHINE.actor, tenant, key_id, expires_at=ends), now
        )

    def revoke(self, tenant: str, key_id: str) -> Json:
        """End a key now, of whichever tenant it is."""
        return admin_views.key(keys.revoke(self._host, key_id), self._host.clock())


class RemoteKeys:
    """The keys of a server, with its admin key."""

    def __init__(self, client: Administration) -> None:
        self._client = client

    def create(self, tenant: str, label: str, *, days: int | None, **limits: Any) -> Json:
        """Make a key of a tenant that there is."""
        ends = to_iso(system_clock() + days * 86_400_000_000, None) if days is not None else None
        spaces = list(limits.pop("spaces") or ()) or None
        return self._client.create_key(tenant, label, spaces=spaces, expires_at=ends, **limits)

    def listing(self, tenant: str | None) -> Sequence[Json]:
        """Return the keys of a tenant, or of all of them."""
        named = [tenant] if tenant is not None else [one["id"] for one in self._client.tenants()]
        return [key for one in named for key in self._client.keys(one)]

    def rotate(self, tenant: str, key_id: str, *, overlap_seconds: int) -> Json:
        """Make a key in the place of another."""
        return self._client.rotate_key(tenant, key_id, overlap_seconds=overlap_seconds)

    def expire(self, tenant: str, key_id: str, *, seconds: int) -> Json:
        """Let a key end after so many seconds."""
        return self._client.expire_key(tenant, key_id, seconds=seconds)

    def revoke(self, tenant: str, key_id: str) -> Json:
        """End a key now."""
        return self._client.revoke_key(tenant, key_id)


@contextmanager
def opened(settings: Settings, url: str | None, *, makes_store: bool = False) -> Iterator[Keys]:
    """Open the keys of a server, or of the data folder when no URL is given; refusals become exit codes.

    Args:
        settings: the data folder and the admin key.
        url: a server to ask; None: the folder.
        makes_store: whether a folder without a store gets one, for a key that is needed before the first start.
    """
    with _refusals():
        if url is not None:
            with Administration(url, settings.admin_key or None) as client:
                yield RemoteKeys(client)
        else:
            _require_store(Path(settings.data_dir), makes_store)
            with _folder(settings) as host:
                yield LocalKeys(host)


def new_admin_key(settings: Settings) -> str:
    """Make another admin key of the data folder and end every one before; returns its secret."""
    with _refusals(), _folder(settings) as host:
        return admin.renew(host)


def _require_store(folder: Path, makes_store: bool) -> None:
    if (folder / "control.db").exists():
        return
    if not makes_store:
        raise NotFound(f"There is no store in {folder.absolute()}; name the folder with --data-dir.")
    click.echo(f"A store is made in {folder.absolute()}.", err=True)


@contextmanager
def _folder(settings: Settings) -> Iterator[ControlHost]:
    with control.opened(Path(settings.data_dir), clock=system_clock, new_id=TimeSortedIds(system_clock)) as host:
        yield host


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise Failed(error.message, error.exit_code) from error
    except MemlaneError as error:
        raise Failed(error.message, 4 if isinstance(error, (NotFound, StateConflict)) else 1) from error
