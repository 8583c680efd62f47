import io

import pytest
from rich.console import Console

from memlane.ingest import Outcome
from memlane.progress import Bars, Quiet, bars


@pytest.fixture
def terminal():
    return Console(file=io.StringIO(), force_terminal=True, width=80)


def test_a_pipe_gets_no_bars():
    assert isinstance(bars(Console(file=io.StringIO())), Quiet)


def test_a_terminal_gets_a_bar_for_each_document(terminal):
    with bars(terminal) as progress:
        assert isinstance(progress, Bars)
        progress.sent("docs/[a].md")
        progress.moved("docs/[a].md", "running", 1, 4)
        progress.moved("docs/b\x1b.md", "queued", 0, 0)
        progress._progress.refresh()
        progress.settled(Outcome(path="docs/[a].md", state="ingested"))
        progress.settled(Outcome(path="docs/c.md", state="skipped", reason="empty"))

    drawn = terminal.file.getvalue()
    assert "docs/[a].md" in drawn
    assert "running" in drawn
    assert "docs/b\\x1b.md" in drawn
    assert "ingested   docs/[a].md" in drawn
