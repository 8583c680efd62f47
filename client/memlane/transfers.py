"""Export and import: a tenant or space as JSON lines, written and read piece by piece."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any
from urllib.parse import quote

import requests

from memlane.connected import Connected, Json, once
from memlane.errors import MemlaneError, Unreachable
from memlane.transport import Repeat

LINES = "application/x-ndjson"
PIECE_BYTES = 256 * 1024
# Before the first byte the server reads everything there is, and after the last one checks everything that was sent.
SECONDS = 1800.0


class CutOff(MemlaneError):
    """The export ends before its last line, or is not what that line tells of; ask for it again."""


class Transfers(Connected):
    """The part of the client that takes everything out and puts it in again."""

    def export(
        self, write: Callable[[bytes], Any], *, spaces: Sequence[str] = (), vectors: bool = False
    ) -> Mapping[str, int]:
        """Hand on an export as it comes, and check that it is whole.

        Args:
            write: is handed the bytes, piece by piece.
            spaces: which; else every space the key may use.
            vectors: True takes the vectors too; else an import has them made anew.

        Returns:
            How many lines there are, by kind.

        Raises:
            CutOff: it is not whole; what was written must not be used.
        """
        query = {"container_tags": list(spaces) or None, "vectors": "true" if vectors else None}
        response = self._transport.stream("GET", "/v1/export", query=query, seconds=SECONDS)
        with response:
            try:
                return _copied(response.iter_content(PIECE_BYTES), write)
            except requests.RequestException as error:
                raise Unreachable("The connection broke in the middle of the export.", code="unreachable") from error

    def import_export(self, file: IO[bytes], *, space: str | None = None, wait: bool = False) -> Json:
        """Send an export to be made into rows again, with the ids they had.

        Args:
            file: the export, at its beginning.
            space: another name for its only space.
            wait: True waits up to 30 s for its end.

        Returns:
            `{"id", "state", "container_tags", "lines", "done", "counts", "searchable", "without_vector", "reason"}`.
        """
        query = {"container_tag": space, "wait": "true" if wait else None}
        headers = {"Content-Type": LINES, **once()}
        with self._transport.stream(
            "POST", "/v1/import", data=file, query=query, headers=headers, seconds=SECONDS
        ) as response:
            answer: Json = response.json()
        return answer

    def import_state(self, import_id: str) -> Json:
        """Return an import and how far it is."""
        return self._get(f"/v1/imports/{quote(import_id, safe='')}")

    def remember_each(self, items: Sequence[Mapping[str, Any]], *, space: str | None = None) -> Json:
        """Write facts directly, at most 100, each with `content` and where wanted `isStatic` and `metadata`."""
        body = {"memories": [dict(one) for one in items], **({"containerTag": space} if space else {})}
        answer: Json = self._transport.call("POST", "/v4/memories", body=body, headers=once(), repeat=Repeat.ALWAYS)
        return answer


def _copied(pieces: Iterable[bytes], write: Callable[[bytes], Any]) -> Mapping[str, int]:
    """Hand on pieces, and return what the last line says of those before it.

    Raises:
        CutOff: there is no last line, or it says something else.
    """
    hashed, last = hashlib.sha256(), b""
    for piece in pieces:
        write(piece)
        # Everything but what may still be the last line is hashed; a line is kept whole until the next one begins.
        last += piece
        end = last.rfind(b"\n", 0, len(last) - 1) + 1
        hashed.update(last[:end])
        last = last[end:]
    try:
        told = json.loads(last)
    except ValueError:
        told = {}
    whole = isinstance(told, dict) and told.get("line") == "end" and told.get("sha256") == hashed.hexdigest()
    if not (whole and last.endswith(b"\n")):
        raise CutOff(code="cut_off")
    counts: Mapping[str, int] = told["counts"]
    return counts
