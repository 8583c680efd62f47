"""Documents: handed in as a text or as a page, read, listed and deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat


class Documents(Connected):
    """The part of the client that speaks of documents."""

    def add_document(
        self,
        content: str | None = None,
        *,
        url: str | None = None,
        space: str | None = None,
        custom_id: str | None = None,
        title: str | None = None,
        filepath: str | None = None,
        date: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        wait: bool | None = None,
    ) -> Json:
        """Hand in a document.

        Args:
            content: its text; None for a page.
            url: of a page, which the server fetches and reads.
            space: where it goes.
            custom_id: the caller's own id; the same again is a new revision of the same document.
            title: shown with results.
            filepath: shown with the document.
            date: ISO 8601, what relative dates in the text refer to.
            metadata: names to strings, numbers, booleans or lists of strings.
            wait: True waits up to 30 s for it to be processed.

        Returns:
            `{"id", "status", "jobId", "warning"?}`.
        """
        sent = body(content=content, url=url, containerTag=space, customId=custom_id, title=title, filepath=filepath,
                     documentDate=date, metadata=metadata or None, wait=wait)  # fmt: skip
        return self._post("/v3/documents", sent, create=True)

    def document(self, ref: str, *, space: str | None = None) -> Json:
        """Return a document by its id or customId."""
        return self._get(f"/v3/documents/{quote(ref, safe='')}", containerTag=space)

    def documents(self, *, spaces: Sequence[str] = (), limit: int = 50, page: int = 1) -> Json:
        """Return one page of documents: `{"memories": [...], "pagination": {...}}`."""
        return self._post("/v3/documents/list", body(containerTags=list(spaces) or None, limit=limit, page=page))

    def delete_document(self, ref: str, *, space: str | None = None) -> None:
        """Delete a document by its id or customId."""
        path = f"/v3/documents/{quote(ref, safe='')}"
        self._transport.call("DELETE", path, query={"containerTag": space}, repeat=Repeat.UNSENT)

    def chunks(self, ref: str, *, space: str | None = None) -> Json:
        """Return the chunks of a document."""
        return self._get(f"/v3/documents/{quote(ref, safe='')}/chunks", containerTag=space)
