"""Tenants: made, listed, renamed, taken out of use and put back."""

from __future__ import annotations

from memory.errors import NotFound, StateConflict
from memory.records import Actor, Page
from services.control import Change, Control, changing
from store import tenants
from store.tenants import Tenant as Tenant


def new(host: Control, tenant: str, name: str | None) -> Tenant:
    """Make a tenant's file; `keep` makes it a tenant.

    Args:
        host: the store.
        tenant: its id, which is also the name of its file.
        name: what a person calls it; None: as its id.

    Raises:
        InvalidInput: the id is not 1 to 63 of a-z, 0-9, "-" and "_", starting with a letter or digit.
        StoreError: the file cannot be made.
    """
    host.store.make_file(tenant)
    return Tenant(id=tenant, name=name or tenant, created_at=host.clock(), disabled_at=None)


def keep(change: Change, tenant: Tenant) -> None:
    """Keep a tenant of `new`.

    Raises:
        StateConflict: there is one of that id already.
    """
    if tenants.get(change.tx, tenant.id) is not None:
        raise StateConflict(f"There is a tenant {tenant.id!r} already.", field="id")
    tenants.insert(change.tx, tenant)
    change.note("tenant.created", tenant=tenant.id, target=tenant.id)


def get(host: Control, tenant: str) -> Tenant:
    """Return a tenant.

    Raises:
        NotFound: there is none of that id.
    """
    with host.store.control_read() as db:
        return found(tenants.get(db, tenant), tenant)


def listing(host: Control, *, within: frozenset[str] | None, limit: int, cursor: str | None) -> Page[Tenant]:
    """Return a page of tenants, oldest first; of `within` alone, or all."""
    with host.store.control_read() as db:
        return tenants.listing(db, within=within, limit=limit, cursor=cursor)


def edit(host: Control, actor: Actor, tenant: str, *, name: str | None = None, disabled: bool | None = None) -> Tenant:
    """Rename a tenant, take it out of use, or put it back.

    Keys and people of a tenant that is out of use are refused as unknown ones are. What was accepted goes on.

    Args:
        host: the store.
        actor: who asks.
        tenant: which.
        name: what a person calls it; None: as it was.
        disabled: whether it is out of use; None: as it was.

    Raises:
        NotFound: there is none of that id.
    """
    with changing(host, actor) as change:
        found(tenants.get(change.tx, tenant), tenant)
        if name is not None:
            tenants.rename(change.tx, tenant, name)
            change.note("tenant.renamed", tenant=tenant, target=tenant)
        if disabled is not None:
            tenants.set_disabled(change.tx, tenant, change.at if disabled else None)
            change.note("tenant.disabled" if disabled else "tenant.enabled", tenant=tenant, target=tenant)
        return found(tenants.get(change.tx, tenant), tenant)


def found(tenant: Tenant | None, named: str) -> Tenant:
    """Return a tenant that has to be there.

    Raises:
        NotFound: it is not.
    """
    if tenant is None:
        raise NotFound(f"No tenant {named!r}.", field="tenant")
    return tenant
