"""`memory.fact_json`."""

import json

import pytest

from memory.fact_json import read_items

ITEMS = [{"text": "a", "quote": "a"}, {"text": 'b "facts": [', "quote": "b"}]
WHOLE = json.dumps({"facts": ITEMS})


@pytest.mark.parametrize(
    "answer",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Here they are:\n{WHOLE}\nDone.",
        json.dumps(ITEMS),
        f"Sure: {json.dumps(ITEMS)}",
    ],
)
def test_whole_lists_are_read_wherever_they_stand(answer: str) -> None:
    read = read_items(answer)
    assert (list(read.items), read.complete, read.found) == (ITEMS, True, True)


@pytest.mark.parametrize("answer", ["", "No facts.", "{", "null", "[1, 2", '{"other": []}', "[" * 100_000])
def test_what_is_no_list_of_facts_is_not_found(answer: str) -> None:
    assert read_items(answer).found is False or not read_items(answer).items


def test_an_empty_list_is_an_answer() -> None:
    read = read_items('{"facts": []}')
    assert (read.items, read.complete, read.found) == ((), True, True)


def test_of_a_cut_list_the_items_before_the_break_are_kept() -> None:
    read = read_items(WHOLE[: WHOLE.index("b")])
    assert (list(read.items), read.complete) == (ITEMS[:1], False)


def test_items_nested_beyond_reason_end_the_list() -> None:
    read = read_items('{"facts": [{"text": "a"}, {"text": ' + "[" * 100_000)
    assert ([*read.items], read.complete) == ([{"text": "a"}], False)
