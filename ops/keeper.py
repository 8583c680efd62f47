"""Ends what a supervisor leaves behind when it is killed. Run as a script, standard library only.

It reads `+<group>` and `-<group>` lines from a pipe that only the supervisor holds. End of file means that the
supervisor is gone, by whatever means: every group still listed gets SIGTERM, and SIGKILL a little later.
"""

import os
import signal
import sys
import time

PATIENCE_SECONDS = 2.0


def main() -> None:
    """Keep the list until the pipe ends, then end what is on it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        # A half line would name another group.
        if line.endswith("\n"):
            (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    end(groups)


def end(groups: set[int]) -> None:
    """End process groups.

    Args:
        groups: their ids.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    left = {group for group in groups if _send(group, signal.SIGTERM)}
    while left and time.monotonic() < until:
        time.sleep(0.05)
        left = {group for group in left if _send(group, 0)}
    for group in left:
        _send(group, signal.SIGKILL)


def _send(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main()
