"""Which jobs a scope may see: those of its spaces that are about something it may see."""

from __future__ import annotations

from typing import Any

from memory.records import Scope
from store import spaces
from store.connection import Reader, Writer

# Whom a job is about is kept with its document, its session or the memory that is judged; a job has no owner itself.
# What was erased has none any more and is shown to requests that are not bound.
_ABOUT = """(
    (job.document_id IS NULL OR EXISTS (
        SELECT 1 FROM document WHERE document.id = job.document_id AND {of_document}))
    AND (job.session_id IS NULL OR EXISTS (
        SELECT 1 FROM session WHERE session.id = job.session_id AND {of_session}))
    AND NOT EXISTS (
        SELECT 1 FROM candidate JOIN memory ON memory.id = candidate.memory_id
        WHERE candidate.job_id = job.id AND NOT ({of_memory})))
"""


def visible(scope: Scope, db: Reader | Writer) -> tuple[str, list[Any]]:
    """Return the condition, with its values, that holds for those jobs that a scope may see.

    Trust boundary between the users and agents of a space, as `store.spaces.bounded` is for other tables.

    Args:
        scope: who asks.
        db: the store.
    """
    ids = list(spaces.find(scope, db).values())
    among, inside_values = spaces.among(ids)
    inside = f"job.space_id IN ({among})"
    bound = [(column, named) for column, named in (("user_id", scope.user), ("agent_id", scope.agent)) if named]
    if not bound:
        return inside, inside_values
    about = {
        f"of_{table}": " AND ".join(f"({table}.{column} IS NULL OR {table}.{column} = ?)" for column, _ in bound)
        for table in ("document", "session", "memory")
    }
    values = [named for _, named in bound]
    return f"{inside} AND {_ABOUT.format(**about)}", [*inside_values, *values * 3]
