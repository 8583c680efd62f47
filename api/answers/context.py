"""Contexts and scratchpads."""

from __future__ import annotations

from typing import Literal

from api.answers.base import Answer, AnyJson, Timestamp


class Item(Answer):
    """One thing that a context says, by its number."""

    n: int
    section: str
    id: str
    date: Timestamp | None = None
    container_tag: str | None = None
    similarity: float | None = None


class Context(Answer):
    """What a model should be told, what it cites and what was left out."""

    context: str | AnyJson | None
    format: Literal["markdown", "json"]
    tokens: int
    budget: int
    truncated: bool
    left_out: dict[str, int]
    more: list[str]
    items: list[Item]
    reasons: dict[str, str] | None = None
    degraded: list[str] | None = None


class Note(Answer):
    """One note."""

    text: str
    at: Timestamp


class Scratchpad(Answer):
    """The notes of a session."""

    session_id: str
    container_tag: str
    notes: list[Note]
    characters: int
    most_characters: int
    expires_at: Timestamp | None
