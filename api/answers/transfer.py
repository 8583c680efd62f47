"""Export and import."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, Timestamp


class Import(Answer):
    """An import, and how far it is."""

    id: str
    state: Literal["waiting", "importing", "finished", "failed"] = Field(
        description="Until it is finished nothing of it can be seen; of a failed one nothing is left."
    )
    container_tags: list[str]
    lines: int = Field(description="Of the export.")
    done: int = Field(description="Lines of which rows were made.")
    counts: dict[str, int] = Field(description="What was made, by kind of line.")
    searchable: Literal["no", "words", "fully"] = Field(
        description="`words`: rows without a vector are found by their words alone until they have one."
    )
    without_vector: int = Field(description="Rows that have no vector yet.")
    reason: str | None = Field(description="Why it failed.")
    requested_at: Timestamp
    finished_at: Timestamp | None
