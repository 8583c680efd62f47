"""Conversations."""

from __future__ import annotations

from flask import Blueprint

from api import scope
from api.body import body
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.reply import Reply
from api.schemas.conversations import AppendMessages
from api.waits import settled
from services import conversations

routes = Blueprint("conversations", __name__)


@routes.post("/v4/conversations")
def append_messages() -> Reply:
    """Append messages to a conversation; what is stored already is not stored again."""
    sent, key = body(AppendMessages), idempotency("POST /v4/conversations")
    whose = scope.to_write(sent)
    with limits().writing():
        accepted = conversations.append(
            whose, host(), actor(), sent.conversation_id, sent.records(), metadata=sent.metadata, idempotency=key
        )
    return settled(whose, accepted, wait=sent.wait, conversationId=sent.conversation_id)
