"""Changes of API keys: one is rotated into another, is called something else, or ends at another time."""

from __future__ import annotations

from dataclasses import replace

from memory.errors import StateConflict
from memory.records import Actor, Micros
from services import keys
from services.control import Change, Control, changing
from services.keys import Key, NewKey
from store import keys as stored

# Long enough to bring a new key to every place that has the old one; a key that lives on for longer was not replaced.
LONGEST_OVERLAP_SECONDS = 7 * 24 * 3600


def successor_of(host: Control, old: Key) -> NewKey:
    """Make a key with the limits, label and end of another, that is not kept yet."""
    secret = keys.new_secret()
    made = replace(
        old, id=host.new_id("key"), key_hash=keys.hash_of(secret), created_at=host.clock(), last_used_at=None,
        replaces=old.id,
    )  # fmt: skip
    return NewKey(key=made, secret=secret)


def rotate(change: Change, made: Key, *, overlap_seconds: int = 0) -> None:
    """Keep a key of `successor_of` in the place of the one it replaces, which ends.

    Args:
        change: of the control plane.
        made: the new key.
        overlap_seconds: how long the old key still opens something; never beyond its own end.

    Raises:
        StateConflict: the old key is not valid any more, or was rotated before.
    """
    old = keys.found(stored.get(change.tx, made.tenant, str(made.replaces)), str(made.replaces))
    # A revoked key may have lost what bound it (an erased user), so nothing may follow it.
    if not old.valid(change.at):
        raise StateConflict("This key has ended and cannot be rotated; make a new one.", field="id")
    after = stored.successor(change.tx, old.id)
    if after is not None:
        raise StateConflict("This key was rotated before; rotate the one that follows it.", field="id", follows=after)
    stored.insert(change.tx, made)
    ends = change.at + overlap_seconds * 1_000_000
    if overlap_seconds:
        stored.set_end(change.tx, old.id, ends if old.expires_at is None else min(ends, old.expires_at))
    else:
        stored.revoke(change.tx, old.id, at=change.at)
    change.note("key.rotated", tenant=old.tenant, target=old.id)
    change.note("key.created", tenant=old.tenant, target=made.id)


def edit(
    host: Control, actor: Actor, tenant: str, key_id: str, *, label: str | None = None, **end: Micros | None
) -> Key:
    """Change what a key is for, or when it ends.

    Args:
        host: the control store.
        actor: who asks.
        tenant: whose key.
        key_id: which.
        label: what it is for; None: as it was.
        **end: `expires_at`, microseconds or None for never; left out: as it was.

    Raises:
        NotFound: the tenant has no key of that id.
        InvalidInput: an end in the past.
        StateConflict: the key has ended, or was rotated and ends for that reason.
    """
    with changing(host, actor) as change:
        found = keys.found(stored.get(change.tx, tenant, key_id), key_id)
        if label is not None:
            stored.set_label(change.tx, key_id, label)
        if "expires_at" in end:
            _require_open_end(change, found)
            keys.require_to_come(end["expires_at"], change.at)
            stored.set_end(change.tx, key_id, end["expires_at"])
        change.note("key.changed", tenant=tenant, target=key_id)
        return keys.found(stored.get(change.tx, tenant, key_id), key_id)


def _require_open_end(change: Change, key: Key) -> None:
    # Else the end of a key that was replaced, or has ended, could be put off and bring it back.
    if not key.valid(change.at) or stored.successor(change.tx, key.id) is not None:
        raise StateConflict("This key has ended or was rotated; its end cannot be changed.", field="expires_at")
