"""Shuts a process in before it opens a stranger's file: bounds of memory and time, no network, no other files.

A trust boundary. What is parsed here may have been made to take the parser over. The bounds, the missing network and
the wall around files are the kernel's, where it has them. The audit hook is there on every system: it keeps libraries
from following what a file refers to, and is no wall against machine code.
"""

from __future__ import annotations

import contextlib
import ctypes
import mimetypes
import os
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.reading import landlock
from services.reading.landlock import READ_DIR, READ_FILE

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_NO_NEW_RIGHTS = 38  # PR_SET_NO_NEW_PRIVS
_OWN_NETWORK = 0x40000000  # CLONE_NEWNET
_OWN_USERS = 0x10000000  # CLONE_NEWUSER
# Answers go to questions, so a file that is read waits behind them.
_NICENESS = 5
_OPEN_FILES = 64
# Of the answer: JSON writes a character with six at most.
_ANSWER_BYTES_PER_CHAR = 6
_ANSWER_REST = 1024**2
# Audit events, by how they begin.
_FORBIDDEN = (
    "socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.startfile",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate",
    "os.kill", "pty.spawn", "ftplib.", "http.client.", "urllib.Request", "webbrowser.",
)  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """What the kernel holds this process to, beside the bounds that every kernel has."""

    network: bool  # it has none but an empty one of its own
    files: bool  # it reads the program's own and no others


def shut(root: str, parent: int, *, seconds: float, memory_bytes: int, chars: int) -> Walls:
    """Bound this process for good.

    Args:
        root: the folder whose `services` and `memory` may still be imported from.
        parent: the process that waits for the answer.
        seconds: of processor time.
        memory_bytes: of address space.
        chars: of text that it may answer.

    Returns:
        What the kernel has of the rest.
    """
    os.nice(_NICENESS)
    network = files = False
    if sys.platform.startswith("linux"):
        network = _leave_network(parent)
        files = landlock.restrict({**dict.fromkeys(_readable(root), READ_FILE | READ_DIR), root: READ_DIR})
    answer = chars * _ANSWER_BYTES_PER_CHAR + _ANSWER_REST
    most = max(1, round(seconds))
    bounds: Mapping[int, tuple[int, int]] = {
        resource.RLIMIT_AS: (memory_bytes, memory_bytes), resource.RLIMIT_CPU: (most, most + 1),
        resource.RLIMIT_NOFILE: (_OPEN_FILES, _OPEN_FILES), resource.RLIMIT_FSIZE: (answer, answer),
        resource.RLIMIT_CORE: (0, 0), resource.RLIMIT_NPROC: (0, 0),
    }  # fmt: skip
    for which, bound in bounds.items():
        resource.setrlimit(which, bound)
    sys.addaudithook(_Watch(root).see)
    return Walls(network=network, files=files)


def _leave_network(parent: int) -> bool:
    """Have no network but an empty one of its own, where the kernel lets this user have that; end with the parent."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0)
    left = libc.unshare(_OWN_NETWORK) == 0 or libc.unshare(_OWN_USERS | _OWN_NETWORK) == 0
    # Behind the change of users, which the kernel answers by forgetting this.
    libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit("the parent was gone before this could be bound to it")
    return bool(left)


def _readable(root: str) -> tuple[str, ...]:
    """Return the files and folders of the program itself."""
    own = (os.path.join(root, "services"), os.path.join(root, "memory"))
    system = ("/usr/lib", "/usr/lib64", "/usr/share", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null")
    return (*own, sys.prefix, sys.base_prefix, sys.exec_prefix, *system, *map(str, mimetypes.knownfiles))


def _is_below(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(place + os.sep) for place in places)


class _Watch:
    """Refuses what no reader needs: connections, processes, other files."""

    def __init__(self, root: str) -> None:
        self._readable = _readable(root)

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Look at what the process is about to do.

        Raises:
            PermissionError: it may not.
        """
        if event == "open":
            self._look(*arguments)
        elif event.startswith(_FORBIDDEN):
            raise PermissionError(f"{event} is refused while a file is read")

    def _look(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        with contextlib.suppress(TypeError, ValueError):
            writes = isinstance(flags, int) and flags & _WRITING
            if not writes and _is_below(os.path.abspath(os.fsdecode(path)), self._readable):
                return
        raise PermissionError("only the program's own files may be opened while a file is read")
