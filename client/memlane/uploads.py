"""Files that the server reads: sent as they are, because their text has first to be found in them."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memlane.connected import Connected, Json, body, once
from memlane.texts import OPEN_FLAGS, Empty, NotText, decoded, looks_binary, regular

# By the ending of the name. What is not here is text, and sent as such.
READ_BY_SERVER = frozenset({
    "pdf", "docx", "docm", "pptx", "xlsx", "xlsm", "epub", "eml", "html", "htm", "xhtml", "svg", "csv", "tsv", "json",
    "jsonl", "ndjson", "ipynb",
})  # fmt: skip
# Text whose encoding the server finds out, where it is not UTF-8.
TEXT = frozenset({"txt", "text", "md", "markdown", "log", "rst"})
# The server's default limit; reading more than it takes would only fill memory.
MOST_BYTES = 50 * 1024 * 1024


class Uploads(Connected):
    """Sends files."""

    def add_file(
        self,
        name: str,
        content: bytes,
        *,
        space: str | None = None,
        custom_id: str | None = None,
        title: str | None = None,
        filepath: str | None = None,
        date: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        wait: bool | None = None,
    ) -> Json:
        """Hand in a file; the server reads its text.

        Args:
            name: the file's, with its ending.
            content: its bytes.
            space: where it goes.
            custom_id: the caller's own id; the same again is a new revision of the same document.
            title: shown with results; otherwise the name.
            filepath: shown with the document.
            date: ISO 8601, what relative dates in the text refer to.
            metadata: names to strings, numbers, booleans or lists of strings.
            wait: True waits up to 30 s for it to be processed.

        Returns:
            `{"id", "status", "jobId", "warning"?}`.
        """
        fields: Json = body(containerTag=space, customId=custom_id, title=title, filepath=filepath, documentDate=date,
                            metadata=json.dumps(metadata) if metadata else None,
                            wait=None if wait is None else str(wait).lower())  # fmt: skip
        answer: Json = self._transport.call(
            "POST", "/v3/documents/file", form=fields, file=(name, content), headers=once()
        )
        return answer


def read_upload(path: Path) -> bytes | None:
    """Return the bytes of a file that the server is to read; None when it is text to be sent as such.

    Args:
        path: canonical.

    Raises:
        Empty: there is nothing in it.
        NotText: no reader is for it.
        OSError: it cannot be read, or is larger than any server takes.
    """
    suffix = path.suffix[1:].lower()
    if suffix not in READ_BY_SERVER | TEXT:
        return None
    descriptor = os.open(path, OPEN_FLAGS)
    try:
        if regular(descriptor, path).st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"larger than {MOST_BYTES // 1024**2} MiB; split it", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES)
    finally:
        os.close(descriptor)
    return _needs_server(content, suffix)


def _needs_server(content: bytes, suffix: str) -> bytes | None:
    if not content.strip():
        raise Empty
    if suffix in READ_BY_SERVER:
        return content
    try:
        decoded(content)
    except NotText:
        if looks_binary(content):
            raise
        return content
    return None
