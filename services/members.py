"""The people of a tenant: who they are to their issuer, and what their role lets them do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory.email import ascii_lower, is_email
from memory.errors import Forbidden, InvalidInput, NotFound, StateConflict
from memory.records import Actor, Page
from services.admin import Administrator
from services.control import Change, Control, changing
from services.identity import MOST_SUBJECT, Identity, is_subject
from services.keys import Caller
from store import members, tenants
from store.members import Member as Member
from store.members import Role as Role

if TYPE_CHECKING:
    from services.oidc import Issuer

# Of a request; names the tenant of a person who is a member of several.
TENANT_HEADER = "X-Memlane-Tenant"


def new(
    host: Control, issuer: str, tenant: str, *, role: Role, subject: str | None = None, email: str | None = None
) -> Member:  # fmt: skip
    """Make a member that is not kept yet.

    Args:
        host: the clock and the ids.
        issuer: that signs people in here, as its tokens name it; empty: none does.
        tenant: whose member.
        role: an owner administers the tenant's keys and members, an editor reads and writes, a reader reads.
        subject: the issuer's name of the person.
        email: an address that the issuer has to have verified; the first who signs in with it is meant.

    Raises:
        InvalidInput: neither or both of subject and e-mail, or what is neither.
        StateConflict: nobody can sign in here, because no issuer is configured.
    """
    if not issuer:
        raise StateConflict("No issuer signs people in here; set MEMLANE_OIDC_ISSUER and MEMLANE_OIDC_AUDIENCE first.")
    if (subject is None) == (email is None):
        raise InvalidInput("Name a person by `subject` or by `email`.", field="subject")
    if email is not None and not is_email(email):
        raise InvalidInput("`email` must be an address in ASCII, such as ada@example.org.", field="email")
    if subject is not None and not is_subject(subject):
        raise InvalidInput(f"`subject` must be 1 to {MOST_SUBJECT} printable characters.", field="subject")
    return Member(
        id=host.new_id("mbr"), tenant=tenant, issuer=issuer, subject=subject,
        email=ascii_lower(email) if email is not None else None, role=role, created_at=host.clock(), last_used_at=None,
    )  # fmt: skip


def keep(change: Change, member: Member) -> None:
    """Keep a member of `new`.

    Raises:
        NotFound: there is no such tenant.
        StateConflict: the person is a member already.
    """
    if tenants.get(change.tx, member.tenant) is None:
        raise NotFound(f"No tenant {member.tenant!r}.", field="tenant")
    known = members.same(change.tx, member.tenant, issuer=member.issuer, subject=member.subject, email=member.email)
    if known is not None:
        raise StateConflict("This person is a member already; change their role.", field="subject", id=known.id)
    members.insert(change.tx, member)
    change.note("member.added", tenant=member.tenant, target=member.id)


def listing(host: Control, tenant: str, *, limit: int, cursor: str | None) -> Page[Member]:
    """Return a page of a tenant's members, oldest first."""
    with host.store.control_read() as db:
        return members.listing(db, tenant, limit=limit, cursor=cursor)


def edit(host: Control, actor: Actor, tenant: str, member_id: str, *, role: Role) -> Member:
    """Give a member another role, from the next request on.

    Raises:
        NotFound: the tenant has no member of that id.
    """
    with changing(host, actor) as change:
        _found(members.get(change.tx, tenant, member_id), member_id)
        members.set_role(change.tx, member_id, role)
        change.note("member.changed", tenant=tenant, target=member_id)
        return _found(members.get(change.tx, tenant, member_id), member_id)


def remove(host: Control, actor: Actor, tenant: str, member_id: str) -> None:
    """Let a person be no member any more, from the next request on; what they did stays.

    Raises:
        NotFound: the tenant has no member of that id.
    """
    with changing(host, actor) as change:
        _found(members.get(change.tx, tenant, member_id), member_id)
        members.remove(change.tx, member_id)
        change.note("member.removed", tenant=tenant, target=member_id)


def caller(host: Control, who: Identity, wanted: str | None) -> Caller:
    """Return a person as the caller of a tenant.

    Trust boundary: which tenant a person may use is decided by the memberships alone. A tenant there is not, one that
    is not in use and one that is not theirs are told apart by nobody.

    Args:
        host: the control store.
        who: as the issuer vouches for them.
        wanted: the tenant they name; None: the only one they have.

    Returns:
        The caller: a person, named by the id of the membership.

    Raises:
        Forbidden: they are no member of it, or of none.
        InvalidInput: they are a member of several and name none.
    """
    mine = _memberships(host, who)
    if not mine:
        raise Forbidden("You are not a member of any tenant here; ask an administrator.")
    if wanted is None and len(mine) > 1:
        hint = f"You are a member of: {', '.join(sorted(one.tenant for one in mine))}."
        raise InvalidInput(f"Name the tenant in the header `{TENANT_HEADER}`.", field=TENANT_HEADER, hint=hint)
    chosen = next((one for one in mine if wanted in (None, one.tenant)), None)
    if chosen is None or not _settled(host, chosen, who):
        raise Forbidden("You are not a member of that tenant.", field=TENANT_HEADER)
    return Caller(
        tenant=chosen.tenant, actor=Actor(kind="person", id=chosen.id), spaces=None,
        read_only=chosen.role == "reader", user=None, agent=None, role=chosen.role,
    )  # fmt: skip


def administrator(host: Control, issuer: Issuer, who: Identity) -> Administrator:
    """Return a person as one who administers: everything, or the tenants they own.

    Raises:
        Forbidden: neither.
    """
    if issuer.is_admin(who):
        return Administrator(actor=Actor(kind="person", id=who.subject), tenants=None)
    owned = [one for one in _memberships(host, who) if one.role == "owner" and _settled(host, one, who)]
    if not owned:
        raise Forbidden("You may not administer anything here.")
    return Administrator(actor=Actor(kind="person", id=owned[0].id), tenants=frozenset(one.tenant for one in owned))


def _memberships(host: Control, who: Identity) -> Sequence[Member]:
    """Return what a person is, once for each tenant; named by the subject wins over named by an address."""
    with host.store.control_read() as db:
        found = members.of_person(db, issuer=who.issuer, subject=who.subject, email=who.email)
    return list({one.tenant: one for one in sorted(found, key=lambda one: one.subject is not None)}.values())


def _settled(host: Control, member: Member, who: Identity) -> bool:
    """Bind who was named by an address to the subject of the first sign-in; False when another came first."""
    if member.subject is not None:
        return member.subject == who.subject
    with host.store.control_write() as tx:
        return members.bind(tx, member.id, who.subject)


def _found(member: Member | None, member_id: str) -> Member:
    if member is None:
        raise NotFound(f"No member {member_id!r}.", field="id")
    return member
