"""The gate in front of a node's model server: interactive calls do not wait for more than one background call.

The lanes are separate processes, so the gate is a file with locks that the kernel releases when their holder dies. It
is named after the server, so lanes with servers of their own never meet at it.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

log = logging.getLogger(__name__)

# How often the background looks whether the way is free; a tenth of a short model call.
LOOK_SECONDS = 0.004
# Interactive work comes first, but background items must end within their lease, whatever hangs.
PATIENCE_SECONDS = 20.0


class Gate:
    """One process's side of the gate of one server. Thread safe: every passage opens the file anew."""

    def __init__(self, folder: Path, url: str) -> None:
        """Name the files; nothing is opened yet.

        Args:
            folder: private to the user, the same for both lanes of the node.
            url: of the server.
        """
        name = hashlib.sha256(url.encode()).hexdigest()[:16]
        self._folder = folder
        self._calls = folder / f"gate-{name}.calls"
        self._served = folder / f"gate-{name}.served"
        self._serving: int | None = None

    def serve(self, on: bool) -> None:
        """Say whether this process takes interactive work for the server."""
        if on and self._serving is None:
            self._serving = self._open(self._served)
            fcntl.flock(self._serving, fcntl.LOCK_SH)
        elif not on and self._serving is not None:
            os.close(self._serving)
            self._serving = None

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """Hold the background back while the block makes an interactive call."""
        descriptor = self._open(self._calls)
        try:
            # Waits only for the instant in which the background looks.
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            yield
        finally:
            os.close(descriptor)

    def is_shared(self) -> bool:
        """Return whether a live process takes interactive work for the same server."""
        return self._served.exists() and not self._free(self._served)

    def give_way(self, patience: float = PATIENCE_SECONDS) -> float:
        """Wait until no interactive call is under way.

        Args:
            patience: the longest wait in seconds.

        Returns:
            How long it took, seconds.
        """
        began = time.monotonic()
        while not self._free(self._calls):
            if time.monotonic() - began > patience:
                log.warning("background work no longer waits for the interactive calls under way")
                break
            time.sleep(LOOK_SECONDS)
        return time.monotonic() - began

    def _free(self, path: Path) -> bool:
        descriptor = self._open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)
        return True

    def _open(self, path: Path) -> int:
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
