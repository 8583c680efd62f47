"""What a model should be told: contexts within a budget, the notes of a session, and memories found in a scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat

SCRATCHPAD = "/v1/context/scratchpad"


class Contexts(Connected):
    """The part of the client that puts contexts together and keeps notes."""

    def context(
        self,
        query: str | None = None,
        *,
        budget: int | None = None,
        sections: Sequence[str] = (),
        session: str | None = None,
        system: str | None = None,
        format: Literal["markdown", "json"] | None = None,
        spaces: Sequence[str] = (),
        user: str | None = None,
        agent: str | None = None,
        **options: Any,
    ) -> Json:
        """Return what a model should be told, within a budget of tokens.

        Args:
            query: the question that memories and chunks have to fit.
            budget: most tokens; the server has a default.
            sections: out of system, profile, memories, chunks, scratchpad and turns; else whatever there is.
            session: conversationId or id of the session whose turns and notes are told.
            system: a text of your own that is put first.
            format: markdown or json.
            spaces: where to look.
            user: whose.
            agent: whose.
            **options: of the search, as docs/reference/api.md names them: filters, kinds, min_confidence, threshold,
                half_life_days, rerank, as_of, known_at, now.

        Returns:
            `{"context", "tokens", "budget", "truncated", "left_out", "more", "items", "degraded"?}`.
        """
        sent = body(query=query, budget=budget, sections=list(sections) or None, session_id=session, system=system,
                    format=format, container_tags=list(spaces) or None, user_id=user, agent_id=agent,
                    **options)  # fmt: skip
        return self._post("/v1/context", sent)

    def scratchpad(
        self, session: str, *, space: str | None = None, user: str | None = None, agent: str | None = None
    ) -> Json:
        """Return the notes of a session: `{"notes": [{"text", "at"}], "characters", "expires_at", ...}`."""
        return self._get(SCRATCHPAD, session_id=session, container_tag=space, user_id=user, agent_id=agent)

    def note(
        self,
        session: str,
        content: str,
        *,
        replace: bool = False,
        ttl_seconds: float | None = None,
        space: str | None = None,
        user: str | None = None,
        agent: str | None = None,
    ) -> Json:
        """Add a note to those of a session, or put it in place of them all.

        Args:
            session: whose notes.
            content: of the note; with `replace` an empty one takes all notes away.
            replace: whether those that are there go.
            ttl_seconds: how long the notes are kept from now on; else as the server's settings say.
            space: where.
            user: whose.
            agent: whose.

        Returns:
            The notes as they are then.
        """
        sent = body(session_id=session, content=content, mode="replace" if replace else "append",
                    ttl_seconds=ttl_seconds, container_tag=space, user_id=user, agent_id=agent)  # fmt: skip
        return self._post(SCRATCHPAD, sent, repeat=Repeat.ALWAYS if replace else Repeat.UNSENT)

    def search_memories(
        self,
        query: str,
        *,
        scope: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        distance: float | None = None,
        **options: Any,
    ) -> Json:
        """Search the memories of a scope.

        Args:
            query: the question.
            scope: `container_tag` or `container_tags`, `user_id`, `agent_id`, `session_id`.
            top_k: most results, 1 to 100.
            distance: largest cosine distance of a result, 0 to 1.
            **options: as of `context`, and `graph` and `explain`.

        Returns:
            `{"results": [...], "total", "timing", "graph", "degraded"?}`.
        """
        sent = body(query=query, scope=dict(scope) if scope else None,
                    vector=body(top_k=top_k, distance=distance) or None, **options)  # fmt: skip
        return self._post("/v1/memory/search", sent)
