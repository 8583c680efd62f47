"""Conversations: appended to message by message."""

from __future__ import annotations

from flask import Blueprint

from api import scope
from api.answers import conversations as answers
from api.body import body
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.conversations import AppendMessages
from api.waits import settled
from services import conversations

routes = Blueprint("conversations", __name__)


@routes.post("/v4/conversations")
@operation(
    body=AppendMessages,
    answers={200: answers.Appended, 202: answers.Appended},
    idempotent=True,
    example={"conversationId": "c-1", "messages": [{"role": "user", "name": "Ana", "content": "I moved to Oslo."}]},
)
def append_messages() -> Reply:
    """Append messages to a conversation; what is stored already is not stored again.

    Sending the whole conversation again appends only what is new; an earlier message that was edited is 409
    `history_differs`. `content` of a message is text or a list of `{"type": "text", "text"}`, and may be absent beside
    `tool_calls`.
    """
    sent, key = body(AppendMessages), idempotency("POST /v4/conversations")
    whose = scope.to_write(sent)
    with limits().writing():
        accepted = conversations.append(
            whose, host(), actor(), sent.conversation_id, sent.records(), metadata=sent.metadata, idempotency=key
        )
    return settled(whose, accepted, wait=sent.wait, conversationId=sent.conversation_id)
