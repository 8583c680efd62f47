"""`memory.filters`."""

from typing import Any

import pytest

from memory.errors import InvalidInput
from memory.filters import matches, parse

METADATA = {"lang": "en", "size": 5, "ok": True, "tags": ["a", "B"], "note": "Hello World", "ratio": "2.5"}


def leaf(key: str, value: Any, **extra: Any) -> dict[str, Any]:
    return {"key": key, "value": value, **extra}


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        (leaf("lang", "en"), True),
        (leaf("lang", "EN"), False),
        (leaf("lang", "EN", ignoreCase=True), True),
        (leaf("lang", "en", negate=True), False),
        (leaf("lang", "de", negate="true"), True),
        (leaf("gone", "x"), False),
        (leaf("gone", "x", negate=True), True),
        (leaf("ok", "true"), True),
        (leaf("ok", True), True),
        (leaf("size", "5.0"), True),
        (leaf("size", "3", filterType="numeric", numericOperator=">"), True),
        (leaf("size", 5, filterType="numeric", numericOperator="<="), True),
        (leaf("ratio", "2.5", filterType="numeric"), True),
        (leaf("ok", "1", filterType="numeric"), False),
        (leaf("tags", "a", filterType="array_contains"), True),
        (leaf("tags", "b", filterType="array_contains"), False),
        (leaf("tags", "b", filterType="array_contains", ignoreCase=True), True),
        (leaf("note", "lo wo", filterType="string_contains", ignoreCase=True), True),
        (leaf("tags", "a", filterType="string_contains"), False),
        ({"AND": [leaf("lang", "en"), {"OR": [leaf("size", "9"), leaf("ok", "true")]}]}, True),
        ({"AND": [leaf("lang", "en"), leaf("size", "9")], "OR": None}, False),
        ({"AND": []}, True),
        ('{"key": "lang", "value": "en"}', True),
        ({}, True),
        (None, True),
        ("", True),
    ],
)
def test_conditions_are_matched(condition: Any, passes: bool) -> None:
    assert matches(parse(condition), METADATA) is passes


def nested(depth: int) -> dict[str, Any]:
    return {"AND": [nested(depth - 1)]} if depth else leaf("a", "b")


@pytest.mark.parametrize(
    ("condition", "field"),
    [
        ([], "filters"),
        ("{", "filters"),
        ("[" * 60_000, "filters"),
        ("3", "filters"),
        ({"AND": {}}, "filters.AND"),
        ({"OR": []}, "filters.OR"),
        ({"AND": [leaf("a", "b")], "key": "x"}, "filters"),
        ({"AND": ["x"]}, "filters.AND[0]"),
        ({"AND": [leaf("a", None)]}, "filters.AND[0].value"),
        (leaf("", "b"), "filters.key"),
        (leaf("a", ["b"]), "filters.value"),
        (leaf("a", "b", filterType="numeric"), "filters.value"),
        (leaf("a", "NaN", filterType="numeric"), "filters.value"),
        (leaf("a", "b", filterType="regex"), "filters.filterType"),
        (leaf("a", "b", filterType=["numeric"]), "filters.filterType"),
        (leaf("a", "1", numericOperator="=="), "filters.numericOperator"),
        (leaf("a", "b", negate="yes"), "filters.negate"),
        (leaf("a", "b", nagate=True), "filters.nagate"),
        (nested(9), "filters" + ".AND[0]" * 8 + ".AND"),
        ({"AND": [leaf("a", "b")] * 201}, "filters.AND[200]"),
    ],
)
def test_a_wrong_filter_is_refused_with_its_place(condition: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse(condition)
    assert raised.value.details["field"] == field


def test_eight_levels_and_two_hundred_conditions_are_allowed() -> None:
    assert parse(nested(8))
    assert parse({"OR": [leaf("a", "b")] * 200})
