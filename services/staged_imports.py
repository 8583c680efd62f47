"""What was sent to be imported lies in a file until the writer has made rows of it: here it is received and read."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from memory.errors import InvalidInput, TooLarge
from services.host import Host

FOLDER = "imports"
# The file of the largest upload, in base64, is the longest line that an export writes.
LINE_BYTES = 128 * 1024 * 1024
PIECE_BYTES = 1024 * 1024
# Only with one of these in the raw text can a string hold a NUL or half a surrogate pair, which the store cannot keep.
_ESCAPES = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")

# In memory what nests or lists takes fifty times its size; of a line's MiB all but this has to be texts.
MOST_STRUCTURE_BYTES = 1024 * 1024
# The last quote may be missing: without the "?" what is cut off would be looked through again from each quote in it.
_TEXTS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def path_of(host: Host, tenant: str, import_id: str) -> Path:
    """Return where the file of an import lies."""
    return Path(host.settings.data_dir) / FOLDER / f"{tenant}.{import_id}.jsonl"


def opened(host: Host, tenant: str, import_id: str) -> IO[bytes]:
    """Open the file of an import that was accepted.

    Raises:
        InvalidInput: it is gone.
    """
    try:
        return path_of(host, tenant, import_id).open("rb")
    except FileNotFoundError as error:
        raise InvalidInput("The file that was sent is not there any more; send it again.", field="body") from error


def receive(path: Path, stream: IO[bytes], *, most: int) -> str:
    """Write what is sent to a file, and to the disk.

    Args:
        path: of the file.
        stream: what is sent.
        most: bytes.

    Returns:
        The hex sha256 of it.

    Raises:
        TooLarge: more is sent.
    """
    hashed = hashlib.sha256()
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while piece := stream.read(PIECE_BYTES):
            if file.tell() + len(piece) > most:
                raise TooLarge(f"An import has at most {most} bytes; import one space after the other.", field="body")
            hashed.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    _keep_name(path)
    return hashed.hexdigest()


def _keep_name(path: Path) -> None:
    """Have the disk know the file's name too: what is accepted outlasts a power cut."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield lines with their line feeds.

    Raises:
        InvalidInput: one is longer than any line of an export.
    """
    while raw := file.readline(LINE_BYTES):
        if not raw.endswith(b"\n") and len(raw) == LINE_BYTES:
            raise InvalidInput(f"A line is longer than {LINE_BYTES} bytes.", field="body")
        yield raw


def parse(raw: bytes, number: int) -> dict[str, Any]:
    """Return a line as an object.

    Args:
        raw: UTF-8.
        number: of the line, 1-based, for the message.

    Raises:
        InvalidInput: it is none.
    """
    if len(raw) > MOST_STRUCTURE_BYTES and len(_TEXTS.sub(b"", raw)) > MOST_STRUCTURE_BYTES:
        message = f"Line {number} has more than {MOST_STRUCTURE_BYTES} bytes beside its texts."
        raise InvalidInput(message, field="body", line=number)
    try:
        line = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
        if not isinstance(line, dict):
            raise InvalidInput(f"Line {number} is not a JSON object.", field="body", line=number)
        if _ESCAPES.search(raw):
            json.dumps(line, ensure_ascii=False).encode("utf-8")
            if b"\\u0000" in raw:
                raise InvalidInput(f"Line {number} holds a NUL character.", field="body", line=number)
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"Line {number} is not valid JSON.", field="body", line=number) from error
    return line


def _no_number(text: str) -> float:
    raise ValueError(text)
