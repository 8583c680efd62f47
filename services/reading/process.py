"""Reads a file in a process of its own, which is given nothing but the file and ended when it takes too long."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from memory.errors import Unreadable
from services.reading.extracted import Extracted
from services.reading.limits import ReadingLimits


class ReaderKilled(Exception):
    """Something outside ended a reader: it says nothing of the file, which may be read another time."""

    message = "The process that read the file was killed from outside, as a system does that runs out of memory."


ROOT = str(Path(__file__).parents[2])
_START = "import sys; sys.path.insert(0, sys.argv[1]); from services.reading import child; child.main(sys.argv[1])"
# Nothing of ours: keys and addresses are in our environment.
_ENVIRONMENT = {"LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
# A process that lets all others go first waits for them; on a machine in use it has a fraction of a core.
_WALL_PER_SECOND = 8.0

_TOO_LONG = "The file took longer than {seconds:g} seconds to read. Split it and send the parts."
_ENDED = "The file made its reader end ({how}). It may be damaged: save it again and send that."


def extract(
    body: bytes, name: str | None, media_type: str | None, limits: ReadingLimits, *, charset: str | None = None
) -> Extracted:
    """Return the text of a file as Markdown.

    Args:
        body: the whole file; it is not trusted.
        name: its name.
        media_type: as its sender declares it.
        limits: what reading it may cost.
        charset: as its sender declares it.

    Raises:
        Unreadable: there is no text in it that could be read, or reading it cost too much; says what to do.
        ReaderKilled: the system or a person ended the reader, for no limit of ours.
    """
    return _extracted(_asked({"name": name, "media_type": media_type, "charset": charset}, body, limits))


def probe(limits: ReadingLimits) -> Mapping[str, Any]:
    """Return what such a process is held to here (`network`, `files`), and which readers it cannot load (`missing`).

    Raises:
        Unreadable: it cannot be started.
        ReaderKilled: it was ended from outside.
    """
    found: Mapping[str, Any] = json.loads(_asked({"probe": True}, b"", limits))
    return found


def _asked(asked: Mapping[str, Any], body: bytes, limits: ReadingLimits) -> bytes:
    head = {**asked, "limits": asdict(limits), "parent": os.getpid()}
    with _in_memory("question") as question, _in_memory("answer") as answer:
        question.write(json.dumps(head).encode() + b"\n")
        question.write(body)
        question.seek(0)
        _run(question, answer, limits)
        answer.seek(0)
        return answer.read()


def _run(question: IO[bytes], answer: IO[bytes], limits: ReadingLimits) -> None:
    process = subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", _START, ROOT], stdin=question, stdout=answer, stderr=subprocess.DEVNULL,
        env=_ENVIRONMENT, cwd="/", start_new_session=True,
    )  # fmt: skip
    patience = limits.seconds * _WALL_PER_SECOND
    try:
        code = process.wait(patience)
    except subprocess.TimeoutExpired as error:
        raise Unreadable(_TOO_LONG.format(seconds=patience)) from error
    finally:
        if process.returncode is None:
            process.kill()
            process.wait()
    if code == -signal.SIGXCPU:
        raise Unreadable(_TOO_LONG.format(seconds=limits.seconds))
    # Ours comes with a timeout and was told above; the hard limit of processor time is a second after SIGXCPU.
    if code == -signal.SIGKILL:
        raise ReaderKilled(ReaderKilled.message)
    if code != 0:
        raise Unreadable(_ENDED.format(how=f"signal {-code}" if code < 0 else f"code {code}"))


def _extracted(answer: bytes) -> Extracted:
    try:
        found: dict[str, Any] = json.loads(answer)
        if "refused" in found:
            raise Unreadable(str(found["refused"]))
        return Extracted(**{**found, "warnings": tuple(found["warnings"])})
    except (ValueError, TypeError, KeyError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(_ENDED.format(how="a broken answer")) from error


def _in_memory(name: str) -> IO[bytes]:
    """Return a file that is nowhere on a disk, where the system has such files."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create(f"memlane-{name}"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)
