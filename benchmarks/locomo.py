"""The LoCoMo conversation benchmark: is the evidence among what search returns?

`python -m benchmarks.locomo --data FILE` loads each conversation through the HTTP API into a space of its own, one
conversationId per session, asks each question of the four scored categories, and reports the mean share of a
question's evidence turns that are sources of the first 5, 10 and 15 results, and of the results that fit into 720
tokens. With `--ablations` every question is asked again without each arm. Category 5 has no answer in the conversation
and is left out. The data is CC BY-NC 4.0 and no part of this repository.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own_stack import Api, conditions, stack
from benchmarks.report import finish, parser_of
from inference.tokens import count_tokens
from memory.records import ARMS

CATEGORIES = {4: "single-hop", 2: "temporal", 1: "multi-hop", 3: "open-domain"}
DEPTHS = (5, 10, 15)
BUDGET = 720  # tokens: what 15 turns of these conversations take
SEED = 20261130
RESAMPLES = 2000

Turn = tuple[str, int]  # conversationId, 0-based message index


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with the turns that hold its answer."""

    text: str
    category: int
    evidence: frozenset[Turn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came back for a question."""

    category: int
    shares: tuple[float, ...]  # of the evidence found, for each of DEPTHS
    within: float  # of the evidence, by the results that fit into BUDGET
    tokens: int  # of the texts of the first results, as many as the deepest of DEPTHS
    milliseconds: float
    read: int  # results that a reranker has read; 0 when it was skipped or not asked for
    returned: int


def sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[str, datetime, list[dict[str, Any]]]]:
    """Yield (conversationId, when, turns) of each session in order."""
    numbers = sorted(int(found[1]) for key in conversation if (found := re.fullmatch(r"session_(\d+)", key)))
    for number in numbers:
        spoken = conversation[f"session_{number}_date_time"]
        when = datetime.strptime(spoken, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        yield f"session_{number}", when, conversation[f"session_{number}"]


def message(turn: Mapping[str, Any], when: datetime) -> dict[str, Any]:
    """Return a turn as a message of the API; a shared picture is told by its caption."""
    caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return {
        "role": "user",
        "name": turn["speaker"],
        "content": turn["text"] + caption,
        "timestamp": when.isoformat().replace("+00:00", "Z"),
    }


def questions(sample: Mapping[str, Any]) -> list[Question]:
    """Return the scored questions that name their evidence."""
    turns = {
        turn["dia_id"]: (name, index)
        for name, _, spoken in sessions(sample["conversation"])
        for index, turn in enumerate(spoken)
    }
    found = []
    for item in sample["qa"]:
        # Some evidence lists hold several ids in one string.
        named = {part for entry in item["evidence"] for part in re.split(r"[;,\s]+", entry) if part}
        # An id that no turn has cannot be found, and counts as not found.
        evidence = frozenset(turns.get(one, (one, -1)) for one in named)
        if item["category"] in CATEGORIES and evidence:
            found.append(Question(text=item["question"], category=item["category"], evidence=evidence))
    return found


def load(api: Api, tag: str, conversation: Mapping[str, Any]) -> list[str]:
    """Send a conversation, session by session, and return the ids of the jobs."""
    jobs = []
    for name, when, turns in sessions(conversation):
        body = {"conversationId": name, "containerTags": [tag], "messages": [message(turn, when) for turn in turns]}
        jobs.append(api.post("/v4/conversations", body)["jobId"])
    return [job for job in jobs if job]


def ask(api: Api, tag: str, question: Question, how: Mapping[str, Any]) -> Asked:
    """Search for a question and score what comes back.

    Args:
        api: of a stack that holds the conversation.
        tag: its space.
        question: with its evidence.
        how: fields of the request: limit, rerank, arms.
    """
    body = {
        "q": question.text, "containerTag": tag, "searchMode": "memories", "explain": True,
        "include": {"sources": True}, **how,
    }  # fmt: skip
    started = time.perf_counter()
    results = api.post("/v4/search", body)["results"]
    milliseconds = (time.perf_counter() - started) * 1000
    sources = [
        {(source.get("conversationId"), source.get("messageIndex")) for source in result["sources"]}
        for result in results
    ]
    tokens = [count_tokens(result["memory"]) for result in results]
    return Asked(
        category=question.category,
        shares=tuple(share_found(question.evidence, sources[:depth]) for depth in DEPTHS),
        within=share_found(question.evidence, sources[: fitting(tokens, BUDGET)]),
        tokens=sum(tokens[: DEPTHS[-1]]),
        milliseconds=milliseconds,
        read=sum("rerank" in result["explain"] for result in results),
        returned=len(results),
    )


def fitting(tokens: Sequence[int], budget: int) -> int:
    """Return how many results, best first and whole, fit into a budget of tokens."""
    return int(np.searchsorted(np.cumsum(tokens), budget, side="right"))


def share_found(evidence: frozenset[Turn], sources: Sequence[set[Any]]) -> float:
    """Return which part of the evidence is a source of any result; 0..1."""
    return len(evidence & set().union(*sources)) / len(evidence)


def summary(asked: Sequence[Asked]) -> dict[str, str]:
    """Return the figures by name, each with its n."""
    lines = {
        CATEGORIES[category]: _shares([one for one in asked if one.category == category]) for category in CATEGORIES
    }
    lines["pooled"] = _shares(asked)
    low, high = _interval([one.shares[-1] for one in asked])
    lines["95 % interval at 15"] = f"{low:.3f} to {high:.3f} ({RESAMPLES} resamples of the questions)"
    milliseconds = np.percentile([one.milliseconds for one in asked], [50, 95])
    lines[f"within {BUDGET} tokens"] = f"{np.mean([one.within for one in asked]):.3f}"
    lines["search over HTTP"] = f"p50 {milliseconds[0]:.1f} ms, p95 {milliseconds[1]:.1f} ms"
    lines["tokens returned"] = f"mean {np.mean([one.tokens for one in asked]):.0f} in the first {DEPTHS[-1]}"
    lines["nothing returned"] = f"{sum(not one.returned for one in asked)} of {len(asked)} questions"
    if any(one.read for one in asked):
        lines["reranking skipped"] = f"{np.mean([not one.read for one in asked]):.1%} of the questions"
    return lines


def _shares(asked: Sequence[Asked]) -> str:
    if not asked:
        return "n 0"
    means = np.mean([one.shares for one in asked], axis=0)
    figures = "  ".join(f"R@{depth} {mean:.3f}" for depth, mean in zip(DEPTHS, means, strict=True))
    return f"{figures}  n {len(asked)}"


def _interval(values: Sequence[float]) -> tuple[float, float]:
    drawn = np.random.default_rng(SEED).choice(np.array(values), (RESAMPLES, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def loaded(api: Api, data: Path) -> list[tuple[str, Question]]:
    """Load every conversation and return its questions, each with the space it is about."""
    samples = json.loads(data.read_text(encoding="utf-8"))
    # The tag tells data sets apart, so that a second run on the same stack finds the first's conversations.
    prefix = f"locomo-{hashlib.sha256(data.read_bytes()).hexdigest()[:8]}"
    tags = {sample["sample_id"]: f"{prefix}-{sample['sample_id']}" for sample in samples}
    started = time.perf_counter()
    api.finish([job for sample in samples for job in load(api, tags[sample["sample_id"]], sample["conversation"])])
    print(f"loaded {len(samples)} conversations in {time.perf_counter() - started:.1f} s", flush=True)
    return [(tags[sample["sample_id"]], question) for sample in samples for question in questions(sample)]


def run(api: Api, asking: Sequence[tuple[str, Question]], **how: Any) -> list[Asked]:
    """Ask every question in one way."""
    return [ask(api, tag, question, how) for tag, question in asking]


def ablations(api: Api, asking: Sequence[tuple[str, Question]], **how: Any) -> dict[str, str]:
    """Ask every question without each of the arms; return the pooled figures."""
    return {f"without {arm}": _shares(run(api, asking, **how, arms=sorted(ARMS - {arm}))) for arm in sorted(ARMS)}


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("locomo", __doc__)
    parser.add_argument("--data", type=Path, required=True, help="a file in the format of locomo10.json")
    parser.add_argument("--url", help="a running stack; without it one is started on a throw-away folder")
    parser.add_argument("--limit", type=int, default=15, help="results a question (15)")
    parser.add_argument("--rerank", action="store_true", help="let the reranker read the best again")
    parser.add_argument("--ablations", action="store_true", help="ask again without each of the arms")
    options = parser.parse_args()
    with stack(options.url) as api:
        asking, how = loaded(api, options.data), {"limit": options.limit, "rerank": options.rerank}
        report = conditions(options.data, seed=SEED) | summary(run(api, asking, **how))
        report |= ablations(api, asking, **how) if options.ablations else {}
    return finish(report, options, width=22)


if __name__ == "__main__":
    raise SystemExit(main())
