"""Metadata filters in Supermemory's grammar: parsed once with a precise complaint, then matched without one."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memory.errors import InvalidInput

DEEPEST_NESTING = 8
MOST_LEAVES = 200
LONGEST_JSON = 65_536

FilterType = Literal["metadata", "numeric", "array_contains", "string_contains"]

_TYPES: frozenset[str] = frozenset({"metadata", "numeric", "array_contains", "string_contains"})
# Of two numbers, or of an array and a number.
OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
}
_LEAF_KEYS = frozenset({"key", "value", "filterType", "numericOperator", "negate", "ignoreCase"})
MOST_KEYS = len(_LEAF_KEYS)
_HINT = 'Use {"AND": [...]}, {"OR": [...]} or {"key": ..., "value": ...}.'


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One comparison of one metadata key."""

    key: str
    value: str
    type: FilterType
    numeric_operator: str
    negate: bool
    ignore_case: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Conditions and groups joined by AND or OR."""

    all: bool  # True for AND
    members: tuple[Filter, ...]


Filter = Condition | Group


def parse(value: Mapping[str, Any] | str | None, *, field: str = "filters") -> Filter | None:
    """Read a filter.

    Args:
        value: an object, the same as a JSON string, or None. An empty object and an empty AND filter nothing.
        field: the request's field, for errors.

    Returns:
        The filter, or None for no filter.

    Raises:
        InvalidInput: it does not follow the grammar; `field` names the place, e.g. "filters.AND[0].value".
    """
    if isinstance(value, str):
        value = _from_json(value, field)
    if value is None or value == {}:
        return None
    return _parse(value, field, 1, [0])


def matches(filter: Filter | None, metadata: Mapping[str, Any]) -> bool:
    """Tell whether metadata passes a filter.

    Args:
        filter: a parsed filter; None passes everything.
        metadata: scalars or lists of strings by key.

    Returns:
        True when it passes. A missing key fails every condition, so it passes a negated one. Values are compared as
        text, numbers by value, booleans as "true" and "false". Never raises.
    """
    if filter is None:
        return True
    if isinstance(filter, Group):
        results = (matches(member, metadata) for member in filter.members)
        return all(results) if filter.all else any(results)
    return _holds(filter, metadata.get(filter.key)) != filter.negate


def as_text(value: Any) -> str | None:
    """Return a value as conditions compare it; None for what is no text, number or boolean."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def as_number(value: Any) -> float | None:
    """Return a number, or a text that writes one, as a finite float; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str) and value[:1].isalpha():
        return None  # as `float` finds out in ten times the time
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _from_json(text: str, field: str) -> Any:
    if len(text) > LONGEST_JSON:
        raise InvalidInput(f"{field} is longer than {LONGEST_JSON} characters.", field=field)
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{field} is not valid JSON.", field=field, hint=_HINT) from error


def _parse(value: Any, field: str, depth: int, leaves: list[int]) -> Filter:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{field} must be an object.", field=field, hint=_HINT)
    present = {name: item for name, item in value.items() if item is not None}
    joints = [name for name in ("AND", "OR") if name in present]
    if joints:
        if len(present) > 1:
            raise InvalidInput(f"{field} must have AND or OR alone.", field=field, hint=_HINT)
        return _parse_group(joints[0], present[joints[0]], f"{field}.{joints[0]}", depth, leaves)
    leaves[0] += 1
    if leaves[0] > MOST_LEAVES:
        raise InvalidInput(f"A filter may have at most {MOST_LEAVES} conditions.", field=field)
    return _parse_condition(present, field)


def _parse_group(joint: str, members: Any, field: str, depth: int, leaves: list[int]) -> Group:
    if depth > DEEPEST_NESTING:
        raise InvalidInput(f"A filter may be nested {DEEPEST_NESTING} deep.", field=field)
    if not isinstance(members, list) or (not members and joint == "OR"):
        wanted = "a list with at least one condition" if joint == "OR" else "a list of conditions"
        raise InvalidInput(f"{field} must be {wanted}.", field=field, hint=_HINT)
    parsed = tuple(_parse(item, f"{field}[{index}]", depth + 1, leaves) for index, item in enumerate(members))
    return Group(all=joint == "AND", members=parsed)


def _parse_condition(leaf: Mapping[str, Any], field: str) -> Condition:
    unknown = sorted(map(str, set(leaf) - _LEAF_KEYS))
    if unknown:
        raise InvalidInput(f"{field}.{unknown[0]} is not known.", field=f"{field}.{unknown[0]}", hint=_HINT)
    key = leaf.get("key")
    if not isinstance(key, str) or not key:
        raise InvalidInput(f"{field}.key must be a text.", field=f"{field}.key")
    kind = leaf.get("filterType", "metadata")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise InvalidInput(
            f"{field}.filterType must be one of {', '.join(sorted(_TYPES))}.", field=f"{field}.filterType"
        )
    comparison = leaf.get("numericOperator", "=")
    if not isinstance(comparison, str) or comparison not in OPERATORS:
        place = f"{field}.numericOperator"
        raise InvalidInput(f"{place} must be one of {' '.join(OPERATORS)}.", field=place)
    value = as_text(leaf.get("value"))
    if value is None or (kind == "numeric" and as_number(value) is None):
        wanted = "a number" if kind == "numeric" else "a text, number or boolean"
        raise InvalidInput(f"{field}.value must be {wanted}.", field=f"{field}.value")
    return Condition(
        key=key,
        value=value,
        type=kind,  # type: ignore[arg-type]
        numeric_operator=comparison,
        negate=_flag(leaf, "negate", field),
        ignore_case=_flag(leaf, "ignoreCase", field),
    )


def _flag(leaf: Mapping[str, Any], name: str, field: str) -> bool:
    value = leaf.get(name, False)
    text = as_text(value) if isinstance(value, bool | str) else None
    if text not in {"true", "false"}:
        raise InvalidInput(f"{field}.{name} must be true or false.", field=f"{field}.{name}")
    return text == "true"


def _holds(condition: Condition, actual: Any) -> bool:
    if condition.type == "array_contains":
        return isinstance(actual, list | tuple) and any(_equal(condition, item) for item in actual)
    if condition.type == "numeric":
        number, wanted = as_number(actual), as_number(condition.value)
        compare = OPERATORS[condition.numeric_operator]
        return number is not None and wanted is not None and compare(number, wanted)
    if condition.type == "string_contains":
        text = as_text(actual)
        return text is not None and _cased(condition, condition.value) in _cased(condition, text)
    return _equal(condition, actual)


def _equal(condition: Condition, actual: Any) -> bool:
    text = as_text(actual)
    if text is None:
        return False
    if _cased(condition, text) == _cased(condition, condition.value):
        return True
    if isinstance(actual, bool) or not isinstance(actual, int | float):
        return False
    return as_number(actual) is not None and as_number(actual) == as_number(condition.value)


def _cased(condition: Condition, text: str) -> str:
    return text.casefold() if condition.ignore_case else text
