"""The part of the client that is about the review list: what waits for a person, and deciding it."""

from __future__ import annotations

from urllib.parse import quote

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat


class Conflicts(Connected):
    """Contradictions, doubtful candidates, what no judge could decide on, and what was inferred."""

    def conflicts(
        self,
        *,
        kind: str | None = None,
        state: str | None = None,
        space: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Json:
        """Return one page of the review list, newest first: `{"conflicts": [...], "pagination": {"next_cursor", ...}}`.

        Args:
            kind: `contradiction`, `low_confidence`, `unjudged` or `inferred`; else all of them.
            state: `open`, `resolved` or `all`; else open.
            space: where to look; else every space of the key.
            limit: entries a page, 1 to 200.
            cursor: from the page before.
        """
        return self._get("/v1/conflicts", kind=kind, state=state, container_tag=space, limit=limit, cursor=cursor)

    def conflict(self, conflict_id: str, *, space: str | None = None) -> Json:
        """Return one entry."""
        return self._get(f"/v1/conflicts/{quote(conflict_id, safe='')}", container_tag=space)

    def resolve(
        self,
        conflict_id: str,
        resolution: str,
        *,
        text: str | None = None,
        reason: str | None = None,
        space: str | None = None,
    ) -> Json:
        """Decide one entry; returns it, resolved.

        Args:
            conflict_id: which.
            resolution: `keep_incumbent`, `take_candidate`, `keep_both`, or `edit`, which needs a text.
            text: what becomes current in place of both.
            reason: kept with the resolution and with what it retires.
            space: where it is; else any space of the key.
        """
        sent = body(resolution=resolution, text=text, reason=reason, container_tag=space)
        return self._post(f"/v1/conflicts/{quote(conflict_id, safe='')}/resolve", sent, repeat=Repeat.UNSENT)
