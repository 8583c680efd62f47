"""`memlane export` and `memlane import`: everything there is, as JSON lines and back, and what others give out."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import click

from memlane import importers, views
from memlane.call import WORDS, Call, asks
from memlane.errors import Forbidden, MemlaneError, NotMemlane, Unauthenticated, Unreachable
from memlane.importers import Document, Entry, Fact, Left
from memlane.render import Block, Rows

# The server's largest batch.
MOST_FACTS = 100
LOOK_SECONDS = 0.5
# After one of these every further entry would fail the same way.
HOPELESS = (Unreachable, NotMemlane, Unauthenticated, Forbidden)


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--container-tag", "spaces", metavar="SPACE", type=WORDS, multiple=True,
              help="A space to export, may be repeated; else every space.")  # fmt: skip
@click.option("--vectors", is_flag=True, help="With the vectors; else an import has them made anew.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@asks
def export(call: Call, path: Path, force: bool, **which: Any) -> None:
    """Write everything there is to a file.

    Of the spaces named, else of all of them; PATH `-` is standard output.
    """
    if str(path) == "-":
        counts = call.client.export(sys.stdout.buffer.write, **which)
        call.output.note(_sentence(counts))
        return
    if path.exists() and not force:
        raise click.UsageError(f"{path} is there already; --force replaces it.")
    call.output.show(_written(call, path, **which), counts_view)


def _written(call: Call, path: Path, **which: Any) -> Mapping[str, int]:
    """Write an export beside its place and put it there once it is whole, readable by nobody else."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            counts = call.client.export(file.write, **which)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return counts


@click.command("import")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--container-tag", "space", metavar="SPACE", type=WORDS,
              help="Another name for an export's one space, or where a list goes; else as the file says.")  # fmt: skip
@click.option("--wait/--no-wait", default=True, help="Wait until an export is there (the default), or only hand in.")
@asks
def bring_in(call: Call, path: Path, space: str | None, wait: bool) -> int:
    """Bring in an export, a list or a Markdown folder.

    PATH is an export of Memlane, a JSON list of Supermemory's documents or memories, or a folder of Markdown files.
    """
    if path.is_dir() or path.suffix.lower() in importers.MARKDOWN:
        return _handed_in(call, importers.of_folder(path), space)
    if not importers.is_export(path):
        return _handed_in(call, importers.of_list(path), space)
    return _restored(call, path, space, wait)


def _restored(call: Call, path: Path, space: str | None, wait: bool) -> int:
    with path.open("rb") as file:
        made = call.client.import_export(file, space=space)
    while wait and made["state"] in ("waiting", "importing"):
        time.sleep(LOOK_SECONDS)
        made = call.client.import_state(made["id"])
    call.output.show(made, views.fields)
    return 1 if made["state"] == "failed" else 0


def _handed_in(call: Call, entries: Iterable[Entry], space: str | None) -> int:
    """Hand in entries one after the other; what is not taken or fails is told, and the rest goes on."""
    counts = Counter[str](documents=0, memories=0, left=0, failed=0)
    for group in _groups(entries):
        try:
            counts.update(_sent(call, group, space))
        except HOPELESS:
            raise
        except MemlaneError as error:
            counts["failed"] += len(group)
            call.output.note(f"failed   {group[0].shown}: {error.message}")
    call.output.show(dict(counts), counts_view)
    if counts["failed"]:
        return 1
    return 0 if counts["documents"] + counts["memories"] else call.nothing("There was nothing to bring in.")


def _groups(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield facts of one space together, as many as one request takes, and everything else alone."""
    waiting: dict[str | None, list[Entry]] = {}
    for one in entries:
        if not isinstance(one, Fact):
            yield [one]
            continue
        group = waiting.setdefault(one.space, [])
        group.append(one)
        if len(group) == MOST_FACTS:
            yield waiting.pop(one.space)
    yield from waiting.values()


def _sent(call: Call, group: list[Entry], space: str | None) -> Mapping[str, int]:
    first = group[0]
    if isinstance(first, Left):
        call.output.note(f"left out {first.shown}: {first.reason}")
        return {"left": 1}
    if isinstance(first, Document):
        made = call.client.add_document(
            first.content, space=space or first.space, custom_id=first.custom_id, title=first.title,
            filepath=first.filepath, date=first.date, metadata=first.metadata,
        )  # fmt: skip
        call.warn(made)
        return {"documents": 1}
    facts = [one for one in islice(group, MOST_FACTS) if isinstance(one, Fact)]
    items = [{"content": one.content, "isStatic": one.static, "metadata": dict(one.metadata)} for one in facts]
    call.warn(call.client.remember_each(items, space=space or first.space))
    return {"memories": len(facts)}


def _sentence(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"


def counts_view(counts: Mapping[str, int]) -> Iterator[Block]:
    """Show how many there are of each kind."""
    yield Rows(columns=("kind", "number"), rows=list(counts.items()))
