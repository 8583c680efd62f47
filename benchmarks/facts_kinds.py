"""The kind of a statement, measured on labelled ones: is it a preference, an episode or any other fact?

`python -m benchmarks.facts_kinds` sorts the measured statements of `benchmarks/facts`; `--part tune` those on which the
tables of words were made. Only sums are printed for the measured part, so that nobody learns one of its statements.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own_stack import conditions
from benchmarks.rates import Rate
from benchmarks.report import finish, parser_of
from memory.kinds import kind_of
from memory.records import MemoryKind

FOLDER = Path(__file__).parent / "facts"
PARTS = ("tune", "measure")
KINDS: tuple[MemoryKind, ...] = ("fact", "preference", "episode")
# Nothing is drawn by chance.
SEED = 0
# A statement takes microseconds; one round would measure the clock.
ROUNDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """A statement's label, and the kind it was given."""

    label: MemoryKind
    said: MemoryKind
    lang: str  # ISO 639-1


def path_of(part: str) -> Path:
    """Return the file of a part."""
    return FOLDER / f"kinds-{part}.jsonl"


def sort(part: str, judge: Callable[[str], MemoryKind]) -> tuple[list[Sorted], float]:
    """Sort the statements of a part.

    Returns:
        What became of each, and the mean microseconds of one.
    """
    rows = [json.loads(line) for line in path_of(part).read_text(encoding="utf-8").splitlines() if line]
    found = [Sorted(label=row["label"], said=judge(row["text"]), lang=row["lang"]) for row in rows]
    started = time.perf_counter()
    for _ in range(ROUNDS):
        for row in rows:
            judge(row["text"])
    return found, (time.perf_counter() - started) * 1e6 / (ROUNDS * len(rows))


def precision(rows: Sequence[Sorted], kind: MemoryKind) -> Rate:
    """Return which share of what was given a kind is labelled so."""
    labels = [row.label for row in rows if row.said == kind]
    return Rate(hits=labels.count(kind), of=len(labels))


def recall(rows: Sequence[Sorted], kind: MemoryKind) -> Rate:
    """Return which share of what is labelled so was given the kind."""
    said = [row.said for row in rows if row.label == kind]
    return Rate(hits=said.count(kind), of=len(said))


def report(part: str, judge: Callable[[str], MemoryKind] = kind_of) -> dict[str, str]:
    """Return the figures of a judge of kinds by name."""
    rows, microseconds = sort(part, judge)
    lines = {"kinds right": str(Rate(hits=sum(row.label == row.said for row in rows), of=len(rows)))}
    for kind in KINDS:
        lines[f"{kind} precision"] = str(precision(rows, kind))
        lines[f"{kind} recall"] = str(recall(rows, kind))
    for lang, count in Counter(row.lang for row in rows).most_common():
        right = sum(row.label == row.said for row in rows if row.lang == lang)
        lines[f"kinds right in {lang}"] = str(Rate(hits=right, of=count))
    lines["a statement"] = f"{microseconds:.1f} us on average"
    return lines


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("facts_kinds", __doc__)
    parser.add_argument("--part", choices=PARTS, default="measure", help="which statements are sorted (measure)")
    options = parser.parse_args()
    figures = conditions(path_of(options.part), seed=SEED) | report(options.part)
    return finish(figures, options, width=28)


if __name__ == "__main__":
    raise SystemExit(main())
