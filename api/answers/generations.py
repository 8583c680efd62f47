"""Embedding generations."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, Timestamp


class Model(Answer):
    """The configured embedding model."""

    model: str
    dimension: int


class Generation(Answer):
    """The vectors of one model."""

    id: int
    model: str
    dimension: int
    state: Literal["serving", "building", "retired"]
    configured: bool = Field(description="Whether it is of the configured model.")
    rows: int
    vectors: int
    missing: int
    created_at: Timestamp


class EmbeddingJob(Answer):
    """An open job that embeds anew."""

    id: str
    space: str | None
    state: str
    items_total: int
    items_done: int
    items_failed: int
    warning: str | None


class Generations(Answer):
    """Every generation with how far it is."""

    configured: Model = Field(description="The model that the settings name.")
    generations: list[Generation]
    jobs: list[EmbeddingJob] = Field(description="Open jobs that embed anew, one a space.")
    facts_waiting: int
    warning: str | None


class Started(Generations):
    """The same, after what was begun."""

    id: int
    started: list[str] = Field(description="Jobs that embed anew.")


class Served(Generations):
    """The same, after another generation serves."""

    id: int
    before: int | None = Field(description="The generation that served before.")
    rows_queued: int


class Dropped(Generations):
    """The same, after a generation was dropped."""

    id: int
    dropped: int = Field(description="Vectors that were deleted.")
