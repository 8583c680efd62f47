"""What the walks through time look like to a person: changes, and where a memory comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memlane.render import Block, Rows, one_line

Json = Mapping[str, Any]


def changes(entries: Sequence[Json]) -> Iterator[Block]:
    """Show changes in the order of their recording: when, what, the memory, what took its place, why and by whom."""
    rows = [
        (one["at"], one["kind"], one["id"], one.get("memory"), _other(one), one.get("reason"), _who(one.get("actor")))
        for one in entries
    ]
    yield Rows(columns=("at", "change", "id", "memory", "with", "reason", "by"), rows=rows)


def provenance(answer: Json) -> Iterator[Block]:
    """Show a memory, where it was said, what was decided and every version with its windows."""
    yield f"{answer['id']}  {one_line(answer['memory'])}"
    yield "\nSaid"
    for one in answer["sources"]:
        yield from _evidence(one)
    if answer["decisions"]:
        yield "\nDecided"
        yield from map(_decision, answer["decisions"])
    yield "\nVersions"
    for one in answer["versions"]:
        yield from _version(one)


def undone(answer: Json) -> Iterator[Block]:
    """Show what is live again."""
    if answer.get("status") == "pending":
        yield f"pending  {answer.get('id', '')}"
        return
    yield Rows(columns=("id", "version", "memory"), rows=[(answer["id"], answer.get("version"), answer.get("memory"))])


def _other(one: Json) -> str | None:
    return one.get("successor_id") or one.get("previous_id")


def _who(actor: Json | None) -> str | None:
    return f"{actor['kind']} {actor['id']}" if actor else None


def _evidence(one: Json) -> Iterator[str]:
    gone = f"; no longer, since {one['retired_at']}: {one['reason']}" if one.get("retired_at") else ""
    yield f"  {_place(one)}: {one_line(_quoted(one.get('quote')))}"
    outcome = f"; {one['outcome']}: {one['outcome_reason']}" if one.get("outcome") else ""
    yield f"    found by {_making(one)} at {one['recorded_at']}{one_line(outcome)}{one_line(gone)}"


def _place(one: Json) -> str:
    if one["kind"] == "direct":
        return "written directly"
    span = f", characters {one['start']} to {one['end']}" if one.get("start") is not None else ""
    who = " ".join(str(one[name]) for name in ("role", "speaker") if one.get(name))
    if one.get("conversation_id"):
        return one_line(f"{one['conversation_id']}#{one.get('message_index')} ({who}{span})")
    named = one.get("title") or one.get("document_id") or one["id"]
    return one_line(f"{named} ({one.get('document_id')}, revision {one.get('revision')}{span})")


def _quoted(quote: str | None) -> str:
    return f'"{quote}"' if quote else "no quote"


def _making(one: Json) -> str:
    parts = [str(one["model"])]
    parts += [f"prompt {one['prompt_version']}"] if one.get("prompt_version") else []
    parts += [f"{name[:-3] if name == 'job_id' else name} {one[name]}" for name in ("job_id", "node") if one.get(name)]
    return one_line(", ".join(parts))


def _decision(one: Json) -> str:
    shares = ", ".join(f"{name} {value:.2f}" for name, value in one["probabilities"].items()) or "no valid answer"
    about = " against ".join(str(one[name]) for name in ("memory_id", "other_id") if one.get(name))
    label = f"; a person says {one['label']}" if one.get("label") else ""
    return (
        f"  {one['id']}  {one['judge']} {about}: {one['verdict']} ({shares}), by {_making(one)} at {one['at']}{label}"
    )


def _version(one: Json) -> Iterator[str]:
    why = f": {one['reason']}" if one.get("reason") else ""
    yield f"  {one['version']}  {one['id']}  {one_line(one['memory'])}"
    yield f"     {_who(one['actor'])}, by {_making(one)} at {one['recorded_at']}{one_line(why)}"
    for window in one["windows"]:
        yield f"     {one_line(_window(window))}"
    if one.get("is_forgotten"):
        yield f"     forgotten: {one_line(one.get('forget_reason'))}"


def _window(window: Json) -> str:
    ends = (window["retired_at"], _who(window.get("retired_by")), window["reason"])
    retired = "; retired {} by {}: {}".format(*ends) if window.get("retired_at") else ""
    return f"valid {window['valid_from'] or 'always'} to {window['valid_to'] or 'now on'}{retired}"
