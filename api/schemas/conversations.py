"""Conversations: messages as chat programs keep them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.fields import Fields
from api.schemas.scope import CamelInScope
from api.schemas.values import CustomId, Label, Metadata, Moment, Words
from memory.records import Message

# A conversation of weeks in one request; more are sent in turns, sending appends.
MOST_MESSAGES = 10_000
ROLES = Literal["user", "assistant", "system", "tool", "developer", "function"]
# Newer and older names of the same roles.
SYNONYMS = {"developer": "system", "function": "tool"}


# More than a model calls between two words.
MOST_CALLS = 1_000


class ToolFunction(Fields):
    """Which tool was called, and with what."""

    name: Label
    arguments: Words = ""


class ToolCall(Fields):
    """A call of a tool, as chat programs write it."""

    id: Label | None = None
    type: Literal["function"] = "function"
    function: ToolFunction


def _joined(content: Any) -> Any:
    """Join the text parts of a content list; any other value goes on to be checked as text."""
    if not isinstance(content, list):
        return content
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise PydanticCustomError("part", "must be text or a list of text parts; other parts are not kept")
    return "\n".join(part["text"] for part in content)


class Said(Fields):
    """One message."""

    role: ROLES
    content: Annotated[Words, BeforeValidator(_joined)] = ""
    name: Label | None = None
    timestamp: Moment | None = None
    id: Label | None = None
    tool_calls: list[ToolCall] | None = Field(default=None, max_length=MOST_CALLS)
    tool_call_id: Label | None = None
    metadata: Metadata = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_something(self) -> Said:
        if not self.content.strip() and not self.tool_calls:
            raise PydanticCustomError("empty", "must not be empty", {"field": "content"})
        return self

    def record(self) -> Message:
        """Return the message as services take it; what has no place of its own is kept in its metadata."""
        at, zone = self.timestamp or (None, None)
        calls = [call.model_dump(exclude_none=True) for call in self.tool_calls or ()] or None
        kept = {"id": self.id, "tool_call_id": self.tool_call_id, "tool_calls": calls}
        return Message(
            role=SYNONYMS.get(self.role, self.role),
            content=self.content,
            name=self.name,
            said_at=at,
            said_zone=zone,
            metadata={**self.metadata, **{name: value for name, value in kept.items() if value is not None}},
        )


class AppendMessages(CamelInScope):
    """`POST /v4/conversations`."""

    conversation_id: CustomId
    messages: list[Said] = Field(min_length=1, max_length=MOST_MESSAGES)
    metadata: Metadata | None = None
    wait: bool = False
    # Of Supermemory's wire, without effect here.
    entity_context: str | None = Field(default=None, max_length=1500)

    def records(self) -> list[Message]:
        """Return the messages as services take them."""
        return [message.record() for message in self.messages]
