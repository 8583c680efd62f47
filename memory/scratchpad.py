"""The scratchpad of a session: notes that an agent works with for a while. They are volatile and no part of the truth.

Losing them costs nothing but putting a context together again: nothing is extracted from them, nothing rests on them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from memory.errors import IdempotencyMismatch, TooLarge
from memory.records import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note."""

    text: str
    at: Micros  # when it was written
    mark: str = ""  # of the request that wrote it, when it had an Idempotency-Key


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratchpad:
    """The notes of one session."""

    notes: tuple[Note, ...] = ()  # in the order they were written
    seconds_left: float | None = None  # until they are forgotten; None when there are none

    @property
    def chars(self) -> int:
        """How many characters the notes have."""
        return sum(len(note.text) for note in self.notes)


def noted(
    notes: Sequence[Note], text: str, *, at: Micros, append: bool, most_chars: int, mark: str = ""
) -> tuple[Note, ...]:
    """Return the notes with one more, or with one in place of all.

    Args:
        notes: what is there.
        text: of the new note; blank text is no note.
        at: the time.
        append: whether what is there stays.
        most_chars: that all notes together may have.
        mark: hashes of the request's key and of its body, with a point between; as long as its note is there, doing it
            again changes nothing. Empty: each one counts.

    Raises:
        IdempotencyMismatch: a note has the key with another body.
        TooLarge: they would have more; nothing is dropped to make room, because only the writer knows what matters.
    """
    for note in notes if mark else ():
        if note.mark == mark:
            return tuple(notes)
        if note.mark.partition(".")[0] == mark.partition(".")[0]:
            raise IdempotencyMismatch(field="Idempotency-Key")
    kept = (*(notes if append else ()), *([Note(text=text, at=at, mark=mark)] if text.strip() else []))
    chars = sum(len(note.text) for note in kept)
    if chars > most_chars:
        message = f"The scratchpad would have {chars} characters; it takes {most_chars}."
        hint = "Replace it with a shorter text." if append and len(text) <= most_chars else "Send a shorter text."
        raise TooLarge(message, field="content", hint=hint)
    return kept


def encode(notes: Sequence[Note]) -> str:
    """Return notes as JSON text."""
    return json.dumps([[note.text, note.at, note.mark] for note in notes], ensure_ascii=False)


def decode(text: str | bytes) -> tuple[Note, ...]:
    """Return the notes of `encode`."""
    # One that was written by an older version has no mark.
    return tuple(Note(text=str(said), at=int(at), mark="".join(mark)) for said, at, *mark in json.loads(text))
