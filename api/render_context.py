"""Contexts, scratchpads and memories found in a scope, as `/v1` shows them."""

from __future__ import annotations

import itertools
from typing import Any

from api import render
from memory.context_forms import SYSTEM, json_object
from memory.records import Hit, Memory, SearchAnswer
from memory.scratchpad import Scratchpad
from services.context import Context

Json = dict[str, Any]

NO_GRAPH = "This server keeps no graph of entities yet, so nothing was walked."


def context(row: Context) -> Json:
    """Return a context with what it cites and what was left out."""
    packed = row.packed
    left = packed.left_out
    body: Json = {
        "context": json_object(packed.sections) if row.form == "json" else packed.text,
        "format": row.form,
        "tokens": packed.tokens,
        "budget": row.budget,
        "truncated": packed.truncated,
        "left_out": {**left, "total": sum(left.values())},
        "more": list(packed.more),
        "items": _items(row),
    }
    if row.form == "json" and not packed.text:
        body["context"] = None
    rare = {"reasons": dict(row.reasons), "degraded": list(row.degraded)}
    return {**body, **{name: value for name, value in rare.items() if value}}


def _items(row: Context) -> list[Json]:
    numbers = itertools.count(1)
    return [
        {
            "n": next(numbers), "section": section.name, "id": item.id,
            **render.present({
                "date": render.moment(item.at, item.zone), "container_tag": item.space,
                "similarity": None if item.similarity is None else render.score(item.similarity),
            }),
        }
        for section in row.packed.sections if section.name != SYSTEM
        for item in section.items
    ]  # fmt: skip


def scratchpad(session: str, space: str, pad: Scratchpad, *, most_chars: int, now: int) -> Json:
    """Return a scratchpad.

    Args:
        session: whose.
        space: where.
        pad: its notes.
        most_chars: that it may have.
        now: the time from which its end is counted.
    """
    end = None if pad.seconds_left is None else now + round(pad.seconds_left * 1e6)
    return {
        "session_id": session, "container_tag": space,
        "notes": [{"text": note.text, "at": render.moment(note.at)} for note in pad.notes],
        "characters": pad.chars, "most_characters": most_chars, "expires_at": render.moment(end),
    }  # fmt: skip


def memories_found(answer: SearchAnswer, *, explain: bool, min_hops: int, max_hops: int) -> Json:
    """Return the memories that a search in a scope has found, and what there is of a graph."""
    graph = {"min_hops": min_hops, "max_hops": max_hops, "entities": [], "edges": [], "note": NO_GRAPH}
    body = {
        "results": [_found(hit, hit.memory, explain=explain) for hit in answer.hits if hit.memory],
        "total": answer.total, "timing": round(answer.milliseconds, 3), "graph": graph,
    }  # fmt: skip
    rare = {"reason": answer.reason, "degraded": list(answer.degraded)}
    return {**body, **{name: value for name, value in rare.items() if value}}


def _found(hit: Hit, row: Memory, *, explain: bool) -> Json:
    shown = render.memory(row)
    near = hit.explain.get("vectors")
    return {
        **{name: value for name, value in shown.items() if name not in ("windows", "actor")},
        "similarity": render.score(hit.similarity),
        **({} if near is None else {"distance": render.score(1 - near)}),
        **({"explain": {name: render.score(part) for name, part in hit.explain.items()}} if explain else {}),
    }
