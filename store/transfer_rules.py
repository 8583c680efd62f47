"""What the values of one line have to be together, and what no two lines of a file may share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memory import tenant_settings
from memory.records import BEGINNING, FOREVER

Values = Mapping[str, Any]
Broken = tuple[str, str]  # the field, and what is wrong: "Line 2 ..."


def broken(table: str, values: Values) -> Broken | None:
    """Return which rule the values of a line break, with the field; None when they break none.

    Args:
        table: whose columns they are.
        values: by column, each of the shape that it has to have.
    """
    return next((told for rule in _RULES.get(table, ()) if (told := rule(values)) is not None), None)


def _spans(values: Values) -> Broken | None:
    start, end = values.get("start"), values.get("end")
    ends_before = start is not None and end is not None and end < start
    return ("end", "has an `end` before its `start`") if ends_before else None


def _lasts(values: Values) -> Broken | None:
    start, end = values.get("valid_from", BEGINNING), values.get("valid_to", FOREVER)
    return None if start < end else ("valid_to", "has a `valid_to` that is not after its `valid_from`")


def _fits_its_name(values: Values) -> Broken | None:
    fits = tenant_settings.fits(values["name"], json.loads(values["value"]))
    return None if fits else ("value", f"has a `value` that the setting {values['name']} cannot have")


def _says_of_what(values: Values) -> Broken | None:
    """An open job is begun anew, so it has to say what it is about."""
    if values["state"] not in ("queued", "running"):
        return None
    if values["kind"] == "judging":
        return "state", "is of a judging job that goes on"
    wanted = ("session_id",) if values["kind"] == "conversation" else ("document_id", "revision")
    missing = next((name for name in wanted if values.get(name) is None), None)
    return None if missing is None else (missing, f"is of a job that goes on and lacks `{missing}`")


def _together(when: Callable[[Values], bool], *names: str) -> Callable[[Values], Broken | None]:
    """Return the rule that columns have values just then."""

    def rule(values: Values) -> Broken | None:
        wanted = when(values)
        wrong = next((name for name in names if (values.get(name) is not None) != wanted), None)
        return None if wrong is None else (wrong, f"{'lacks' if wanted else 'may not have'} `{wrong}`")

    return rule


_RULES: Mapping[str, tuple[Callable[[Values], Broken | None], ...]] = {
    "setting": (_fits_its_name,),
    "calibration": (_together(lambda values: values["state"] == "retired", "retired_at"),),
    "review": (_together(lambda values: values["state"] == "resolved", "resolved_at"),),
    "validity": (
        _lasts, _together(lambda values: values.get("retired_at") is not None, "retired_kind", "reason"),
    ),
    "candidate": (_spans, _lasts),
    "chunk": (_spans,),
    "source": (_spans,),
    "job": (_says_of_what,),
}  # fmt: skip

# Fields that no two lines of a kind share, beside what they are called.
_ONCE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "document": (("space", "custom_id"),),
    "session": (("space", "conversation_id"),),
    "chunk": (("document_id", "revision", "position"),),
    "memory": (("space", "row"), ("root_id", "version")),
    "revision_source": (("document_id", "revision"),),
    "judgement": (("candidate", "round", "memory_id"),),
    "relabelling": (("calibration_id", "decision_id"),),
    "bucket_memory": (("memory_id", "space", "bucket"),),
}


def once(table: str, values: Values, told: Values) -> Iterator[tuple[str, str]]:
    """Yield what only one line of a file may say: its field, and all of it as a name.

    Args:
        table: of the line.
        values: by column.
        told: what stands for columns.
    """
    fields = {**values, **told}
    if fields.get("deleted_at") is not None:
        return  # its custom id is free again
    for names in _ONCE.get(table, ()):
        parts = [fields.get(name) for name in names]
        if None not in parts:
            yield names[-1], json.dumps([table, names[-1], *parts])
