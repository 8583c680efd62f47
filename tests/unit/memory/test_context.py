"""`memory.context`: what was recalled and comes back without our marks."""

import json
import time

import pytest

from memory.context import own_spans, recalled_spans

ID = "mem_01hzx3v9k2q4w6e8r0t1y2u3i4"
RESULT = {"id": ID, "memory": "Ines: I moved to Porto.", "similarity": 0.83, "metadata": {}}
PROFILE = {"profile": {"static": ["Ines lives in {Porto}."], "dynamic": [], "buckets": {}}}


def own(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in own_spans(text, message=True) if text[start:end].strip()]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("answer", [{"results": [RESULT, RESULT], "total": 2}, [RESULT], RESULT, PROFILE])
def test_json_of_ours_is_recalled_and_what_stands_around_it_is_not(answer: object, indent: int | None) -> None:
    text = f"I got [this] today:\n{json.dumps(answer, indent=indent)}\nI like it."
    assert own(text) == ["I got [this] today:", "I like it."]


def test_json_within_json_and_a_cut_one_are_recalled() -> None:
    assert own(json.dumps({"content": json.dumps(RESULT)})) == []
    assert own("Look: " + json.dumps([RESULT])[:-9]) == ["Look:"]


@pytest.mark.parametrize("line", [f"0.83  {ID}  Ines: I moved to Porto.", f"* {ID} I moved", f"| {ID} | I moved |"])
def test_a_row_of_results_is_recalled(line: str) -> None:
    assert own(f"See\n{line}\nI like it.") == ["See", "I like it."]


@pytest.mark.parametrize(
    "text",
    [
        'The settings are {"id": "doc", "memory": "16 GB", "static": true}.',
        "My array is [1, 2, 3] and it is dynamic: [4].",
        "The column is called mem_usage_percent and I like it.",
    ],
)
def test_other_json_is_what_somebody_says(text: str) -> None:
    assert recalled_spans(text, message=True) == []


@pytest.mark.parametrize("piece", ['{"id": "mem_abcd"', '["chk_abcd"', '"mem_abcd" ', '"static": [', "{", f"0.8 {ID} "])
def test_looking_for_json_takes_time_in_proportion(piece: str) -> None:
    began = time.process_time()
    recalled_spans(piece * (100_000 // len(piece)), message=True)
    assert time.process_time() - began < 3
