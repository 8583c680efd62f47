"""What is said of judges, as text and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memlane.render import Block, Rows, one_line
from memlane.views import EVIDENCE_CHARS

Json = Mapping[str, Any]


def decisions(found: Sequence[Json]) -> Iterator[Block]:
    """Show decisions: id, verdict, what it counts as, label, and the texts."""
    rows = [
        (one["id"], one["judge"], one["verdict"], one.get("relabelled"), one.get("label"), _inputs(one))
        for one in found
    ]
    yield Rows(columns=("id", "judge", "verdict", "counts as", "label", "about"), rows=rows)


def _inputs(one: Json) -> str:
    shown = " | ".join(str(text) for text in one.get("inputs", {}).values())
    return one_line(shown if len(shown) <= EVIDENCE_CHARS else f"{shown[:EVIDENCE_CHARS].rsplit(' ', 1)[0]} ...")


def calibration(answer: Json) -> Iterator[Block]:
    """Show each judge with the precision of its verdicts, its active fit, and what a new one would change."""
    rows = [
        (one["judge"], one["model"], one["prompt_version"], one["decisions"], one["labels"],
         one["active"]["id"] if one["active"] else "none", _changes(one["fit"]["changes"]))
        for one in answer["judges"]
    ]  # fmt: skip
    columns = ("judge", "model", "prompt", "decisions", "labels", "active fit", "a fit would change")
    yield Rows(columns=columns, rows=rows)
    said = [
        (one["judge"], one["model"], verdict, f"{found['right']}/{found['labels']}", _interval(found),
         _standing(one["fit"]["verdicts"].get(verdict)))
        for one in answer["judges"] for verdict, found in one["verdicts"].items()
    ]  # fmt: skip
    if said:
        yield Rows(columns=("judge", "model", "verdict", "right", "95 % between", "by its labels"), rows=said)


def fitted(answer: Json) -> Iterator[Block]:
    """Show new fits: the temperature, and where each verdict counts from."""
    if answer.get("status") == "pending":
        yield f"pending  {answer.get('id', '')}"
        return
    rows = [
        (one["id"], one["judge"], one["model"], one["labels"], one["temperature"], verdict, _standing(found))
        for one in answer["fits"] for verdict, found in one["verdicts"].items()
    ]  # fmt: skip
    yield Rows(columns=("id", "judge", "model", "labels", "temperature", "verdict", "counts"), rows=rows)
    yield _relabelled(answer)


def reverted(answer: Json) -> Iterator[Block]:
    """Show what counts again."""
    if answer.get("status") == "pending":
        yield f"pending  {answer.get('id', '')}"
        return
    yield f"active  {answer['active'] or 'none: judges are trusted as they speak'}"
    yield _relabelled(answer)


def _relabelled(answer: Json) -> str:
    changes = f" ({_changes(answer['changes'])})" if answer["changes"] else ""
    looked = f"{answer['for_review']} to look at: memlane conflicts"
    return f"{answer['relabelled']} past decisions relabelled{changes}; {looked}"


def _changes(found: Sequence[Json]) -> str:
    return ", ".join(f"{one['count']} {one['from']} to {one['to']}" for one in found) or "nothing"


def _interval(found: Json) -> str:
    return f"{found['low']:.2f} and {found['high']:.2f}"


def _standing(found: Json | None) -> str:
    if found is None:
        return ""
    return (
        f"never ({found['standing']})"
        if found["threshold"] is None
        else f"from {found['threshold']:g} ({found['standing']})"
    )
