"""What reading a source gives: its text as Markdown and what is worth knowing of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The text of a file or page."""

    text: str  # Markdown
    title: str | None = None  # what the source calls itself
    warnings: tuple[str, ...] = ()  # what is missing or doubtful, for a person
    media_type: str = "text/plain"  # what it was read as
    pages: int | None = None  # of formats that have pages
    date: str | None = None  # ISO 8601, when the source itself says it is from
