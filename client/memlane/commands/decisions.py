"""`memlane decisions`: list, label."""

from typing import Any

import click

from memlane import judge_views
from memlane.call import WORDS, Call, asks, space
from memlane.groups import ListsByDefault

JUDGES = click.Choice(("pair", "kind", "bucket"))


@click.group(cls=ListsByDefault)
def decisions() -> None:
    """List what judges answered (the default), or label it."""


@decisions.command("list")
@space
@click.option("--judge", type=JUDGES, help="Only of this judge.")
@click.option("--verdict", type=WORDS, help="Only those that were answered so.")
@click.option("--labelled/--unlabelled", default=None, help="Only those with, or without, a label.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Most decisions.")
@asks
def list_decisions(call: Call, **which: Any) -> None:
    """List decisions, newest first."""
    call.output.show(call.client.decisions(**which)["decisions"], judge_views.decisions)


@decisions.command()
@click.argument("decision_id", type=WORDS, metavar="ID")
@click.option("--right", is_flag=True, help="The verdict is right.")
@click.option("--wrong", is_flag=True, help="The verdict is wrong; which is right is not said.")
@click.option("--as", "option", type=WORDS, help="The option that is right.")
@asks
def label(call: Call, decision_id: str, right: bool, wrong: bool, option: str | None) -> None:
    """Say what an answer should have been; takes the key of a person."""
    if [right, wrong, option is not None].count(True) != 1:
        raise click.UsageError("Give one of --right, --wrong and --as OPTION.")
    said = call.client.decision(decision_id)["verdict"] if right else option
    done = call.client.label(decision_id, option=said, wrong=wrong)
    call.output.show([done] if "verdict" in done else [], judge_views.decisions)
    call.warn(done)
