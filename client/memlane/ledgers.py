"""The ledger: what happened in the sessions of an agent, in the order it happened in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from memlane.connected import Connected, Json, body

# The server's largest page.
PAGE_ROWS = 200


class Ledgers(Connected):
    """The part of the client that appends episodes to sessions and reads them."""

    def append_episodes(
        self,
        episodes: Sequence[Mapping[str, Any]],
        *,
        session: str | None = None,
        space: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        session_metadata: Mapping[str, Any] | None = None,
        wait: bool | None = None,
    ) -> Json:
        """Append events to a session.

        Args:
            episodes: each with `content`, and with `kind` (turn, tool_call, tool_result, outcome or error), `role`,
                `name`, `occurred_at` and `metadata` where known; a turn needs its role.
            session: id of a session or your own name for one; left out, a new one is made.
            space: where it is; an id says so itself.
            user: whom a new session is bound to.
            agent: whom a new session is bound to.
            session_metadata: of the session.
            wait: True waits up to 30 s until the turns are consolidated.

        Returns:
            `{"id", "session_id", "episodes": [...], "status", "job_id", "warning"?}`.
        """
        sent = body(session_id=session, episodes=[dict(one) for one in episodes], container_tag=space, user_id=user,
                    agent_id=agent, session_metadata=session_metadata or None, wait=wait)  # fmt: skip
        return self._post("/v1/episodes", sent, create=True)

    def sessions(
        self,
        *,
        spaces: Sequence[str] = (),
        user: str | None = None,
        agent: str | None = None,
        limit: int = PAGE_ROWS,
        cursor: str | None = None,
    ) -> Json:
        """Return one page of sessions, last used first: `{"sessions": [...], "pagination": {...}}`."""
        return self._get("/v1/sessions", container_tags=list(spaces) or None, user_id=user, agent_id=agent,
                         limit=limit, cursor=cursor)  # fmt: skip

    def session(self, ref: str, *, space: str | None = None) -> Json:
        """Return a session by its id or its name."""
        return self._get(f"/v1/sessions/{quote(ref, safe='')}", container_tag=space)

    def episode(self, episode_id: str) -> Json:
        """Return one episode by its id."""
        return self._get(f"/v1/episodes/{quote(episode_id, safe='')}")

    def episodes(
        self,
        ref: str,
        *,
        space: str | None = None,
        kind: str | None = None,
        q: str | None = None,
        from_seq: int | None = None,
        order: str | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        limit: int = PAGE_ROWS,
        cursor: str | None = None,
    ) -> Json:
        """Return one page of a session's episodes, in the order they were appended in.

        Args:
            ref: id or name of the session.
            space: where it is.
            kind: only episodes of this kind.
            q: only episodes whose words have this text in them.
            from_seq: only episodes from this place on.
            order: asc or desc.
            as_of: ISO 8601, what had been said then.
            known_at: ISO 8601, what had been recorded then.
            limit: most episodes, 1 to 200.
            cursor: from the page before.

        Returns:
            `{"session": {...}, "episodes": [...], "pagination": {"next_cursor", ...}}`.
        """
        return self._get(f"/v1/sessions/{quote(ref, safe='')}/episodes", container_tag=space, kind=kind, q=q,
                         from_seq=from_seq, order=order, as_of=as_of, known_at=known_at, limit=limit,
                         cursor=cursor)  # fmt: skip

    def every_episode(self, ref: str, *, limit: int | None = None, **which: Any) -> Iterator[Json]:
        """Yield the episodes of a session page by page.

        Args:
            ref: id or name of the session.
            limit: most of them in all; None for every one.
            **which: as for `episodes`.
        """
        left, cursor = limit, None
        while left is None or left > 0:
            rows = PAGE_ROWS if left is None else min(left, PAGE_ROWS)
            page = self.episodes(ref, limit=rows, cursor=cursor, **which)
            yield from page["episodes"]
            left = None if left is None else left - len(page["episodes"])
            cursor = page["pagination"].get("next_cursor")
            if cursor is None:
                return
