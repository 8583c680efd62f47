"""Contexts and scratchpads."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.scope import InScope
from api.schemas.searching import Searching
from api.schemas.values import Label, Prose, Question
from services.context import Wanted

Part = Literal["system", "profile", "memories", "chunks", "scratchpad", "turns"]
# About what a chat program spares for memory: some sixty facts, or thirty with three passages.
DEFAULT_BUDGET = 2_000
# Whoever has no limit says a huge one, such as the largest that their language counts to; items are few in any case.
HUGE_BUDGET = 2**63
# Ten years; how long it really is kept at most is a setting.
MOST_SECONDS = 3_650 * 86_400


class AskContext(InScope, Searching):
    """`POST /v1/context`."""

    query: Question | None = None
    budget: int = Field(default=DEFAULT_BUDGET, ge=0, le=HUGE_BUDGET)
    sections: list[Part] | None = Field(default=None, min_length=1, max_length=len(get_args(Part)))
    system: Prose | None = None
    format: Literal["markdown", "json"] = "markdown"

    def wanted(self) -> Wanted:
        """Return what is asked for, as services take it."""
        return Wanted(
            budget=self.budget, query=self.searched(self.query) if self.query is not None else None,
            clocks=self.clocks(), system=self.system, sections=self.sections, form=self.format,
        )  # fmt: skip


class FindScratchpad(InScope):
    """`GET /v1/context/scratchpad`."""

    session_id: Label


class WriteScratchpad(FindScratchpad):
    """`POST /v1/context/scratchpad`."""

    content: Annotated[str, Field(json_schema_extra={"x-max-length": "MEMLANE_SCRATCHPAD_CHARS"})]
    mode: Literal["append", "replace"] = "append"
    ttl_seconds: float | None = Field(default=None, ge=1, le=MOST_SECONDS)

    @model_validator(mode="after")
    def _says_something(self) -> WriteScratchpad:
        if self.mode == "append" and not self.content.strip():
            hint = "Send a note; blank text takes all notes away with `mode` replace."
            raise PydanticCustomError("blank", "must not be empty", {"field": "content", "hint": hint})
        return self
