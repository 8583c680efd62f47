"""`memory.recalled`: what was recalled and comes back without our marks."""

import json
import time

import pytest

from memory.excerpts import Excerpt, message_windows
from memory.extraction_prompt import conversation_messages
from memory.recalled import fence, own_spans, recalled_spans, recalled_within

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


PACKED = """## Profile
[1] [8 May 2023] Ines: I moved to Porto.
[2] [9 May 2023] The gate code is 4417.
## Notes
[3] [9 May 2023] Ask Ines"""


def test_a_packed_context_without_its_marks_is_recalled_in_a_message() -> None:
    assert own(f"Look:\n{PACKED}\n\nI like it.") == ["Look:", "I like it."]
    assert own("> [17] [9 May 2023] The gate code is 4417.\nI like it.") == ["I like it."]


def test_numbered_notes_of_a_document_are_its_own() -> None:
    text = "## Notes\n[1] Smith, 2004. Pumps and their care.\n[2] Jones, 2007."
    assert recalled_spans(text) == []


@pytest.mark.parametrize("before", ["", "ok\n\n", "The crane is red. " * 200])
def test_a_context_is_recalled_in_every_piece_of_a_message_that_is_cut(before: str) -> None:
    # given a context that is longer than what a model is shown at a time
    context = fence("\n".join(f"[{n}] Shelf {n} of the depot holds crane {n * 7}." for n in range(300)))
    text = f"{before}{context}\nI moved to Porto."
    (inside,) = recalled_spans(text, message=True)

    # when it is cut, then each piece knows what of it is recalled
    pieces = [(one.start, len(text) if one.end is None else one.end) for one in message_windows([text])]
    assert len(pieces) > 3
    for start, end in pieces:
        known = recalled_within(text, start, end, message=True)
        excerpt = Excerpt(text=text[start:end], offset=start, role="user", index=0, recalled=known)
        assert "Shelf" not in conversation_messages([excerpt])[1]["content"]
        covered = {place + start for first, last in known for place in range(first, last)}
        assert covered == set(range(max(start, inside[0]), min(end, inside[1])))
    assert "I moved to Porto." in conversation_messages([excerpt])[1]["content"]
