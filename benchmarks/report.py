"""What a benchmark tells: its figures, printed, kept, and held against their goals."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# By figure: "<=" or ">=", and the goal.
Targets = Mapping[str, tuple[str, float]]

MISSED = "MISSED"


def parser_of(name: str, text: str | None, *, whole: bool = False) -> argparse.ArgumentParser:
    """Return the parser of a benchmark's command, with the options that every one has.

    Args:
        name: the module's, without its package.
        text: its docstring.
        whole: show all of the docstring; False shows its first line.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=text if whole else (text or "").split("\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter if whole else argparse.HelpFormatter,
    )
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    parser.add_argument("--report-only", action="store_true", help="exit with 0 also when a goal is missed")
    return parser


def held(value: float, sign: str, goal: float) -> str:
    """Write what a figure should be and whether it is: "(goal <= 6: met)"."""
    met = value <= goal if sign == "<=" else value >= goal
    return f"(goal {sign} {goal:g}: {'met' if met else MISSED})"


def judged(figures: Mapping[str, float], targets: Targets) -> dict[str, str]:
    """Write each figure, with its goal and whether it is met where it has one."""
    return {
        name: f"{value:.4g}" + (f" {held(value, *targets[name])}" if name in targets else "")
        for name, value in figures.items()
    }


def show(lines: Mapping[str, Any], *, width: int) -> None:
    """Print figures, one a line, as soon as they are known.

    Args:
        lines: figures by name.
        width: characters that the names take.
    """
    for name, value in lines.items():
        print(f"{name:{width}} {value}", flush=True)


def kept(lines: Mapping[str, Any], options: argparse.Namespace) -> int:
    """Keep the figures that were shown where the command says, and name the goals that are missed.

    Args:
        lines: figures by name.
        options: of `parser_of`.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    if options.json:
        options.json.write_text(json.dumps(lines, indent=2) + "\n", encoding="utf-8")
    missed = [name for name, value in lines.items() if isinstance(value, str) and value.endswith(f"{MISSED})")]
    if missed:
        print(f"{MISSED}: {', '.join(missed)}", file=sys.stderr)
    return int(bool(missed) and not options.report_only)


def finish(lines: Mapping[str, Any], options: argparse.Namespace, *, width: int) -> int:
    """Print and keep figures; returns the exit code, as `kept`."""
    show(lines, width=width)
    return kept(lines, options)
