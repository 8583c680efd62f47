"""`memlane ingest`."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memlane import views
from memlane.call import MOMENT, WORDS, Call, asks, merged, metadata, space
from memlane.folders import walk
from memlane.ingest import How, Ingest, Report
from memlane.progress import bars
from memlane.texts import read_stdin


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True, path_type=Path))
@space
@click.option("--date", type=MOMENT, metavar="WHEN", help="What relative dates in the text refer to (ISO 8601).")
@metadata
@click.option("--custom-id", type=WORDS, metavar="ID", help="Your own id, for one file or standard input.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait until every document is done (the default), or only hand in."
)
@asks
def ingest(call: Call, paths: tuple[Path, ...], pairs: tuple[tuple[str, str], ...], **options: Any) -> int:
    """Remember files, folders, or standard input (`-`)."""
    _check(paths, options["custom_id"])
    with bars(call.output.errors) as progress:
        how = How(metadata=merged(pairs), **options)
        run = Ingest(call.client, how, progress, warn=lambda sentence: call.warn({"warning": sentence}))
        alone = [str(path) for path in paths] == ["-"]
        report = run.text(read_stdin(), shown="-") if alone else run.files(walk(paths))
    return _show(call, report)


def _check(paths: tuple[Path, ...], custom_id: str | None) -> None:
    if len(paths) > 1 and any(str(path) == "-" for path in paths):
        raise click.UsageError("Standard input (`-`) cannot be mixed with files.")
    if custom_id and (len(paths) > 1 or paths[0].is_dir()):
        raise click.UsageError("--custom-id names one document: give one file or `-`.")


def _show(call: Call, report: Report) -> int:
    documents = [asdict(outcome) for outcome in report.outcomes]
    for outcome in report.outcomes:
        if outcome.state == "failed":
            call.output.note(f"failed   {outcome.path}: {outcome.reason}")
        elif outcome.state == "ingested" and outcome.reason:
            call.output.note(f"note     {outcome.path}: {outcome.reason}")
    if report.stopped_by is not None:
        call.output.note(f"Error: {report.stopped_by.message} {report.stopped_by.hint or ''}")
    call.output.show({"documents": documents, "summary": report.counts()}, views.ingested)
    return report.exit_code()
