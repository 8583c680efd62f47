"""The one way a reader says that a file cannot be read: a sentence for a person."""

from __future__ import annotations


class CannotRead(ValueError):
    """The file cannot be read; the message says why and what to do."""
