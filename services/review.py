"""The review list: what waits for a person, and deciding it."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from memory.errors import InvalidInput
from memory.records import Actor, Page, Paging, Resolution, Review, ReviewKind, Scope
from memory.vectors import encode_vectors
from services import asking, guarding, owed
from services.host import Host
from services.persons import require_person
from store import reviews
from store.connection import Reader
from store.hydration import load_memories


def listing(
    scope: Scope,
    host: Host,
    *,
    kind: ReviewKind | None = None,
    state: str | None = "open",
    **paging: Unpack[Paging],
) -> Page[Review]:
    """Return one page of the review list, newest first, with the memories it is about.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    with host.store.read(scope.tenant) as db:
        found = reviews.listing(scope, db, kind=kind, state=state, **paging)
        return replace(found, rows=_with_memories(db, found.rows))


def get(scope: Scope, host: Host, review_id: str) -> Review:
    """Return one entry of the review list.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    with host.store.read(scope.tenant) as db:
        return _with_memories(db, (reviews.find(scope, db, review_id),))[0]


def _with_memories(db: Reader, found: tuple[Review, ...]) -> tuple[Review, ...]:
    loaded = load_memories(db, [one.memory_id for one in found if one.memory_id is not None])
    return tuple(replace(one, memory=loaded.get(str(one.memory_id))) for one in found)


def resolve(
    scope: Scope,
    host: Host,
    actor: Actor,
    review_id: str,
    resolution: Resolution,
    *,
    text: str | None = None,
    reason: str | None = None,
) -> Review:
    """Decide what waits.

    Args:
        scope: whose.
        host: the truth plane's adapters.
        actor: a person.
        review_id: which entry.
        resolution: `keep_incumbent` leaves what is known and refuses the candidate; `take_candidate` makes the
            candidate current in its place; `keep_both` adds it beside; `edit` makes `text` current in place of both.
        text: of an edit.
        reason: kept with the resolution and with what it retires.

    Returns:
        The entry, resolved.

    Raises:
        PersonOnly: it is not a person who decides.
        InvalidInput: an edit without a text, or a text without an edit.
        NotFound: there is no such entry.
        StateConflict: it is resolved already.
        SecretRefused: the text holds a secret, and the setting `secrets` refuses them.
        ModelUnavailable: no node can embed the new text; nothing changed.
    """
    require_person(actor)
    if (resolution == "edit") != (text is not None):
        raise InvalidInput("A `text` belongs to the resolution `edit`, and only to it.", field="text")
    if text is not None:
        text = guarding.text(host, text, field="text")
    found = get(scope, host, review_id)
    whose = replace(scope, spaces=(found.space,))
    payload = asking.payload_of(
        whose, id=review_id, resolution=resolution, text=text, reason=reason, made_by=owed.configured(host),
        vector=encode_vectors(host.models.embed([text]).vectors) if text is not None else None,
    )  # fmt: skip
    asking.ask(whose, host, actor, "resolve", payload)
    return get(scope, host, review_id)
