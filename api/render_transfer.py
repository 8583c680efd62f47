"""Imports as JSON."""

from __future__ import annotations

from api.render import Json, moment
from services.importing import Progress


def imported(progress: Progress) -> Json:
    """Return an import and how far it is."""
    row = progress.of
    found = "words" if progress.owed else "fully"
    return {
        "id": row.id, "state": row.state, "container_tags": list(row.spaces), "lines": row.lines, "done": row.done,
        "counts": dict(row.counts), "searchable": found if row.state == "finished" else "no",
        "without_vector": progress.owed, "reason": row.reason, "requested_at": moment(row.requested_at),
        "finished_at": moment(row.finished_at),
    }  # fmt: skip
