"""The kernel's own wall around files and connections, for a process that gives up its rights (Linux 5.13 and newer).

Source: the kernel's `Documentation/userspace-api/landlock.rst`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Mapping

# The same numbers on every architecture.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
# What is handled is forbidden unless a rule allows it, by the version that knows it.
_FILE_RIGHTS: Mapping[int, int] = {1: 0x1FFF, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_CONNECTIONS = (4, 0b11)  # binding and connecting TCP
_SCOPES = (6, 0b11)  # abstract sockets of others, signals to others


def restrict(readable: Mapping[str, int]) -> bool:
    """Forbid this process every file but those named, and every TCP connection, for good.

    Args:
        readable: the rights (`READ_FILE`, `READ_DIR`) by path; what is missing on this machine is passed over.

    Returns:
        Whether the kernel did so; False where it cannot.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE, None, 0, _ASK_VERSION)
    if version < 1:
        return False
    handled = sum(right for since, right in _FILE_RIGHTS.items() if since <= version)
    wanted = struct.pack("=Q", handled)
    for since, right in (_CONNECTIONS, _SCOPES):
        if since <= version:
            wanted += struct.pack("=Q", right)
    rules = libc.syscall(_CREATE, wanted, len(wanted), 0)
    if rules < 0:
        return False
    try:
        for path, rights in readable.items():
            _allow(libc, rules, path, rights)
        return bool(libc.syscall(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            # A file has no directory to be read.
            mine = rights if stat.S_ISDIR(os.fstat(place).st_mode) else rights & ~READ_DIR
            libc.syscall(_ADD, rules, _PATH_BENEATH, struct.pack("=Qi", mine, place), 0)
        finally:
            os.close(place)
