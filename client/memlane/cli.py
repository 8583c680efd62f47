"""The command `memlane`: its own commands, and those an installed application adds through `memlane.commands`."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from io import TextIOWrapper

import click

GROUP = "memlane.commands"
OWN: Mapping[str, str] = {
    "health": "memlane.commands.health:health",
    "ingest": "memlane.commands.ingest:ingest",
    "search": "memlane.commands.search:search",
    "ask": "memlane.commands.ask:ask",
    "remember": "memlane.commands.remember:remember",
    "list": "memlane.commands.listing:listing",
    "profile": "memlane.commands.profile:profile",
    "history": "memlane.commands.history:history",
    "forget": "memlane.commands.forget:forget",
    "restore": "memlane.commands.restore:restore",
    "changes": "memlane.commands.changes:changes",
    "why": "memlane.commands.why:why",
    "undo": "memlane.commands.undo:undo",
    "erase": "memlane.commands.erase:erase",
    "erasures": "memlane.commands.erase:erasures",
    "conflicts": "memlane.commands.conflicts:conflicts",
    "decisions": "memlane.commands.decisions:decisions",
    "calibration": "memlane.commands.calibration:calibration",
    "spaces": "memlane.commands.spaces:spaces",
    "tags": "memlane.commands.tags:tags",
    "stats": "memlane.commands.stats:stats",
    "compress": "memlane.commands.compress:compress",
    "context": "memlane.commands.context:context",
    "scratchpad": "memlane.commands.context:scratchpad",
    "episodes": "memlane.commands.episodes:episodes",
    "jobs": "memlane.commands.jobs:jobs",
    "nodes": "memlane.commands.nodes:nodes",
    "reembed": "memlane.commands.reembed:reembed",
    "export": "memlane.commands.transfer:export",
    "import": "memlane.commands.transfer:bring_in",
    "tenants": "memlane.commands.tenants:tenants",
}
# Commands of the server's distribution: named here so that their absence is explained.
OF_SERVER: Mapping[str, str] = {
    "up": "Start the local stack.",
    "doctor": "Check this installation.",
    "keys": "Create, list, rotate and revoke API keys.",
}
EXIT_CODES = """\b
Exit codes:
  0    done
  1    the server or the work failed (also: some documents failed)
  2    the command line or what it carries is not valid
  3    the server cannot be reached
  4    nothing was found, or the present state does not allow it
  78   `up`: the configuration has to be changed first
  130  stopped with Ctrl-C

\b
Environment:
  MEMLANE_URL      the server; else http://127.0.0.1:8900
  MEMLANE_API_KEY  the key; a server on this machine alone needs none
  MEMLANE_ADMIN_KEY  the admin key, for `tenants` and for `keys --url`
"""
STOPPED = 130


class Commands(click.Group):
    """Loads a command only when it is used; one that cannot be loaded says so and stops nothing else."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*OWN, *sorted(set(_added() or OF_SERVER) - set(OWN))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None for an unknown name."""
        if cmd_name in OWN:
            return _own(OWN[cmd_name])
        added = _added()
        if cmd_name in added:
            return _load(cmd_name, added[cmd_name])
        if cmd_name in OF_SERVER and not added:
            hint = "It comes with the server: install `memlane-server` into this environment."
            return _explain(cmd_name, f"`memlane {cmd_name}` is not installed here. {hint}", OF_SERVER[cmd_name])
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a line; for an unknown name, say which one is near."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx), 1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from error


def _own(place: str) -> click.Command:
    module, _, name = place.partition(":")
    command = getattr(importlib.import_module(module), name)
    assert isinstance(command, click.Command)
    return command


def _added() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _load(name: str, entry: EntryPoint) -> click.Command:
    # Foreign code runs here: whatever it raises must not take the other commands down.
    try:
        command = entry.load()
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        return _explain(name, f"`memlane {name}` ({entry.value}) cannot be loaded. {reason}", "Cannot be loaded.")
    if isinstance(command, click.Command):
        return command
    return _explain(name, f"`memlane {name}` ({entry.value}) is not a command.", "Cannot be loaded.")


def _explain(name: str, sentence: str, help_text: str) -> click.Command:
    def explain() -> None:
        raise click.ClickException(sentence)

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=explain, help=help_text, context_settings=anything, add_help_option=False)


@click.command(cls=Commands, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="memlane", prog_name="memlane")
def memlane() -> None:
    """Long-term memory for AI agents, from the command line."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line.

    Args:
        arguments: without the program's name.

    Returns:
        The exit code. Every error has become a sentence on standard error; MEMLANE_DEBUG=1 adds the traceback.
    """
    try:
        code = memlane.main(list(arguments), prog_name="memlane", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped. What the server has accepted goes on.", err=True)
        return STOPPED
    except Exception as error:
        return _unforeseen(error)
    return code if isinstance(code, int) else 0


def _unforeseen(error: Exception) -> int:
    if os.environ.get("MEMLANE_DEBUG"):
        traceback.print_exception(error)
    sentence = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
    click.echo(f"Error: {sentence}", err=True)
    return 1


def force_utf8() -> None:
    """Make standard output and error UTF-8 whatever the locale; what has no UTF-8 form is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def main() -> None:
    """Run the command line of this process."""
    force_utf8()
    sys.exit(run(sys.argv[1:]))
