"""`python -m workers <lane> [--node NAME]`: one worker process.

Lanes: interactive, background (on nodes), host, reconcile (on the truth plane), and beat, which only sends ticks.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from memory.errors import InvalidInput
from memory.settings import Settings
from services.environment import read_settings
from workers.cli import EXIT_CONFIG
from workers.logs import start_logs

LANES = ("interactive", "background", "host", "reconcile", "beat")


def main(arguments: Sequence[str], environ: dict[str, str]) -> int:
    """Run a worker until it is told to stop.

    Args:
        arguments: of the command line.
        environ: of the process.

    Returns:
        The exit code; EXIT_CONFIG when starting again cannot help.
    """
    parser = argparse.ArgumentParser(prog="python -m workers", description=__doc__)
    parser.add_argument("lane", choices=LANES)
    parser.add_argument("--node", help="the node the process belongs to (MEMLANE_NODE)")
    chosen = parser.parse_args(arguments)
    try:
        settings = read_settings(environ, **({"node": chosen.node} if chosen.node else {}))
        return _run(chosen.lane, settings)
    except InvalidInput as error:
        parser.exit(EXIT_CONFIG, f"{error.message}\n")


def _run(lane: str, settings: Settings) -> int:
    start_logs(settings.log_level)
    if lane == "beat":
        from workers.beat import run_beat

        return run_beat(settings)
    # Loaded here so that beat, which only sends, does not carry what workers need (20 MB).
    from workers.run import run

    return run(lane, settings)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], dict(os.environ)))
