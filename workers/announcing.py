"""How a worker tells its supervisor that it takes work: one line on its log."""

from __future__ import annotations

import sys

# The worker's name follows.
CONSUMING = "consuming as "


def announce(worker: str) -> None:
    """Say, whatever the log level, that a worker takes work.

    Args:
        worker: `<lane>@<node>`.
    """
    sys.stderr.write(f"{CONSUMING}{worker}\n")
    sys.stderr.flush()
