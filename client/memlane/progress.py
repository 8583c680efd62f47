"""Shows how work goes: a bar for each document of an ingest, or one for all of it, on a terminal; nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.text import Text

from memlane.ingest import Outcome
from memlane.render import one_line

# A longer path would leave no room for the bar on a terminal of 80 columns.
PATH_COLUMNS = 40


class Quiet(AbstractContextManager["Quiet"]):
    """Shows nothing."""

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind."""

    def sent(self, path: str) -> None:
        """Show nothing."""

    def moved(self, path: str, status: str, done: int, total: int) -> None:
        """Show nothing."""

    def settled(self, outcome: Outcome) -> None:
        """Show nothing."""


class Bars(AbstractContextManager["Bars"]):
    """Shows one bar for each document under way, and a line for each that is finished."""

    def __init__(self, console: Console) -> None:
        """Prepare the bars.

        Args:
            console: of the terminal; standard error, so that standard output stays clean.
        """
        columns = (TextColumn("{task.fields[path]}", markup=False), BarColumn(), TextColumn("{task.fields[status]}"))
        self._progress = Progress(*columns, console=console, transient=True)
        self._tasks: dict[str, TaskID] = {}
        self._all = self._progress.add_task("", total=None, path="sending", status="")
        self._accepted = 0

    def __enter__(self) -> Self:
        """Start drawing."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bars away."""
        self._progress.stop()

    def sent(self, path: str) -> None:
        """Count a document that was accepted."""
        self._accepted += 1
        self._progress.update(self._all, status=f"{self._accepted} accepted")

    def moved(self, path: str, status: str, done: int, total: int) -> None:
        """Draw how far a document is."""
        self._progress.update(self._all, visible=False)
        if path not in self._tasks:
            self._tasks[path] = self._progress.add_task("", total=None, path=_short(path), status=status)
        self._progress.update(self._tasks[path], completed=done, total=total or None, status=status)

    def settled(self, outcome: Outcome) -> None:
        """Replace a document's bar by a line."""
        if outcome.path in self._tasks:
            self._progress.remove_task(self._tasks.pop(outcome.path))
        if outcome.state in ("ingested", "unchanged"):
            self._progress.console.print(Text(f"{outcome.state:9}  {one_line(outcome.path)}"))


@contextmanager
def amount(console: Console, what: str) -> Iterator[Callable[[int, int], None]]:
    """Hand out what draws one bar, from how much is done and how much there is in all; nothing but on a terminal."""
    if not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(_short(what), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total or None)


def bars(console: Console) -> Bars | Quiet:
    """Return bars when the console is a terminal."""
    return Bars(console) if console.is_terminal else Quiet()


def _short(path: str) -> str:
    line = one_line(path)
    return line if len(line) <= PATH_COLUMNS else f"…{line[1 - PATH_COLUMNS :]}"
