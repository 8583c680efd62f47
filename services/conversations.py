"""Conversations: append what is new of a transcript to the ledger and hand it to consolidation."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from memory.conversations import align
from memory.errors import Erased, StateConflict
from memory.records import Accepted, Actor, Idempotency, Message, Scope
from services import extracting, ingest, intake, ledger
from services.host import Host
from store import erasure, sessions, spaces
from store import ledger as ledger_rows
from store.connection import Writer

SALT_BYTES = 16
# Messages whose statements are extracted as one item: a long session in well under a second of rules.
MESSAGE_GROUP = 256


def append(
    scope: Scope,
    host: Host,
    actor: Actor,
    conversation_id: str,
    messages: Sequence[Message],
    *,
    metadata: Mapping[str, Any] | None = None,
    idempotency: Idempotency | None = None,
) -> Accepted:
    """Append the messages that are not stored yet and queue their consolidation, in one transaction.

    The request may be the whole transcript, a window of it or only what is new (see `memory.conversations.align`).
    Without an LLM consolidation costs no model call but embedding, so it starts at once.

    Raises:
        OneSpace: the scope does not name exactly one space.
        HistoryDiffers: an earlier message was edited.
        StateConflict: the conversation is somebody else's.
        Erased: it was erased; a client that sends its whole history again must not bring it back.
        IdempotencyMismatch: the key was used with another body.
        Busy: the store could not be written in time; nothing was kept.
    """
    tokens = [host.count_tokens(one.content) for one in messages]
    with host.store.write(scope.tenant) as tx:
        accepted = intake.once(
            scope, host, tx, idempotency,
            lambda: _append(scope, host, tx, conversation_id, messages, tokens, metadata),
        )  # fmt: skip
    return ledger.send_accepted(host, scope.tenant, accepted) if accepted.created else accepted


def _append(
    scope: Scope, host: Host, tx: Writer, conversation_id: str, messages: Sequence[Message], tokens: Sequence[int],
    metadata: Mapping[str, Any] | None,
) -> Accepted:  # fmt: skip
    at = host.clock()
    if erasure.erased_at(host.store, tx, scope.tenant, "conversation", scope.space, conversation_id) is not None:
        raise Erased("This conversation was erased; a new one needs another conversationId.", field="conversationId")
    space_id = spaces.ensure(scope, tx, at=at)
    session = sessions.ensure(
        scope, tx, session_id=host.new_id("ses"), space_id=space_id, conversation_id=conversation_id, at=at
    )
    if scope.user not in (None, session.user_id or scope.user) or scope.agent not in (
        None, session.agent_id or scope.agent,
    ):  # fmt: skip
        raise StateConflict("This conversation belongs to another user or agent of the space.", field="conversationId")
    if metadata is not None:
        sessions.describe(tx, session.id, metadata)
    stored = sessions.spoken(tx, session.id)
    seen = align(stored, [(one.role, one.name, one.content) for one in messages])
    if seen == len(messages):
        status = ledger_rows.get_job(tx, session.job_id).state if session.job_id else "done"
        return Accepted(id=session.id, status=status, job_id=session.job_id, created=False)
    fresh = [
        sessions.NewEpisode(
            id=host.new_id("ep"), message=one, tokens=count, salt=secrets.token_bytes(SALT_BYTES), kind=_kind(one)
        )
        for one, count in zip(messages[seen:], tokens[seen:], strict=True)
    ]
    sessions.append(tx, session.id, fresh, start=len(stored), at=at)
    return _consolidate(host, tx, session, end=len(stored) + len(fresh), at=at)


def _kind(message: Message) -> str:
    return "tool_result" if message.role == "tool" else "turn"


def _consolidate(host: Host, tx: Writer, session: sessions.Session, *, end: int, at: int) -> Accepted:
    """Queue the extraction of the episodes from the watermark on, in groups, and move the watermark.

    Where nothing is stated the rules find that out, so that no language model is asked.
    """
    job_id = host.new_id("job")
    ledger_rows.add_job(tx, id=job_id, space_id=session.space_id, kind="conversation", session_id=session.id, at=at)
    windows = _windows(host, tx, session)
    groups = windows or [
        {"session": session.id, "from": start, "to": min(start + MESSAGE_GROUP, end)}
        for start in range(session.watermark, end, MESSAGE_GROUP)
    ]
    ingest.add_groups(host, tx, job_id, groups, queue="background" if windows else "host")
    sessions.hand_over(tx, session.id, watermark=end, job_id=job_id, at=at)
    return Accepted(id=session.id, status="queued", job_id=job_id)


def _windows(host: Host, tx: Writer, session: sessions.Session) -> list[dict[str, Any]]:
    """Return the groups for a language model; none without one, and none when nobody states anything."""
    if not host.has_llm:
        return []
    said = [(role, content) for role, _, content in sessions.spoken(tx, session.id)[session.watermark :]]
    return extracting.conversation_groups(session.id, said, session.watermark)
