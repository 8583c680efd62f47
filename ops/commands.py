"""Commands that the application adds to `memlane`; each module is loaded only when its command runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from memory.errors import MemlaneError
from memory.settings import from_environ

if TYPE_CHECKING:
    from ops.doctor import Finding


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


@click.command()
@click.option("--data-dir", help="Folder of the store (MEMLANE_DATA_DIR).")
@click.option("--repair", is_flag=True, help="Build a full-text index that does not match its text anew.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(data_dir: str | None, repair: bool, as_json: bool) -> None:
    """Say what works and what runs on which model. Exits 1 when there is a problem."""
    from ops.doctor import examine

    try:
        settings = from_environ(os.environ, **({"data_dir": data_dir} if data_dir else {}))
        found = examine(settings, settings.url, repair=repair)
    except MemlaneError as error:
        raise click.ClickException(error.message) from error
    _show(found, as_json)
    sys.exit(any(one.state == "problem" for one in found))


def _show(found: Sequence[Finding], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"findings": [asdict(one) for one in found]}, ensure_ascii=False))
        return
    for one in found:
        click.echo(f"{one.state:<8} {one.area}: {one.sentence}")
