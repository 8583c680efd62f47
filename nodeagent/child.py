"""One run of a supervised model server: a process group of its own that does not outlive the agent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from nodeagent import lifeline
from nodeagent.commands import ServerCommand
from nodeagent.processes import has_ended, signal_group

# -S -E: as small and as independent of the environment as an interpreter gets.
_LIFELINE = (sys.executable, "-S", "-E", str(Path(lifeline.__file__)))


class Child:
    """A model server that was started here. Its lines go where the agent's go."""

    def __init__(self, server: ServerCommand) -> None:
        """Start it.

        Args:
            server: what to run.

        Raises:
            OSError: no process can be started at all. A program that is not there ends the child with code 127.
        """
        # The pipe is kept open here and nowhere else: its end tells the other side that this process is gone.
        self._process = subprocess.Popen(
            (*_LIFELINE, *server.command),
            env={**os.environ, **server.environment},
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self.pid = self._process.pid

    def exit_code(self) -> int | None:
        """Return how it ended; what it has left behind is ended too.

        Returns:
            The exit code, 128 and the number for a signal; None while it runs.
        """
        if self._process.returncode is None and has_ended(self.pid):
            # Before it is reaped its id cannot belong to anybody else.
            self.send(signal.SIGKILL)
            self._process.wait()
            self._close_pipe()
        return self._process.returncode

    def send(self, number: int) -> None:
        """Send a signal to the server and everything it started.

        Args:
            number: of the signal.
        """
        if self._process.returncode is None:
            signal_group(self.pid, number)

    def memory_bytes(self) -> int:
        """Return the memory of the server and everything it started.

        Returns:
            Resident bytes in all, file pages of a mapped model included; 0 when it has just ended.
        """
        total = 0
        with suppress(psutil.NoSuchProcess):
            for one in psutil.Process(self.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    total += one.memory_info().rss
        return total

    def _close_pipe(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
