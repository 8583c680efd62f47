"""`memlane conflicts`: list, show, resolve."""

from typing import Any

import click

from memlane import conflict_views
from memlane.call import WORDS, Call, asks, space
from memlane.groups import ListsByDefault

KINDS = click.Choice(("contradiction", "low_confidence", "unjudged", "inferred"))
STATES = click.Choice(("open", "resolved", "all"))
RESOLUTIONS = click.Choice(("keep_incumbent", "take_candidate", "keep_both", "edit"))


@click.group(cls=ListsByDefault)
def conflicts() -> None:
    """List what waits for a person (the default), or decide it."""


@conflicts.command("list")
@space
@click.option("--kind", type=KINDS, help="Only of this kind.")
@click.option("--state", type=STATES, help="Open ones unless told otherwise.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Most entries.")
@asks
def list_conflicts(call: Call, **which: Any) -> None:
    """List entries, newest first."""
    call.output.show(call.client.conflicts(**which)["conflicts"], conflict_views.conflicts)


@conflicts.command()
@click.argument("conflict_id", type=WORDS, metavar="ID")
@space
@asks
def show(call: Call, conflict_id: str, space: str | None) -> None:
    """Show an entry: the memory, what stands against it, what the judge said."""
    call.output.show(call.client.conflict(conflict_id, space=space), conflict_views.conflict)


@conflicts.command()
@click.argument("conflict_id", type=WORDS, metavar="ID")
@click.argument("resolution", type=RESOLUTIONS)
@click.option("--text", type=WORDS, help="What becomes current; belongs to `edit`, and only to it.")
@click.option("--reason", type=WORDS, help="Kept with the resolution and with what it retires.")
@space
@asks
def resolve(call: Call, conflict_id: str, resolution: str, **said: Any) -> None:
    """Decide an entry; takes the key of a person."""
    if (resolution == "edit") != (said["text"] is not None):
        raise click.UsageError("--text belongs to `edit`, and only to it.")
    done = call.client.resolve(conflict_id, resolution, **said)
    call.output.show(done, conflict_views.conflict)
    call.warn(done)
