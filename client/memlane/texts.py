"""Reads text: from a file, from standard input, by its content and never by its name.

Text is UTF-8 (with or without a byte order mark) or UTF-16 with one, and holds no NUL.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

from memlane.errors import MemlaneError

# The server takes bodies of 16 MiB; reading more than it can take would only fill memory.
MOST_BYTES = 16 * 1024 * 1024
# Enough to see a NUL of a film or an archive without reading it.
HEAD_BYTES = 8192
# Opened without waiting for a writer and without following a link that was put there since the folder was read.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class NotText(MemlaneError, ValueError):
    """Not text: Memlane reads UTF-8, and UTF-16 with a byte order mark."""

    exit_code = 2


class Empty(MemlaneError, ValueError):
    """Empty: there is nothing to remember."""

    exit_code = 2


class NotRecords(MemlaneError, ValueError):
    """Not JSON lines: each line has to be one JSON object."""

    exit_code = 2


class CannotRead(MemlaneError, OSError):
    """The file cannot be read."""


def read_file(path: Path) -> str:
    """Return the text of a regular file.

    Args:
        path: canonical.

    Raises:
        NotText: its bytes are not text.
        Empty: nothing but white space.
        OSError: it cannot be read, is larger than any server takes, or has become something else since it was found.
    """
    descriptor = os.open(path, OPEN_FLAGS)
    try:
        return _read(descriptor, path)
    finally:
        os.close(descriptor)


def _read(descriptor: int, path: Path) -> str:
    status = regular(descriptor, path)
    with open(descriptor, "rb", closefd=False) as file:
        head = file.read(HEAD_BYTES)
        if looks_binary(head):
            raise NotText
        if status.st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"larger than {MOST_BYTES // 1024**2} MiB; split it", str(path))
        return decoded(head + file.read(MOST_BYTES))


def regular(descriptor: int, path: Path) -> os.stat_result:
    """Return what an open file is.

    Raises:
        OSError: it has become something else than a regular file since it was found.
    """
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no longer a regular file", str(path))
    return status


def read_stdin() -> str:
    """Return the text on standard input.

    Raises:
        NotText: its bytes are not text.
        Empty: nothing but white space.
    """
    return decoded(sys.stdin.buffer.read())


def looks_binary(head: bytes) -> bool:
    """Return whether the first bytes rule out text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    return b"\x00" in head or head.startswith(b"%PDF-")


def decoded(raw: bytes) -> str:
    """Return bytes as text.

    Raises:
        NotText: they are not.
        Empty: nothing but white space.
    """
    utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = raw.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText from error
    if "\x00" in text or raw.startswith(b"%PDF-"):
        raise NotText
    if not text.strip():
        raise Empty
    return text


def read_named(path: Path) -> str:
    """Return the text of a file, or of standard input for `-`.

    Raises:
        NotText: its bytes are not text.
        Empty: nothing but white space.
        CannotRead: it cannot be read.
    """
    if str(path) == "-":
        return read_stdin()
    try:
        return read_file(path.resolve(strict=True))
    except OSError as error:
        raise CannotRead(f"{path}: {error.strerror or error}") from error


def records(text: str) -> list[dict[str, Any]]:
    """Return the objects of JSON lines; blank lines are passed over.

    Raises:
        NotRecords: a line is no JSON object.
    """
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise NotRecords(f"Line {number} is not JSON: {error}.") from error
        if not isinstance(value, dict):
            raise NotRecords(f"Line {number} is not a JSON object.")
        found.append(value)
    return found
