"""Erasures and spaces."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, AnyJson, Timestamp
from api.answers.records import Who


class Counted(Answer):
    """What an erasure would reach."""

    dry_run: Literal[True]
    kind: str
    counts: dict[str, int]


class Receipt(Answer):
    """What is to be gone for good, and how far that is; it has no content."""

    id: str
    kind: str
    state: Literal["waiting", "erasing", "purging", "finished", "failed"]
    counts: dict[str, int]
    verify: bool
    verification: AnyJson | None
    note: str | None
    waits_for: str | None
    actor: Who
    requested_at: Timestamp
    erased_at: Timestamp | None
    finished_at: Timestamp | None


class Receipts(Answer):
    """Receipts, newest first."""

    erasures: list[Receipt]


class Space(Answer):
    """A space with what is in it."""

    name: str
    documents: int
    memories: int
    retention_days: int | None = Field(description="Days after which its memories are forgotten; null: never.")


class Spaces(Answer):
    """The spaces that the key may use."""

    spaces: list[Space]
