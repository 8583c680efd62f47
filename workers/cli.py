"""`memlane-worker --node NAME --lane LANE`: a node's worker, which needs the broker's address and nothing else.

Models, ports and slots come from the inventory that the host publishes through the broker.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory.errors import InvalidInput
from memory.fleet import LANES
from services.environment import read_settings

# Of sysexits.h: whoever keeps this process running need not try again until the configuration is changed.
EXIT_CONFIG = 78


def main(arguments: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Run a worker of a node until it is told to stop.

    Args:
        arguments: of the command line; None for this process's.
        environ: of the process.

    Returns:
        The exit code; EXIT_CONFIG when starting again cannot help.
    """
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if not chosen.node.strip():
        parser.error("--node is empty: give the node's name as the inventory has it, for example --node card0-node0")
    given: dict[str, Any] = {"node": chosen.node, "redis_url": chosen.broker, "nodes": chosen.nodes}
    if not environ.get("MEMLANE_DATA_DIR"):
        given["data_dir"] = str(Path(tempfile.gettempdir()) / f"memlane-{os.getuid()}")
    if not (chosen.broker or environ.get("REDIS_URL") or environ.get("REDIS_URL_FILE") or _local(environ)):
        parser.error("the broker's address is missing: give --broker, or set REDIS_URL")
    try:
        settings = read_settings(environ, **{name: value for name, value in given.items() if value is not None})
        make_private(Path(settings.data_dir))
    except InvalidInput as error:
        parser.exit(EXIT_CONFIG, f"{error.message}\n")
    # Loaded here so that --help and a wrong command line answer at once.
    from workers.logs import start_logs
    from workers.run import run

    start_logs(settings.log_level)
    try:
        return run(chosen.lane, settings)
    except InvalidInput as error:
        parser.exit(EXIT_CONFIG, f"{error.message}\n")


def make_private(folder: Path) -> None:
    """Make the folder where both lanes of a node meet at the gate of its models.

    Args:
        folder: made for this user alone when it is not there.

    Raises:
        InvalidInput: it cannot be made, or belongs to somebody else, who could hold the gate shut.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = folder.stat()
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be used ({error.strerror}); set MEMLANE_DATA_DIR.") from error
    if found.st_uid != os.getuid():
        raise InvalidInput(f"{folder} belongs to another user; set MEMLANE_DATA_DIR.", field="MEMLANE_DATA_DIR")


def _local(environ: Mapping[str, str]) -> bool:
    """Whether the embedded broker of a data folder on this machine is meant."""
    return bool(environ.get("MEMLANE_DATA_DIR"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memlane-worker", description=__doc__)
    parser.add_argument("--node", required=True, help="the node it belongs to, as the inventory names it")
    parser.add_argument("--lane", required=True, choices=LANES)
    parser.add_argument("--broker", help="URL of the Redis server (REDIS_URL, which a process list does not show)")
    parser.add_argument("--nodes", help="inventory file, when it is not to come from the broker (MEMLANE_NODES)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
