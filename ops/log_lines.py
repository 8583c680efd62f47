"""Writes the lines of many processes to one place, each with its name in front."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TextIO

_COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)


class LogLines:
    """A place that many threads write whole lines to."""

    def __init__(self, out: TextIO, names: tuple[str, ...], environ: Mapping[str, str] = os.environ) -> None:
        """Choose widths and colours.

        Args:
            out: where to; colour is used on a terminal only, and not with NO_COLOR set.
            names: of the processes.
            environ: of this process.
        """
        self._out = out
        self._width = max(map(len, names), default=0)
        coloured = out.isatty() and "NO_COLOR" not in environ
        self._colours = {name: _COLOURS[at % len(_COLOURS)] for at, name in enumerate(names)} if coloured else {}
        self._lock = threading.Lock()
        self._broken = False

    def write(self, name: str, line: str) -> None:
        """Write a line.

        Args:
            name: whose.
            line: without its line end.
        """
        prefix = f"{name:<{self._width}} |"
        if name in self._colours:
            prefix = f"\x1b[{self._colours[name]}m{prefix}\x1b[0m"
        with self._lock:
            self._put(f"{prefix} {line}\n")

    def _put(self, text: str) -> None:
        if self._broken:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):
            # Whoever read the log is gone. The processes must go on, and their pipes must still be emptied.
            self._broken = True
