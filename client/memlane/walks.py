"""The walks through time: one memory as it was, its versions, where it comes from, what changed, and undoing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat

# The server's largest page.
PAGE_ROWS = 200


class Walks(Connected):
    """The part of the client that reads the past. Times are ISO 8601; what is left out is now."""

    def memory(
        self, memory_id: str, *, space: str | None = None, as_of: str | None = None, known_at: str | None = None
    ) -> Json:
        """Return one memory; with `as_of` the version of its chain that held then, as known at `known_at`."""
        path = f"/v1/memories/{quote(memory_id, safe='')}"
        return self._get(path, container_tag=space, as_of=as_of, known_at=known_at)

    def history(
        self, memory_id: str, *, space: str | None = None, as_of: str | None = None, known_at: str | None = None
    ) -> Json:
        """Return every version of a memory, oldest first, as known at `known_at`."""
        path = f"/v1/memories/{quote(memory_id, safe='')}/history"
        return self._get(path, container_tag=space, as_of=as_of, known_at=known_at)

    def provenance(self, memory_id: str, *, space: str | None = None) -> Json:
        """Return where a memory comes from: `{"id", "memory", "sources", "decisions", "versions"}`."""
        return self._get(f"/v1/memories/{quote(memory_id, safe='')}/provenance", container_tag=space)

    def undo(self, memory_id: str, *, space: str | None = None, reason: str | None = None) -> Json:
        """Undo the last retirement of a memory; returns the version that is live again."""
        path = f"/v1/memories/{quote(memory_id, safe='')}/undo"
        return self._post(path, body(container_tag=space, reason=reason), repeat=Repeat.UNSENT)

    def changes(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        spaces: Sequence[str] = (),
        limit: int = PAGE_ROWS,
        cursor: str | None = None,
    ) -> Json:
        """Return one page of what changed: `{"changes": [...], "pagination": {"next_cursor", ...}}`.

        Args:
            since: the first time of the recorded clock, inclusive; else the beginning.
            until: the last time, exclusive; else now.
            spaces: where to look.
            limit: changes a page, 1 to 200.
            cursor: from the page before.
        """
        between = {"from": since, "to": until}
        return self._get("/v1/changes", container_tags=list(spaces) or None, limit=limit, cursor=cursor, **between)

    def every_change(
        self, *, since: str | None = None, until: str | None = None, spaces: Sequence[str] = ()
    ) -> Iterator[Json]:
        """Yield the changes page by page, oldest first."""
        cursor = None
        while True:
            page = self.changes(since=since, until=until, spaces=spaces, cursor=cursor)
            yield from page["changes"]
            cursor = page["pagination"].get("next_cursor")
            if cursor is None:
                return
