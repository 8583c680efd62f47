"""`memory.values`: what every door accepts."""

from typing import Any

import pytest

from memory import values
from memory.errors import InvalidInput, TooLarge

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    "tag", ["a", "user:42", "org-1_x", "käse", "项目", "пример", "a b", "x" * 100, "می\u200cخواهم"]
)
def test_tags_of_any_script_are_kept_as_sent(tag: str) -> None:
    assert values.container_tag(tag) == tag


def test_a_tag_is_composed() -> None:
    assert values.container_tag(DECOMPOSED) == COMPOSED


@pytest.mark.parametrize(
    "tag",
    ["", " a", "a ", "x" * 101, "a\nb", "a\0b", "---", "...", None, 3, True, ["a"], "a\ud800", "a\u202eb", "a\u2028"],
)
def test_a_bad_tag_is_refused(tag: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        values.container_tag(tag)
    assert raised.value.details["field"] == "containerTag"


def test_custom_ids_may_be_longer() -> None:
    assert values.custom_id("x" * 255)
    with pytest.raises(InvalidInput):
        values.custom_id("x" * 256)


@pytest.mark.parametrize("text", ["", " \n\t", None, 5, [], "a\0b", "\ud83d alone"])
def test_a_text_that_cannot_be_kept_is_refused(text: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        values.text(text, field="content", limit=100)
    assert raised.value.details["field"] == "content"


def test_a_text_over_the_limit_is_too_large() -> None:
    assert values.text("x" * 100, field="content", limit=100) == "x" * 100
    with pytest.raises(TooLarge):
        values.text("x" * 101, field="content", limit=100)


def test_metadata_is_kept() -> None:
    sent = {"a": "x", "b": 1, "c": 1.5, "d": True, "e": ["x", "y"], "f": None}
    assert values.metadata(sent) == {"a": "x", "b": 1, "c": 1.5, "d": True, "e": ["x", "y"]}
    assert values.metadata(None) == {}


@pytest.mark.parametrize(
    "metadata",
    [
        "x",
        [],
        3,
        {"": 1},
        {"x" * 129: 1},
        {1: 2},
        {"a": {"b": 1}},
        {"a": [1]},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": "x\x00"},
        {"a": "\ud800"},
        {"a": ["\ud800"]},
        {"a": 2**60},
        {str(n): n for n in range(101)},
        {"a": "x" * 17000},
    ],
)
def test_bad_metadata_is_refused(metadata: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        values.metadata(metadata)
    assert raised.value.details["field"].startswith("metadata")
