"""Commands that the application adds to `memlane`; each module is loaded only when its command runs."""

from __future__ import annotations

import os
import sys

import click

from memory.errors import MemlaneError
from memory.settings import from_environ


@click.command()
@click.option("--data-dir", help="Folder of the store, the broker's files and the logs (MEMLANE_DATA_DIR).")
@click.option("--port", type=click.IntRange(1, 65535), help="Port the API listens on (MEMLANE_PORT).")
@click.option("--host", help="Address the API listens on (MEMLANE_HOST).")
def up(data_dir: str | None, port: int | None, host: str | None) -> None:
    """Run the whole stack on this machine until Ctrl-C."""
    from ops.up import up as run

    given = {"data_dir": data_dir, "port": port, "host": host}
    try:
        settings = from_environ(os.environ, **{name: value for name, value in given.items() if value is not None})
        sys.exit(run(settings, out=sys.stdout, err=sys.stderr))
    except MemlaneError as error:
        raise click.ClickException(error.message) from error


@click.command()
@click.option("--once", is_flag=True, help="End after the questions instead of serving.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the API; a free one when left out.")
def demo(once: bool, port: int | None) -> None:
    """Show what Memlane does, on a throw-away data folder."""
    from ops.demo import demo as run

    sys.exit(run(once=once, port=port))
