"""The arm "time": does a question that names a time find what is of that time, among rows that are alike but for it?

`python -m benchmarks.times` loads 32 dinners of five years and two events in each of six languages through the HTTP
API, a conversation for each, asks the questions of `tests/data/time_questions.json`, and reports which share of the
first results lies in the time that the question names: of the first five, or of as many as there are dinners in it.
Without the arm only the words and the dates that stand in the texts tell dinners apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own_stack import Api, conditions, stack
from benchmarks.report import finish, parser_of

DATA = Path(__file__).parents[1] / "tests" / "data" / "time_questions.json"
DEPTH = 5
WITHOUT = ["vectors", "lexical", "entities"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came back for a question."""

    language: str
    event: bool  # the time is named by an event, not by a date
    share: float  # 0..1


def told(data: Mapping[str, Any], language: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (day, what is said on it)."""
    for day, dinner in zip(data["dates"], language["what"], strict=True):
        yield day, language["fact"].format(dinner)
    for event, day in data["events"].items():
        yield day, language[event]


def load(api: Api, data: Mapping[str, Any], name: str) -> list[str]:
    """Send what is told in a language and return the ids of the jobs."""
    jobs = []
    for day, text in told(data, data["languages"][name]):
        message = {"role": "user", "content": text, "timestamp": f"{day}T20:00:00{data['zone']}"}
        body = {"conversationId": f"{name}-{day}", "containerTags": [f"times-{name}"], "messages": [message]}
        jobs.append(api.post("/v4/conversations", body)["jobId"])
    return [job for job in jobs if job]


def ask(api: Api, data: Mapping[str, Any], name: str, *, arms: Sequence[str] | None) -> Iterator[Asked]:
    """Ask every question of a language."""
    said = {text: day for day, text in told(data, data["languages"][name])}
    for question in data["languages"][name]["questions"]:
        first, after = data["times"][question["time"]]
        wanted = {day for day in data["dates"] if (first or day) <= day and (after is None or day < after)}
        body = {
            "q": question["q"], "containerTag": f"times-{name}", "limit": DEPTH, "now": data["now"],
            "timeZone": data["zone"], "arms": arms,
        }  # fmt: skip
        answer = api.post("/v4/search", {key: value for key, value in body.items() if value is not None})
        days = [
            next((day for text, day in said.items() if result["memory"].endswith(text)), None)
            for result in answer["results"]
        ]
        most = min(DEPTH, len(wanted))
        yield Asked(
            language=name, event=question["time"].split()[0] in ("before", "after") and "the" in question["time"],
            share=sum(day in wanted for day in days[:most]) / most,
        )  # fmt: skip


def summary(asked: Sequence[Asked]) -> dict[str, str]:
    """Return the figures by name, each with its n."""
    groups = {"all": list(asked)}
    for one in asked:
        groups.setdefault(one.language, []).append(one)
        groups.setdefault("by an event" if one.event else "by a date", []).append(one)
    return {name: f"{np.mean([one.share for one in group]):.3f}  n {len(group)}" for name, group in groups.items()}


def main() -> int:
    """Run the benchmark and print its figures, with the arm and without.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("times", __doc__)
    parser.add_argument("--url", help="a running stack; without it one is started on a throw-away folder")
    options = parser.parse_args()
    data = json.loads(DATA.read_text("utf-8"))
    with stack(options.url) as api:
        api.finish([job for name in data["languages"] for job in load(api, data, name)])
        runs = {
            title: [one for name in data["languages"] for one in ask(api, data, name, arms=arms)]
            for title, arms in (("with the arm", None), ("without it", WITHOUT))
        }
    report = conditions(DATA, seed=0) | {
        f"{title}, {name}": value for title, asked in runs.items() for name, value in summary(asked).items()
    }
    return finish(report, options, width=28)


if __name__ == "__main__":
    raise SystemExit(main())
