"""`python -m api`: settings from the environment, real adapters, one server process."""

from __future__ import annotations

import logging
import os
import sys

from api.app import create_app
from api.server import make_server, run
from memory.addresses import is_loopback
from memory.errors import Forbidden, InvalidInput, MemlaneError
from memory.settings import Settings
from services import admin, configured_model, keys, log_lines, wiring_host
from services.environment import read_settings
from services.host import Host
from workers.broker_facts import read_facts
from workers.fleet_facts import RedisFleet
from workers.scratchpads import RedisScratchpads
from workers.sight import host_sight
from workers.transport import RedisReplies, connect, make_queue

# Of sysexits.h: whoever supervises this need not try again until the configuration is changed.
EXIT_CONFIG = 78


def main() -> None:
    """Serve until SIGTERM; exit 0, or EXIT_CONFIG with a sentence when the server cannot start as configured."""
    try:
        settings = read_settings(os.environ)
        log_lines.start(settings.log_level)
        # Names the path of every caller that leaves, which may carry a customId.
        logging.getLogger("waitress").setLevel(logging.WARNING)
        client = connect(settings)
        host = wiring_host.build(
            settings,
            queue=make_queue(settings),
            replies=RedisReplies(client),
            facts=lambda: read_facts(client),
            fleet=RedisFleet(client),
            sight=host_sight(client, settings),
            scratchpads=RedisScratchpads(client),
        )
        require_keys(host, settings)
        for sentence in configured_model.warnings(host):
            logging.getLogger("memlane.api").error("%s", sentence)
        server = make_server(create_app(host), settings)
        tell_first_key(host)
    except (MemlaneError, OSError, ValueError) as error:
        print(f"The API could not start: {error}", file=sys.stderr)  # noqa: T201 - the supervisor's log
        sys.exit(EXIT_CONFIG if isinstance(error, (InvalidInput, Forbidden)) else 1)
    run(server)


def require_keys(host: Host, settings: Settings) -> None:
    """Refuse to listen where other machines can reach, as long as nobody has a key.

    Raises:
        Forbidden: the address is not loopback and no key is valid.
    """
    if not is_loopback(settings.host) and not keys.any_valid(host):
        raise Forbidden(
            f"Listening on {settings.host} needs a key, because other machines can reach it; "
            "make one with `memlane keys create`."
        )


def tell_first_key(host: Host) -> None:
    """Make the admin key of a store that never had one, and show it this once.

    It goes past the log, to standard error: of a terminal, or of whoever keeps this process's output.
    """
    secret = admin.first_key(host)
    if secret is not None:
        sys.stderr.write(f"The admin key of this store, shown only now: {secret}\n")
        sys.stderr.write("It opens /v1/admin; `memlane keys admin` makes another and ends this one.\n")
        sys.stderr.flush()


if __name__ == "__main__":
    main()
