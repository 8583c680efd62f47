"""The supervisor's end of the keeper."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ops import keeper


class KeeperLink:
    """Tells the keeper which process groups exist; starts it, and again should it die."""

    def __init__(self) -> None:
        """Start the keeper."""
        self._groups: set[int] = set()
        self._process = _start()

    @property
    def pid(self) -> int:
        """The keeper's process id."""
        return self._process.pid

    def add(self, group: int) -> None:
        """List a group.

        Args:
            group: its id.
        """
        self._groups.add(group)
        self._say(f"+{group}")

    def remove(self, group: int) -> None:
        """Strike a group off; needed once its leader is reaped, because the id may be used again.

        Args:
            group: its id.
        """
        self._groups.discard(group)
        self._say(f"-{group}")

    def close(self) -> None:
        """Let the keeper go; it ends what is still listed."""
        pipe = self._process.stdin
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                self._groups.clear()  # it died before us, and nothing is left to tell
        self._process.wait(keeper.PATIENCE_SECONDS + 3)

    def _say(self, line: str) -> None:
        try:
            self._write(line)
        except BrokenPipeError:
            self._process.wait()
            self._process = _start()
            for group in sorted(self._groups):
                self._write(f"+{group}")

    def _write(self, line: str) -> None:
        pipe = self._process.stdin
        if pipe is not None:
            # One write below PIPE_BUF arrives whole or not at all.
            pipe.write(f"{line}\n".encode())
            pipe.flush()


def _start() -> subprocess.Popen[bytes]:
    # -S -E: as small and as independent of the environment as an interpreter gets.
    command = [sys.executable, "-S", "-E", str(Path(keeper.__file__))]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
