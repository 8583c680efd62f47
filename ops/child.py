"""A running part: a process of ours in a session of its own, or a broker that outlived an earlier supervisor."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from nodeagent.processes import has_ended, signal_group
from ops.part import Part
from workers.announcing import CONSUMING

ROOT = Path(__file__).resolve().parent.parent
LAST_LINES = 30
LAST_LINES_SECONDS = 0.5


class Running(Protocol):
    """Something that can be watched and ended."""

    pid: int
    group: int | None  # process group of its own; None when it shares one
    announced: bool
    last_lines: deque[str]

    def exit_code(self) -> int | None:
        """Return how it ended; None while it runs."""
        ...

    def send(self, number: int) -> None:
        """Send a signal to it and everything it started."""
        ...


class Child:
    """A process that was started here."""

    def __init__(self, part: Part, write: Callable[[str], None]) -> None:
        """Start it.

        Args:
            part: what to run.
            write: takes its lines.

        Raises:
            OSError: the program cannot be run.
        """
        # Run from the root: a folder called `api` where the user stands must not be taken for ours.
        self._process = subprocess.Popen(
            part.command,
            env=dict(part.environment) or None,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.group: int | None = self.pid
        self.announced = False
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._write = write
        self._reader = threading.Thread(target=self._read, name=f"log of {part.name}", daemon=True)
        self._reader.start()

    def exit_code(self) -> int | None:
        """Return how it ended; what it has left behind is ended too.

        Returns:
            The exit code, negative for a signal; None while it runs.
        """
        if self._process.returncode is None and has_ended(self.pid):
            # Before it is reaped its id cannot belong to anybody else.
            self.send(signal.SIGKILL)
            self._process.wait()
            # Its last lines say why it ended; whoever else holds the pipe must not hold up the supervisor.
            self._reader.join(LAST_LINES_SECONDS)
        return self._process.returncode

    def send(self, number: int) -> None:
        """Send a signal to it and everything it started.

        Args:
            number: of the signal.
        """
        if self._process.returncode is None:
            signal_group(self.pid, number)

    def _read(self) -> None:
        pipe = self._process.stdout
        if pipe is None:
            return
        with pipe:
            for raw in pipe:
                line = raw.decode(errors="replace").rstrip()
                self.announced = self.announced or line.startswith(CONSUMING)
                if line:
                    self.last_lines.append(line)
                    self._write(line)


class Adopted:
    """A process that somebody else started and that is ours all the same."""

    def __init__(self, pid: int) -> None:
        """Take it over.

        Args:
            pid: its process id.
        """
        self.pid = pid
        self.group: int | None = pid if os.getpgid(pid) == pid else None
        self.announced = True
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)

    def exit_code(self) -> int | None:
        """Return 0 when it is gone; how it ended cannot be known.

        Returns:
            0, or None while it runs.
        """
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def send(self, number: int) -> None:
        """Send a signal to it.

        Args:
            number: of the signal.
        """
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
