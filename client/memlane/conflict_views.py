"""What waits for a person, as text and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memlane.render import Block, Rows, one_line
from memlane.views import pending

Json = Mapping[str, Any]


def conflicts(found: Sequence[Json]) -> Iterator[Block]:
    """Show entries: id, kind, state, the memory in question, and what stands against it."""
    rows = [
        (one["id"], one["kind"], one["resolution"] or one["state"], _known(one), _said(one), one["opened_at"])
        for one in found
    ]
    yield Rows(columns=("id", "kind", "state", "memory", "candidate", "opened"), rows=rows)


def conflict(one: Json) -> Iterator[Block]:
    """Show one entry whole."""
    if one.get("status") == "pending":
        yield from pending(one)
        return
    yield f"{one['id']}  {one['kind']}, {one['state']} since {one['resolved_at'] or one['opened_at']}"
    if one["memory"]:
        yield f"memory     {one['memory']['id']}  {one_line(_known(one))}"
    if one["candidate"]:
        yield f"candidate  {one_line(_said(one))}  ({_origin(one['candidate'])})"
    if one["judge"]:
        yield f"judge      {_verdict(one)}"
    if one["resolution"]:
        reason = f": {one['reason']}" if one["reason"] else ""
        yield one_line(
            f"resolved   {one['resolution']} by {one['resolved_by']['kind']} {one['resolved_by']['id']}{reason}"
        )


def _known(one: Json) -> str | None:
    return one["memory"]["memory"] if one["memory"] else None


def _said(one: Json) -> str | None:
    return one["candidate"]["statement"] if one["candidate"] else None


def _origin(candidate: Json) -> str:
    times = f", {candidate['support']} times" if candidate["support"] > 1 else ""
    who = f", said by {candidate['speaker']}" if candidate["speaker"] else ""
    return one_line(
        f"{candidate['source_id'] or 'written directly'}{who}, confidence {candidate['confidence']:g}{times}"
    )


def _verdict(one: Json) -> str:
    judge, counts = one["judge"], f"; counts as {one['proposed']}" if one["proposed"] else ""
    shares = ", ".join(f"{name} {value:.2f}" for name, value in judge["probabilities"].items()) or "no valid answer"
    return one_line(f"{judge['verdict']} ({shares}), by {judge['model']}{counts}")
