"""`memlane jobs`: list, show, retry, cancel."""

import time
from typing import Any

import click

from memlane import views
from memlane.call import WORDS, Call, asks, space
from memlane.groups import ListsByDefault
from memlane.watching import watch, watch_all

STATES = ("queued", "running", "done", "partial", "failed", "cancelled")


@click.group(cls=ListsByDefault)
def jobs() -> None:
    """List jobs (the default), show one, retry or cancel it."""


@jobs.command("list")
@space
@click.option("--state", type=click.Choice(STATES), help="Only jobs in this state.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Most jobs.")
@click.option(
    "--watch", "watching", is_flag=True, help="Print each change until none is under way (JSON lines with --json)."
)
@asks
def list_jobs(call: Call, watching: bool, **which: Any) -> int:
    """List jobs, newest first."""
    if watching:
        return watch_all(call, pause=time.sleep, **which)
    call.output.show(call.client.jobs(**which)["jobs"], views.jobs)
    return 0


@jobs.command()
@click.argument("job_id", type=WORDS, metavar="ID")
@space
@click.option("--watch", "watching", is_flag=True, help="Print each change until it ends (JSON lines with --json).")
@asks
def show(call: Call, job_id: str, space: str | None, watching: bool) -> int:
    """Show one job; with --watch exits 1 when it failed."""
    if watching:
        return watch(call, job_id, space=space, pause=time.sleep)
    call.output.show(call.client.job(job_id, space=space), views.fields)
    return 0


@jobs.command()
@click.argument("job_id", type=WORDS, metavar="ID")
@space
@asks
def retry(call: Call, job_id: str, space: str | None) -> None:
    """Send the failed items of a job again."""
    call.output.show(call.client.retry_job(job_id, space=space), views.fields)


@jobs.command()
@click.argument("job_id", type=WORDS, metavar="ID")
@space
@asks
def cancel(call: Call, job_id: str, space: str | None) -> None:
    """Stop a job; what it has committed is kept."""
    call.output.show(call.client.cancel_job(job_id, space=space), views.fields)
