"""Consolidation: hands the new episodes of a session to extraction, which finds what they state.

Turns of people and assistants state facts. Tool calls, what tools returned, outcomes and errors stay episodes: they are
read with the session, and a language model is shown what stands between the turns, but no memory rests on them.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from memory.errors import StateConflict
from memory.records import FOREVER, Episode, Micros, Scope
from services import extracting, ingest, request_ids
from services.host import Host
from store import episodes, erasure, sessions, spaces
from store import ledger as ledger_rows
from store.connection import Writer
from store.episodes import NewEpisode
from store.sessions import Session

SALT_BYTES = 16
# Messages whose statements are extracted as one item: a long session in well under a second of rules.
MESSAGE_GROUP = 256


def new_salt() -> bytes:
    """Return the random bytes that make the hash of a text unguessable."""
    return secrets.token_bytes(SALT_BYTES)


def require_owner(scope: Scope, session: Session, *, field: str) -> None:
    """Refuse to append to a session that is bound to somebody else.

    Args:
        scope: who appends.
        session: to what.
        field: of the request, for the message.

    Raises:
        StateConflict: it belongs to another user or agent of the space.
    """
    pairs = ((scope.user, session.user_id), (scope.agent, session.agent_id))
    if any(named is not None and bound not in (None, named) for named, bound in pairs):
        raise StateConflict("This session belongs to another user or agent of the space.", field=field)


def is_erased(scope: Scope, host: Host, tx: Writer, name: str) -> bool:
    """Tell whether the session of that name was erased in the one space of a scope, whatever that was called then."""
    if not erasure.any_erased(tx, "conversation"):
        return False
    space_id = spaces.find(scope, tx).get(scope.space)
    names = {scope.space: FOREVER} if space_id is None else spaces.names_of(tx, space_id)
    return erasure.erased_within(host.store, tx, scope.tenant, "conversation", names, name) is not None


def append(
    host: Host, tx: Writer, session: Session, new: Sequence[NewEpisode], *, at: Micros
) -> tuple[int, str | None]:
    """Append episodes and queue their consolidation, in the caller's transaction.

    Args:
        host: the adapters.
        tx: the transaction.
        session: to which.
        new: in order, at least one.
        at: present time.

    Returns:
        The seq of the first one, and the job; None when there is nothing to extract from.
    """
    start = episodes.append(tx, session.id, new, at=at)
    end = start + len(new)
    job_id = _queue(host, tx, session, end, at=at)
    sessions.hand_over(tx, session.id, watermark=end, job_id=job_id, at=at)
    return start, job_id


def _queue(host: Host, tx: Writer, session: Session, end: int, *, at: Micros) -> str | None:
    """Queue the extraction of the episodes from the watermark on, in groups.

    Where nothing is stated the rules find that out, so that no language model is asked.
    """
    fresh = episodes.between(tx, session.id, start=session.watermark, end=end)
    if not any(one.kind == "turn" for one in fresh):
        return None
    job_id = host.new_id("job")
    ledger_rows.add_job(
        tx, id=job_id, space_id=session.space_id, kind="conversation", session_id=session.id,
        caused_by=request_ids.current(), at=at,
    )  # fmt: skip
    _add_groups(host, tx, session.id, job_id, fresh)
    return job_id


def again(host: Host, tx: Writer, session_id: str, job_id: str) -> None:
    """Queue the extraction of every episode of a session, for a job that was cut off; what is known is recognised."""
    _add_groups(host, tx, session_id, job_id, episodes.between(tx, session_id))


def _add_groups(host: Host, tx: Writer, session_id: str, job_id: str, said: Sequence[Episode]) -> None:
    if not said:
        return
    first, end = said[0].index, said[-1].index + 1
    told = [(one.role if one.kind == "turn" else "tool", one.content) for one in said]
    windows = extracting.conversation_groups(session_id, told, first) if host.has_llm else []
    groups: list[dict[str, Any]] = windows or [
        {"session": session_id, "from": start, "to": min(start + MESSAGE_GROUP, end)}
        for start in range(first, end, MESSAGE_GROUP)
    ]
    ingest.add_groups(host, tx, job_id, groups, queue="background" if windows else "host")
