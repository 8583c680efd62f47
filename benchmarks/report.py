"""What a benchmark prints and keeps: command, machine, figures with their targets, by commit."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


class Report:
    """The figures of one run."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name = name
        self._figures: dict[str, dict[str, Any]] = {}
        self._notes: dict[str, Any] = {
            "command": " ".join(["python", "-m", f"benchmarks.{name}", *command[1:]]),
            "commit": _commit(),
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "python": platform.python_version(),
            "load before": round(os.getloadavg()[0], 1),
        }
        for key, value in self._notes.items():
            print(f"{key}: {value}")

    def note(self, name: str, value: Any) -> None:
        """Print and keep something that is not a figure."""
        self._notes[name] = value
        print(f"{name}: {value}")

    def figure(self, name: str, value: float, targets: Mapping[str, tuple[str, float]] | None = None) -> None:
        """Print and keep a figure, with its target and whether it is met."""
        kept: dict[str, Any] = {"value": round(value, 3)}
        line = f"{name}: {value:.3g}"
        if targets and name in targets:
            sign, target = targets[name]
            met = value <= target if sign == "<=" else value >= target
            kept |= {"target": f"{sign} {target:g}", "met": met}
            line += f"   (target {sign} {target:g}: {'met' if met else 'MISSED'})"
        self._figures[name] = kept
        print(line, flush=True)

    def keep(self) -> Path:
        """Write the run into the results folder, named by benchmark and commit."""
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{self._name}-{self._notes['commit']}.json"
        kept = {"at": time.strftime("%Y-%m-%d", time.gmtime()), **self._notes, "figures": self._figures}
        path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"kept in benchmarks/results/{path.name}")
        return path


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=RESULTS.parent
    )
    return found.stdout.strip() or "none"
