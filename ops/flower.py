"""`python -m ops.flower`: Flower, the page that shows Celery's tasks, kept small and behind a password.

It is for looking, and never the source of a status, which `/v1/lanes` is. Its state is a file of its own; deleting it
loses a list and nothing else.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil

from memory.errors import InvalidInput, MemlaneError
from memory.settings import Settings
from ops.flower_access import USER
from services.environment import read_settings
from workers.app import make_app

log = logging.getLogger("ops.flower")

# Flower keeps 100,000 by default, which is some hundred MB; nobody pages through more than this.
MAX_TASKS = 5000
SAVE_SECONDS = 60
# It holds 5,000 tasks in about 80 MB; above this something leaks, and a start anew from its file ends that.
MEMORY_BYTES = 256 * 1024 * 1024
LOOK_SECONDS = 10.0
# Whoever keeps this process running starts it again after any code but 0 and EXIT_CONFIG.
EXIT_TOO_LARGE = 3
EXIT_CONFIG = 78


def serve(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT, or until it is too large.

    Args:
        settings: `flower_*`, the broker's address and the data folder.

    Returns:
        The exit code: 0 after a signal, `EXIT_TOO_LARGE` to be started again.

    Raises:
        InvalidInput: there is no password.
        OSError: the address cannot be listened on.
    """
    if not settings.flower_password:
        raise InvalidInput("Flower needs a password: set MEMLANE_FLOWER_PASSWORD or MEMLANE_FLOWER_PASSWORD_FILE.")
    from flower.app import Flower
    from flower.urls import settings as web
    from tornado.ioloop import PeriodicCallback

    page = Flower(capp=make_app(settings), options=_configured(settings), **web)
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        page.stop()  # saves its state

    _on_signals(lambda: page.io_loop.add_callback_from_signal(end, 0))
    PeriodicCallback(lambda: None if _size() < MEMORY_BYTES else end(EXIT_TOO_LARGE), LOOK_SECONDS * 1000).start()
    page.start_http_server()
    log.info("http://%s:%s, user %s", settings.flower_host, settings.flower_port, USER)
    page.start()
    return codes[0]


def _configured(settings: Settings) -> Any:
    from tornado.options import options

    folder = Path(settings.data_dir).absolute() / "flower"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    chosen: Mapping[str, Any] = {
        "address": settings.flower_host,
        "port": settings.flower_port,
        # Set here and not on a command line, where every user of the machine could read it.
        "basic_auth": [f"{USER}:{settings.flower_password}"],
        "max_tasks": MAX_TASKS,
        "persistent": True,
        "db": str(folder / "state"),
        "state_save_interval": SAVE_SECONDS * 1000,
        "read_only": True,  # work is retried and cancelled in the ledger, not in the transport
        "enable_events": False,  # the workers were told at their start; they listen to no broadcasts
        "tasks_columns": "name,kwargs,state,received,runtime,worker",
    }
    for name, value in chosen.items():
        setattr(options, name, value)
    return options


def _size() -> int:
    return int(psutil.Process().memory_info().rss)


def _on_signals(act: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: act())


def main() -> int:
    """Read the settings and serve.

    Returns:
        The exit code; EXIT_CONFIG when starting again cannot help.
    """
    try:
        settings = read_settings(os.environ)
        logging.basicConfig(level=settings.log_level.upper(), stream=sys.stderr, format="%(levelname)s %(message)s")
        # Without remote control no worker answers its questions, which it says again and again.
        for quiet in ("tornado.access", "flower.inspector"):
            logging.getLogger(quiet).setLevel(logging.ERROR)
        return serve(settings)
    except InvalidInput as error:
        log.error("%s", error.message)
        return EXIT_CONFIG
    except (MemlaneError, OSError) as error:
        log.error("Flower could not start: %s", error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
