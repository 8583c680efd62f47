"""The judges of facts, measured on labelled pairs: does a newer statement repeat, replace or contradict an older one?

`python -m benchmarks.facts` judges the measured pairs of `benchmarks/facts` by the rules that work without a language
model; `--part tune`, `tune2` and `tune3` the pairs on which those rules were made. Each verdict is reported with its
precision and recall. Goals on the measured part: update 0.97 precision at 0.30 recall with 100 fired, contradiction
0.90 precision; all are reached. Duplicates are found only where a table holds the other words: most of what is said in
other words needs a language model. Only sums are printed, so that nobody learns
a measured pair.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.own_stack import conditions
from benchmarks.rates import Rate
from benchmarks.report import finish, parser_of
from inference.minilm import MiniLM, mean_pool
from inference.tokens import token_ids
from memory.judging import NEIGHBOUR_FLOOR, Judged, Pair, Verdict
from memory.pairs.rules import could_replace, differ_in_values, judge_pair
from memory.records import Micros
from memory.statements import attributed

FOLDER = Path(__file__).parent / "facts"
PARTS = ("tune", "tune2", "tune3", "measure")
VERDICTS: tuple[Verdict, ...] = ("update", "duplicate", "contradiction", "distinct")
FLOORS = (0.4, 0.45, 0.5, 0.55, 0.6)
# Nothing is drawn by chance.
SEED = 0

Judge = Callable[[Pair], Judged]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A pair with what a person said of it."""

    pair: Pair
    label: Verdict
    lang: str  # ISO 639-1
    domain: str


def path_of(part: str) -> Path:
    """Return the file of a part."""
    return FOLDER / f"pairs-{part}.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """The pairs of a part, and pairs that nobody labelled: a statement of one and one of another."""

    labelled: list[Labelled]
    others: list[Pair]  # as similar as the neighbours that production compares


def load(part: str) -> Data:
    """Read the pairs of a part and embed them as production does, with who said them and when."""
    rows = [json.loads(line) for line in path_of(part).read_text(encoding="utf-8").splitlines() if line]
    vectors = _vectors([_attributed(row, which) for row in rows for which in ("old", "new")])
    similar = vectors[0::2] @ vectors[1::2].T
    labelled = [_labelled(row, float(similar[at, at])) for at, row in enumerate(rows)]
    near = np.argwhere((similar >= NEIGHBOUR_FLOOR) & ~np.eye(len(rows), dtype=bool))
    others = [_pair(rows[one], rows[other], float(similar[one, other])) for one, other in near]
    return Data(labelled=labelled, others=others)


Row = Mapping[str, str | None]


def _pair(one: Row, other: Row, similarity: float) -> Pair:
    return Pair(
        old=str(one["old"]), new=str(other["new"]), similarity=similarity, old_speaker=one["old_speaker"],
        new_speaker=other["new_speaker"], old_at=_micros(one["old_date"]), new_at=_micros(other["new_date"]),
    )  # fmt: skip


def _labelled(row: Row, similarity: float) -> Labelled:
    pair = _pair(row, row, similarity)
    return Labelled(pair=pair, label=row["label"], lang=str(row["lang"]), domain=str(row["domain"]))  # type: ignore[arg-type]


def _attributed(row: Row, which: str) -> str:
    return attributed(str(row[which]), row[f"{which}_speaker"], _micros(row[f"{which}_date"]))


def _micros(day: str | None) -> Micros | None:
    return None if day is None else int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1e6)


def _vectors(texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    model = MiniLM()
    found = np.vstack([mean_pool(*model.run(token_ids([text]))) for text in texts])
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def judged(pairs: Sequence[Labelled], judge: Judge) -> tuple[list[Verdict], float]:
    """Judge every pair.

    Returns:
        The verdicts, and the mean milliseconds of processor time of one.
    """
    started = time.process_time()
    verdicts = [judge(one.pair).verdict for one in pairs]
    return verdicts, (time.process_time() - started) * 1000 / max(1, len(pairs))


def precision(pairs: Sequence[Labelled], verdicts: Sequence[Verdict], verdict: Verdict) -> Rate:
    """Return which share of what a verdict was given to is labelled so."""
    labels = [one.label for one, said in zip(pairs, verdicts, strict=True) if said == verdict]
    return Rate(hits=labels.count(verdict), of=len(labels))


def recall(pairs: Sequence[Labelled], verdicts: Sequence[Verdict], verdict: Verdict) -> Rate:
    """Return which share of what is labelled so was given the verdict."""
    said = [given for one, given in zip(pairs, verdicts, strict=True) if one.label == verdict]
    return Rate(hits=said.count(verdict), of=len(said))


def report(pairs: Sequence[Labelled], judge: Judge) -> dict[str, str]:
    """Return the figures of a judge by name."""
    verdicts, milliseconds = judged(pairs, judge)
    lines = {"pairs": _counts(one.label for one in pairs), "fired": _counts(verdicts)}
    for verdict in VERDICTS:
        lines[f"{verdict} precision"] = str(precision(pairs, verdicts, verdict))
        lines[f"{verdict} recall"] = str(recall(pairs, verdicts, verdict))
    for verdict in VERDICTS:
        given = [said for one, said in zip(pairs, verdicts, strict=True) if one.label == verdict]
        lines[f"labelled {verdict}"] = _counts(given)
    lines |= {f"in {lang}": found for lang, found in _by_language(pairs, verdicts)}
    lines["a pair"] = f"{milliseconds:.3f} ms of processor time on average"
    return lines


def guards(pairs: Sequence[Labelled]) -> dict[str, str]:
    """Return how often each guard lets a label pass, and what the floor of similarity keeps."""
    lines = {}
    for label in VERDICTS:
        of_label = [one.pair for one in pairs if one.label == label]
        replaceable = sum(
            could_replace(one.old, one.new, same_speaker=one.old_speaker == one.new_speaker) for one in of_label
        )
        lines[f"replaceable {label}"] = str(Rate(hits=replaceable, of=len(of_label)))
        differ = sum(differ_in_values(one.old, one.new) for one in of_label)
        lines[f"values differ {label}"] = str(Rate(hits=differ, of=len(of_label)))
        above = [sum(one.similarity >= floor for one in of_label) / max(1, len(of_label)) for floor in FLOORS]
        kept = "  ".join(f"{floor:g}: {share:.3f}" for floor, share in zip(FLOORS, above, strict=True))
        lines[f"similar {label}"] = kept
    return lines


def false_alarms(others: Sequence[Pair], judge: Judge) -> dict[str, str]:
    """Return how often a judge takes statements of two labelled pairs for one fact or a change; most are neither."""
    found = Counter(judge(pair).verdict for pair in others)
    return {
        f"of others {verdict}": f"{found[verdict]} of {len(others)}" for verdict in VERDICTS if verdict != "distinct"
    }


def _counts(verdicts: Sequence[Verdict] | Iterator[Verdict]) -> str:
    found = Counter(verdicts)
    return "  ".join(f"{verdict} {found[verdict]}" for verdict in VERDICTS)


def _by_language(pairs: Sequence[Labelled], verdicts: Sequence[Verdict]) -> Iterator[tuple[str, str]]:
    for lang, count in Counter(one.lang for one in pairs).most_common():
        chosen = [at for at, one in enumerate(pairs) if one.lang == lang]
        of_lang, said = [pairs[at] for at in chosen], [verdicts[at] for at in chosen]
        yield lang, "  ".join([f"n {count}", *(_short(of_lang, said, verdict) for verdict in VERDICTS[:3])])


def _short(pairs: Sequence[Labelled], verdicts: Sequence[Verdict], verdict: Verdict) -> str:
    right, found = precision(pairs, verdicts, verdict), recall(pairs, verdicts, verdict)
    return f"{verdict} {right.hits} of {right.of} fired, {found.of} labelled"


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("facts", __doc__)
    parser.add_argument("--part", choices=PARTS, default="measure", help="which pairs are judged (measure)")
    options = parser.parse_args()
    data = load(options.part)
    figures = conditions(path_of(options.part), seed=SEED) | report(data.labelled, judge_pair)
    figures |= guards(data.labelled) | false_alarms(data.others, judge_pair)
    return finish(figures, options, width=28)


if __name__ == "__main__":
    raise SystemExit(main())
