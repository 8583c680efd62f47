"""What a benchmark tells: figures against their goals, kept in a file, and an exit code that shows a missed goal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.report import finish, judged, parser_of

TARGETS = {"seconds": ("<=", 6.0), "share": (">=", 0.7)}


def ended(figures: Mapping[str, float], *arguments: str) -> int:
    options = parser_of("example", "An example.\n\nMore of it.").parse_args(arguments)
    return finish(judged(figures, TARGETS), options, width=12)


def test_a_figure_is_written_with_its_goal_and_whether_it_is_met() -> None:
    assert judged({"seconds": 6.0, "share": 0.69999, "rows": 1000}, TARGETS) == {
        "seconds": "6 (goal <= 6: met)",
        "share": "0.7 (goal >= 0.7: MISSED)",
        "rows": "1000",
    }


def test_goals_that_are_met_end_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended({"seconds": 5.0, "share": 0.8}) == 0
    assert capsys.readouterr().err == ""


def test_a_missed_goal_is_named_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended({"seconds": 6.5, "share": 0.8, "rows": 3.0}) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "seconds      6.5 (goal <= 6: MISSED)", "share        0.8 (goal >= 0.7: met)", "rows         3"
    ]  # fmt: skip
    assert shown.err == "MISSED: seconds\n"


def test_a_missed_goal_that_is_reported_only_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended({"seconds": 6.5, "share": 0.1}, "--report-only") == 0
    assert capsys.readouterr().err == "MISSED: seconds, share\n"


def test_figures_are_kept_also_when_a_goal_is_missed(tmp_path: Path) -> None:
    kept = tmp_path / "figures.json"

    assert ended({"share": 0.1}, "--json", str(kept)) == 1

    assert json.loads(kept.read_text("utf-8")) == {"share": "0.1 (goal >= 0.7: MISSED)"}
