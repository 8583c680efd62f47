"""The ledger: events of any kind, and the sessions they belong to."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.clocks import AtClocks
from api.schemas.fields import Fields
from api.schemas.paging import Paged
from api.schemas.scope import InScope
from api.schemas.values import CustomId, Label, Line, Metadata, Moment, Words
from memory.records import Message
from services.episodes import is_session_id

# As many as a conversation takes in one request; more are sent in turns.
MOST_EPISODES = 10_000
KINDS = Literal["turn", "tool_call", "tool_result", "outcome", "error"]
ROLES = Literal["user", "assistant", "system", "tool", "developer", "function"]
# Newer and older names of the same roles.
SYNONYMS = {"developer": "system", "function": "tool"}
# Who an event comes from when nothing is said. A turn without its speaker states nothing that could be attributed.
USUAL_ROLES = {"tool_call": "assistant", "tool_result": "tool", "outcome": "system", "error": "system"}


class EpisodeFields(Fields):
    """What one event consists of."""

    kind: KINDS = Field(
        default="turn", description="What happened: somebody spoke, a tool was called or answered, how it ended."
    )
    role: ROLES | None = Field(default=None, description="Who it comes from; needed for a turn.")
    name: Label | None = Field(default=None, description="Of the speaker or the tool.")
    content: Words | None = Field(default=None, description="The words; only a tool may have answered nothing.")
    occurred_at: Moment | None = Field(
        default=None,
        description="When it happened; what relative dates in the words refer to. `timestamp` says it too.",
    )
    timestamp: Moment | None = Field(default=None, description="The same as `occurred_at`.")
    metadata: Metadata = Field(default_factory=dict, description="Of this event; given back unchanged.")

    def check(self) -> None:
        """Refuse what cannot be an event."""
        if self.kind == "turn" and self.role is None:
            raise PydanticCustomError("missing", "is missing", {"field": "role"})
        if not (self.content or "").strip() and self.kind != "tool_result":
            raise PydanticCustomError("empty", "must not be empty", {"field": "content"})
        if self.occurred_at is not None and self.timestamp is not None:
            raise PydanticCustomError("doubled", "and `occurred_at` exclude each other", {"field": "timestamp"})

    def record(self) -> Message:
        """Return the event as services take it."""
        at, zone = self.occurred_at or self.timestamp or (None, None)
        role = self.role or USUAL_ROLES[self.kind]
        return Message(
            role=SYNONYMS.get(role, role), content=self.content or "", name=self.name, said_at=at, said_zone=zone,
            metadata=self.metadata, kind=self.kind,
        )  # fmt: skip


class NewEpisode(EpisodeFields):
    """One event of several."""

    @model_validator(mode="after")
    def _whole(self) -> NewEpisode:
        self.check()
        return self


class AppendEpisodes(InScope, EpisodeFields):
    """`POST /v1/episodes`: one event, or several as `episodes`."""

    session_id: CustomId | None = Field(
        default=None, description="Id of a session, or the caller's name for one; left out: a new session."
    )
    session_metadata: Metadata | None = Field(default=None, description="Of the session, in the place of what it has.")
    episodes: list[NewEpisode] | None = Field(
        default=None, min_length=1, max_length=MOST_EPISODES, description="Several events, in their order."
    )
    wait: bool = False

    @model_validator(mode="after")
    def _one_or_several(self) -> AppendEpisodes:
        if self.episodes is None:
            self.check()
            return self
        doubled = self.model_fields_set & set(EpisodeFields.model_fields)
        if doubled:
            field = min(doubled)
            raise PydanticCustomError("doubled", "and `episodes` exclude each other", {"field": field})
        return self

    def records(self) -> list[Message]:
        """Return the events as services take them."""
        return [self.record()] if self.episodes is None else [one.record() for one in self.episodes]

    def names_its_space(self) -> bool:
        """Tell whether the session's id says which space it is in, and no tag does."""
        return is_session_id(self.session_id) and not self.spaces()


class ListSessions(InScope, Paged):
    """`GET /v1/sessions`."""

    sort: Literal["created_at", "updated_at"] = "updated_at"
    order: Literal["asc", "desc"] = "desc"

    def selection(self) -> dict[str, Any]:
        """Return the arguments of the listing."""
        sort = {"created_at": "createdAt", "updated_at": "updatedAt"}[self.sort]
        return {**self.paging(), "sort": sort, "order": self.order}


class FindSession(InScope):
    """`GET /v1/sessions/{id}` and `GET /v1/episodes/{id}`."""


class ListEpisodes(InScope, AtClocks, Paged):
    """`GET /v1/sessions/{id}/episodes`."""

    kind: KINDS | None = Field(default=None, description="Only events of this kind.")
    from_seq: int | None = Field(default=None, ge=0, le=2**53, description="Only events from this place on.")
    q: Line | None = Field(default=None, description="Only events whose words have this text in them, in either case.")
    order: Literal["asc", "desc"] = "asc"

    def selection(self) -> dict[str, Any]:
        """Return the arguments of the listing."""
        kinds = (self.kind,) if self.kind else ()
        return {**self.paging(), "order": self.order, "kinds": kinds, "since": self.from_seq, "saying": self.q}
