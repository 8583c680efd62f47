"""`memlane calibration`: show, fit, revert."""

import click

from memlane import judge_views
from memlane.call import WORDS, Call, asks, space
from memlane.groups import ShowsByDefault


@click.group(cls=ShowsByDefault)
def calibration() -> None:
    """Show how far judges are trusted, fit that, or go back."""


@calibration.command()
@space
@asks
def show(call: Call, space: str | None) -> None:
    """Show each judge with its labels, its active fit, and what a new one would change."""
    call.output.show(call.client.calibration(space=space), judge_views.calibration)


@calibration.command()
@click.option("--judge", type=click.Choice(("pair", "bucket")), help="Only this judge; else every one that has labels.")
@click.option("--apply-to-past", is_flag=True, help="Relabel the decisions of before too.")
@asks
def fit(call: Call, judge: str | None, apply_to_past: bool) -> None:
    """Fit judges to their labels; takes the key of a person."""
    answer = call.client.fit(judge=judge, apply_to_past=apply_to_past)
    call.output.show(answer, judge_views.fitted)
    call.warn(answer)


@calibration.command()
@click.argument("calibration_id", type=WORDS, metavar="ID")
@asks
def revert(call: Call, calibration_id: str) -> None:
    """Go back to the fit before, with every verdict that this one relabelled."""
    answer = call.client.revert_fit(calibration_id)
    call.output.show(answer, judge_views.reverted)
    call.warn(answer)
