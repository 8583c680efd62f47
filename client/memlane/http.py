"""The client: one method for each route. What goes out and comes back is as docs/reference/api.md describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from memlane.conflicts import Conflicts
from memlane.connected import DEFAULT_URL as DEFAULT_URL
from memlane.connected import Json as Json
from memlane.connected import body as _body
from memlane.contexts import Contexts
from memlane.documents import Documents
from memlane.erasures import Erasures
from memlane.generations import Generations
from memlane.jobs import Jobs
from memlane.judges import Judges
from memlane.ledgers import Ledgers
from memlane.narrowing import Narrowing
from memlane.nodes import Nodes
from memlane.profiles import Profiles
from memlane.streams import Streams
from memlane.tags import Tags
from memlane.transfers import Transfers
from memlane.transport import Repeat
from memlane.uploads import Uploads
from memlane.walks import Walks

# The server's largest page: the fewest requests for a whole listing.
PAGE_ROWS = 200


class Client(Streams, Walks, Judges, Conflicts, Erasures, Generations, Profiles, Contexts, Ledgers, Transfers, Uploads,
             Documents, Jobs, Nodes, Tags):  # fmt: skip
    """Talks to one Memlane server; a context manager that closes its connections.

    Spaces: `space` is the one a write goes to, `spaces` those a read looks in; left out, the server's space `default`.
    Every method raises `memlane.MemlaneError` or one of its kinds when the answer is not the one asked for.
    """

    def health(self) -> Json:
        """Return `{"status": "ok" | "degraded" | "down", ...}`; asked once, so that a dead server is seen at once."""
        answer: Json = self._transport.call("GET", "/v1/health", repeat=Repeat.NEVER, accept=(503,))
        return answer

    def stats(self, *, space: str | None = None) -> Json:
        """Return the counts of a space."""
        return self._get("/v1/stats", container_tag=space)

    def spaces(self) -> Json:
        """Return the spaces of the key."""
        return self._get("/v1/spaces")

    def add_conversation(
        self,
        conversation_id: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        space: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Json:
        """Append messages to a conversation; those the server has are recognised.

        Args:
            conversation_id: the caller's own id.
            messages: each with `role`, `content` and, where known, `name` and `timestamp`.
            space: where it goes.
            metadata: of the conversation.

        Returns:
            `{"id", "conversationId", "status", "jobId"}`.
        """
        body = _body(conversationId=conversation_id, messages=[dict(message) for message in messages],
                     containerTag=space, metadata=metadata or None)  # fmt: skip
        return self._post("/v4/conversations", body, create=True)

    def search(
        self,
        q: str,
        *,
        spaces: Sequence[str] = (),
        mode: str | None = None,
        limit: int | None = None,
        threshold: float | None = None,
        filters: Any = None,
        rerank: bool | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        explain: bool | None = None,
        sources: bool = True,
        narrowing: Narrowing | None = None,
    ) -> Json:
        """Search.

        Args:
            q: the question or the words.
            spaces: where to look.
            mode: memories, hybrid or documents.
            limit: most results, 1 to 100.
            threshold: least similarity, 0 to 1.
            filters: the filter grammar of docs/api.md.
            rerank: True reads the best candidates again with the reranker.
            as_of: ISO 8601, what was true then.
            known_at: ISO 8601, what was believed then.
            explain: True adds each arm's part of the score.
            sources: True adds where each result comes from.
            narrowing: which memories count, and which ways of finding them are used.

        Returns:
            `{"results": [...], "total", "timing"}`, `timing` in milliseconds.
        """
        body = _body(q=q, containerTags=list(spaces) or None, searchMode=mode, limit=limit, threshold=threshold,
                     filters=filters, rerank=rerank, asOf=as_of, knownAt=known_at, explain=explain,
                     include={"sources": True} if sources else None, **(narrowing or Narrowing()).body())  # fmt: skip
        return self._post("/v4/search", body)

    def ask(
        self,
        q: str,
        *,
        spaces: Sequence[str] = (),
        limit: int | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        narrowing: Narrowing | None = None,
    ) -> Json:
        """Ask a question; returns `{"answer", "citations", "context", "tokens", "model"}`."""
        return self._post("/v1/ask", _body(q=q, container_tags=list(spaces) or None, limit=limit, as_of=as_of,
                                           known_at=known_at, **(narrowing or Narrowing()).body()))  # fmt: skip

    def compress(self, text: str, *, q: str | None = None, budget: int | None = None) -> Json:
        """Cut a text down to what matters for a question, within a budget of tokens."""
        return self._post("/v1/compress", _body(text=text, q=q, budget=budget))

    def remember(
        self,
        facts: Sequence[str],
        *,
        space: str | None = None,
        static: bool = False,
        metadata: Mapping[str, Any] | None = None,
    ) -> Json:
        """Write facts directly; returns `{"memories": [{"id", "memory", ...}]}`, or `{"id", "status", "warning"}`.

        With `conflicts`, ids of the review list, when facts contradict what is known and wait for a person.
        """
        items = [_body(content=fact, isStatic=static or None, metadata=metadata or None) for fact in facts]
        return self._post("/v4/memories", _body(memories=items, containerTag=space), create=True)

    def update_memory(
        self, memory_id: str, new_content: str, *, space: str | None = None, correction: bool = False
    ) -> Json:
        """Give a memory a new version; a correction says that the old one was never true."""
        body = _body(id=memory_id, newContent=new_content, containerTag=space, correction=correction or None)
        answer: Json = self._transport.call("PATCH", "/v4/memories", body=body, repeat=Repeat.UNSENT)
        return answer

    def memories(
        self,
        *,
        spaces: Sequence[str] = (),
        limit: int = PAGE_ROWS,
        cursor: str | None = None,
        forgotten: bool = False,
        history: bool = False,
        as_of: str | None = None,
        known_at: str | None = None,
    ) -> Json:
        """Return one page of memories: `{"memoryEntries": [...], "pagination": {"nextCursor", ...}}`."""
        body = _body(containerTags=list(spaces) or None, limit=limit, cursor=cursor, asOf=as_of, knownAt=known_at,
                     includeForgotten=forgotten or None, history=history or None)  # fmt: skip
        return self._post("/v4/memories/list", body)

    def every_memory(self, *, limit: int | None = None, **which: Any) -> Iterator[Json]:
        """Yield memories page by page, following the cursors, so that what is added meanwhile shifts nothing.

        Args:
            limit: most memories in all; None for every one.
            **which: as for `memories`.
        """
        left, cursor = limit, None
        while left is None or left > 0:
            page = self.memories(limit=PAGE_ROWS if left is None else min(left, PAGE_ROWS), cursor=cursor, **which)
            yield from page["memoryEntries"]
            left = None if left is None else left - len(page["memoryEntries"])
            cursor = page["pagination"].get("nextCursor")
            if cursor is None:
                return

    def forget_matching(
        self,
        *,
        query: str | None = None,
        ids: Sequence[str] | None = None,
        dry_run: bool = True,
        space: str | None = None,
        threshold: float | None = None,
        most: int | None = None,
        reason: str | None = None,
    ) -> Json:
        """Preview what a phrase matches, or forget exactly the given ids.

        Args:
            query: a phrase; not together with `ids`.
            ids: of memories.
            dry_run: True writes nothing.
            space: where they are.
            threshold: least similarity to the phrase, 0 to 1.
            most: most memories, 1 to 500.
            reason: kept with each.

        Returns:
            `{"dryRun", "count", "forgetBatchId", "candidates" or "forgotten": [{"id", "memory", "score"}]}`.
        """
        body = _body(query=query, ids=list(ids) if ids is not None else None, dryRun=dry_run, containerTag=space,
                     threshold=threshold, maxForget=most, reason=reason)  # fmt: skip
        return self._post("/v4/memories/forget-matching", body, repeat=Repeat.ALWAYS if dry_run else Repeat.UNSENT)

    def restore(self, memory_id: str, *, space: str | None = None) -> Json:
        """Make a forgotten memory live again, as a new version."""
        path = f"/v1/memories/{quote(memory_id, safe='')}/restore"
        return self._post(path, _body(container_tag=space), repeat=Repeat.UNSENT)

    def restore_batch(self, batch_id: str, *, space: str | None = None) -> Json:
        """Make everything live again that one forget call forgot."""
        body = _body(batch_id=batch_id, container_tag=space)
        return self._post("/v1/memories/restore", body, repeat=Repeat.UNSENT)
