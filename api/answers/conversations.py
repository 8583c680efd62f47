"""Conversations."""

from __future__ import annotations

from typing import Literal

from api.answers.documents import Taken


class Appended(Taken):
    """What was accepted of a conversation, and the job that owes the rest."""

    conversation_id: str
    status: Literal["queued", "running", "done", "partial", "failed", "cancelled"]
