"""From the names on the wire to a Scope. This is the trust boundary between the callers of one tenant.

An absent tag is the space `default`, never all: a program that forgets the tag must not read or mix everybody's. Only a
look-up by id and the lists of jobs and spaces, whose rows name their space, go over every space the key may use.
"""

from __future__ import annotations

from collections.abc import Iterable

from api.context import caller, host
from api.schemas.scope import InScope
from memory.errors import Forbidden, OneSpace
from memory.records import Actor, Scope
from services import spaces
from services.keys import DEFAULT_TENANT

DEFAULT_SPACE = "default"


def to_read(fields: InScope) -> Scope:
    """Return the scope of a read: the spaces named, `default` when none is.

    Raises:
        Forbidden: the key may not use one of them, or is bound to another user or agent.
    """
    return _scope(fields, fields.spaces() or (DEFAULT_SPACE,))


def to_write(fields: InScope, *, preview: bool = False) -> Scope:
    """Return the scope of a write: the one space named, `default` when none is.

    Args:
        fields: of the request.
        preview: nothing will be written, so a key that may only read will do.

    Raises:
        OneSpace: several are named.
        Forbidden: the key may only read, may not use the space, or is bound to another user or agent.
    """
    if not preview:
        _require_writing()
    named = fields.spaces() or (DEFAULT_SPACE,)
    if len(named) != 1:
        raise OneSpace(field="containerTags")
    return _scope(fields, named)


def to_find(fields: InScope) -> Scope:
    """Return the scope of a look-up by id, or of a list whose rows name their space: every space the key may use.

    Raises:
        Forbidden: the key may not use a space that is named, or is bound to another user or agent.
    """
    return _scope(fields, fields.spaces() or _every_space())


def to_change(fields: InScope) -> Scope:
    """Return the scope of a change to something that is named by its id.

    Raises:
        Forbidden: the key may only read, or as in `to_find`.
    """
    _require_writing()
    return to_find(fields)


def is_every_space(fields: InScope) -> bool:
    """Tell whether a look-up by id goes over every space of the tenant, those that are put away too."""
    return caller().spaces is None and not fields.spaces()


def require_at_most_one_space(fields: InScope) -> None:
    """Refuse a request about one thing that names several spaces.

    Raises:
        OneSpace: it does.
    """
    if len(fields.spaces()) > 1:
        raise OneSpace(field="containerTags")


def to_delete(fields: InScope) -> Scope:
    """Return the scope of a deletion of whatever is in some spaces: those named, `default` when none is.

    Raises:
        Forbidden: the key may only read, or as in `to_read`.
    """
    _require_writing()
    return to_read(fields)


def to_steer() -> Actor:
    """Return in whose name the nodes are steered, which serve every space and every tenant.

    Raises:
        Forbidden: the key may only read, is limited to spaces, a user or an agent, or is of a tenant that does not run
            the machine.
    """
    _require_writing()
    require_unlimited("steer the nodes")
    if whose_work() is not None:
        raise Forbidden(f"The nodes serve every tenant; a key of the tenant {DEFAULT_TENANT!r} may steer them.")
    return caller().actor


def whose_work() -> str | None:
    """Return whose work on the shared queues and nodes a caller may see: None for that of everybody, "" for nobody's.

    The tenant `default` is that of whoever runs the machine.
    """
    who = caller()
    if is_limited():
        return ""
    runs_it = who.tenant == DEFAULT_TENANT and who.role in (None, "owner")
    return None if runs_it else who.tenant


def require_owner(what: str) -> None:
    """Refuse a member what goes over everybody's data, unless they own the tenant.

    Args:
        what: as in `require_unlimited`.

    Raises:
        Forbidden: who signed in is no owner.
    """
    if caller().role not in (None, "owner"):
        raise Forbidden(f"Only an owner of the tenant may {what}.")


def require_unlimited(what: str) -> None:
    """Refuse a limited key what goes over every space of the tenant.

    Args:
        what: verb and object of the message, such as "steer the nodes".

    Raises:
        Forbidden: the key is limited to spaces, a user or an agent.
    """
    if is_limited():
        raise Forbidden(f"A key that is limited to spaces, a user or an agent may not {what}.")


def is_limited() -> bool:
    """Tell whether the caller's key is limited to spaces, a user or an agent."""
    who = caller()
    return (who.spaces, who.user, who.agent) != (None, None, None)


def require_whole_space(what: str) -> None:
    """Refuse a key that is bound to a user or an agent what goes over everybody's data in a space.

    Args:
        what: as in `require_unlimited`.

    Raises:
        Forbidden: the key is bound to a user or an agent.
    """
    who = caller()
    if (who.user, who.agent) != (None, None):
        raise Forbidden(f"A key that is bound to a user or an agent may not {what}.")


def _scope(fields: InScope, names: Iterable[str]) -> Scope:
    who = caller()
    wanted = tuple(names)
    if who.spaces is not None and not set(wanted) <= set(who.spaces):
        raise Forbidden(
            "This key may not use that space.", field="containerTag", hint=f"It may use: {', '.join(who.spaces)}."
        )
    return Scope(
        tenant=who.tenant,
        spaces=wanted,
        user=_bound("userId", who.user, fields.user_id),
        agent=_bound("agentId", who.agent, fields.agent_id),
        session=fields.session_id,
    )


def _every_space() -> tuple[str, ...]:
    who = caller()
    return who.spaces or spaces.names(host(), who.tenant) or (DEFAULT_SPACE,)


def _bound(field: str, bound: str | None, named: str | None) -> str | None:
    if bound is not None and named not in (None, bound):
        raise Forbidden(f"This key is bound to another `{field}`.", field=field)
    return bound or named


def _require_writing() -> None:
    if caller().read_only:
        raise Forbidden("This key may only read.")
