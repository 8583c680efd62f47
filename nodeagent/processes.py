"""Which process a number means: process ids are used again, and mean something else on another machine."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def this_machine() -> str:
    """Return what tells this run of this machine, and this container on it, from every other.

    Returns:
        The kernel's boot id and the number of the process id namespace; empty where the kernel shows neither.
    """
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.stat(PROC / 'self/ns/pid').st_ino}"
    except OSError:
        return ""


def started_ticks(pid: int) -> int | None:
    """Return when a process was started.

    Args:
        pid: its id.

    Returns:
        Clock ticks since the machine's start; None when there is no such process, or it has ended and waits to be
        reaped.
    """
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in brackets may hold spaces and brackets itself; the state follows it.
    fields = text[text.rindex(")") + 1 :].split()
    return None if fields[0] in "ZX" else int(fields[19])


def has_ended(pid: int) -> bool:
    """Return whether a child of this process has ended; it is not reaped, so that its id stays its own.

    Args:
        pid: of the child.
    """
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def signal_group(pid: int, number: int) -> None:
    """Send a signal to a child that leads a process group, and to everything it started; one that is gone is no error.

    Args:
        pid: of the child, which must not have been reaped: its id could belong to another process.
        number: of the signal.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
