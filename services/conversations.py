"""Conversations: append what is new of a transcript to the ledger and hand it to consolidation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.conversations import align
from memory.errors import Erased
from memory.records import Accepted, Actor, Idempotency, Message, Scope
from services import consolidating, intake, ledger, token_counts
from services.host import Host
from store import episodes, sessions, spaces
from store import ledger as ledger_rows
from store.connection import Writer
from store.episodes import NewEpisode


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
    tokens = token_counts.of_each(host.count_tokens, [one.content for one in messages])
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
    if consolidating.is_erased(scope, host, tx, conversation_id):
        raise Erased("This conversation was erased; a new one needs another conversationId.", field="conversationId")
    space_id = spaces.ensure(scope, tx, at=at)
    session = sessions.ensure(
        scope, tx, session_id=host.new_id("ses"), space_id=space_id, conversation_id=conversation_id, at=at
    )
    consolidating.require_owner(scope, session, field="conversationId")
    if metadata is not None:
        sessions.describe(tx, session.id, metadata)
    stored = [(one.role, one.name, one.content) for one in episodes.messages(tx, session.id)]
    seen = align(stored, [(one.role, one.name, one.content) for one in messages])
    if seen == len(messages):
        status = ledger_rows.get_job(tx, session.job_id).state if session.job_id else "done"
        return Accepted(id=session.id, status=status, job_id=session.job_id, created=False)
    fresh = [
        NewEpisode(id=host.new_id("ep"), message=one, tokens=count, salt=consolidating.new_salt(), kind=_kind(one))
        for one, count in zip(messages[seen:], tokens[seen:], strict=True)
    ]
    _, job_id = consolidating.append(host, tx, session, fresh, at=at)
    return Accepted(id=session.id, status="queued" if job_id else "done", job_id=job_id)


def _kind(message: Message) -> str:
    return "tool_result" if message.role == "tool" else "turn"
