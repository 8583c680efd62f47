"""`memlane ingest`."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import click

from memlane import views
from memlane.call import MOMENT, WORDS, Call, asks, merged, metadata, space
from memlane.folders import Entry, walk
from memlane.ingest import How, Ingest, Report
from memlane.progress import bars
from memlane.texts import read_stdin
from memlane.web_pages import Page, is_url


class Place(click.Path):
    """A file, a folder, `-`, or the URL of a page."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a page for a URL, else the path."""
        if isinstance(value, str) and is_url(value):
            return Page(url=WORDS.convert(value, param, ctx))
        return super().convert(value, param, ctx)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=Place(exists=True, allow_dash=True, path_type=Path))
@space
@click.option("--date", type=MOMENT, metavar="WHEN", help="What relative dates in the text refer to (ISO 8601).")
@metadata
@click.option("--custom-id", type=WORDS, metavar="ID", help="Your own id, for one file, page or standard input.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait until every document is done (the default), or only hand in."
)
@asks
def ingest(call: Call, paths: tuple[Path | Page, ...], pairs: tuple[tuple[str, str], ...], **options: Any) -> int:
    """Remember files, folders, pages or standard input (`-`)."""
    _check(paths, options["custom_id"])
    with bars(call.output.errors) as progress:
        how = How(metadata=merged(pairs), **options)
        run = Ingest(call.client, how, progress, warn=lambda sentence: call.warn({"warning": sentence}))
        alone = [str(path) for path in paths] == ["-"]
        report = run.text(read_stdin(), shown="-") if alone else run.files(_entries(paths))
    return _show(call, report)


def _check(paths: Sequence[Path | Page], custom_id: str | None) -> None:
    if len(paths) > 1 and any(str(path) == "-" for path in paths):
        raise click.UsageError("Standard input (`-`) cannot be mixed with files and pages.")
    if custom_id and (len(paths) > 1 or (isinstance(paths[0], Path) and paths[0].is_dir())):
        raise click.UsageError("--custom-id names one document: give one file, page or `-`.")


def _entries(paths: Sequence[Path | Page]) -> Iterator[Entry | Page]:
    """Return pages first, each once: the server fetches them while files are still sent."""
    pages = {path.custom_id: path for path in paths if isinstance(path, Page)}
    return chain(pages.values(), walk([path for path in paths if isinstance(path, Path)]))


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
