"""Commands that the application adds to `memlane`; each module is loaded only when its command runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from memory.errors import InvalidInput, MemlaneError
from services.environment import read_settings

if TYPE_CHECKING:
    from ops.finding import Finding


class ConfigurationError(click.ClickException):
    """Starting again cannot help until the settings, the inventory or a file they name is changed."""

    # EX_CONFIG of sysexits.h, which the units of systemd do not start again.
    exit_code = 78


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what Memlane refuses into a sentence and an exit code."""
    from ops.part import ConfigurationWrong

    try:
        yield
    except (InvalidInput, ConfigurationWrong) as error:
        raise ConfigurationError(error.message) from error
    except MemlaneError as error:
        raise click.ClickException(error.message) from error


@click.command()
@click.option("--data-dir", help="Folder of the store, the broker's files and the logs (MEMLANE_DATA_DIR).")
@click.option("--port", type=click.IntRange(1, 65535), help="Port the API listens on (MEMLANE_PORT).")
@click.option("--host", help="Address the API listens on (MEMLANE_HOST).")
@click.option("--nodes", help="Inventory of the fleet: run the host's part against it (MEMLANE_NODES).")
@click.option("--with-workers", is_flag=True, help="Also run the workers and the agent of each of its nodes here.")
@click.option("--flower", is_flag=True, help="Also run Flower, on this machine only; run/flower.password lets you in.")
@click.option("--flower-port", type=click.IntRange(1, 65535), help="Port of Flower (MEMLANE_FLOWER_PORT).")
def up(with_workers: bool, flower: bool, **given: str | int | None) -> None:
    """Run the stack, or the host of a fleet, until Ctrl-C. Exits 78 when its configuration has to be changed first."""
    from ops.up import up as run
    from ops.wanted import choose

    with _refusals():
        settings = read_settings(os.environ, **{name: value for name, value in given.items() if value is not None})
        wanted = choose(settings, workers=with_workers, flower=flower)
        sys.exit(run(settings, wanted, out=sys.stdout, err=sys.stderr))


@click.command()
@click.option("--once", is_flag=True, help="End after the questions instead of serving.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the API; a free one when left out.")
def demo(once: bool, port: int | None) -> None:
    """Show what Memlane does, on a throw-away data folder."""
    from ops.demo import demo as run

    sys.exit(run(once=once, port=port))


@click.command()
@click.option("--data-dir", help="Folder of the store (MEMLANE_DATA_DIR).")
@click.option("--nodes", help="Inventory of the fleet (MEMLANE_NODES).")
@click.option("--repair", is_flag=True, help="Build a full-text index that does not match its text anew.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(repair: bool, as_json: bool, **given: str | None) -> None:
    """Say what works and what runs on which model. Exits 1 when there is a problem."""
    from ops.doctor import examine

    try:
        settings = read_settings(os.environ, **{name: value for name, value in given.items() if value})
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
