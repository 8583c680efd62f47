"""An export on its way out, and one on its way in: bodies that are larger than memory.

An export is written to a file without a name before the first byte is sent. So the snapshot it is read from is held for
as long as writing takes and not as long as a slow caller reads, an error is an answer and not half a body, and nothing
of it is left when the caller has gone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, Any

from flask import Response, request
from werkzeug.exceptions import UnsupportedMediaType

from api.context import host, limits
from memory.records import Scope
from services import exporting

LINES = "application/x-ndjson"
# Names under which JSON lines are sent.
TAKEN = (LINES, "application/ndjson", "application/jsonl", "application/jsonlines", "application/octet-stream")
PIECE_BYTES = 256 * 1024


def sent(whose: Scope, *, vectors: bool, whole: bool) -> Response:
    """Return an export as an answer.

    Args:
        whose: spaces, and of a user or agent only what is theirs or nobody's.
        vectors: whether vectors are told too.
        whole: whether what belongs to the tenant itself is told too.
    """
    # Closed by the server once it is sent; a file of this kind has no name, so nothing else can keep it.
    file: IO[bytes] = tempfile.TemporaryFile(dir=host().settings.data_dir)  # noqa: SIM115
    try:
        with limits().lasting():
            exporting.write(whose, host(), file.write, vectors=vectors, whole=whole)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    pieces = request.environ["wsgi.file_wrapper"](file, PIECE_BYTES) if _is_wrapped() else _pieces(file)
    answer = Response(pieces, mimetype=LINES, direct_passthrough=True)
    answer.content_length = size
    answer.headers["Content-Disposition"] = 'attachment; filename="memlane-export.jsonl"'
    return answer


def _is_wrapped() -> bool:
    """Tell whether the server sends files by itself, without holding a thread for as long as the caller reads."""
    return "wsgi.file_wrapper" in request.environ


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def received() -> Any:
    """Return the body of an import as a stream.

    Raises:
        UnsupportedMediaType: it is not sent as JSON lines.
    """
    if request.mimetype not in TAKEN:
        raise UnsupportedMediaType(f"The body must be JSON lines; send `Content-Type: {LINES}`.")
    request.max_content_length = host().settings.max_import_bytes
    return request.stream
