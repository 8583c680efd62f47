"""Profiles and buckets as they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from api import render, render_search
from memory.buckets import Bucket
from memory.profile import Profile, begins, line
from memory.records import Memory

Json = dict[str, Any]


def profile(found: Profile, *, details: bool) -> Json:
    """Return a profile as lines of text; with `details` also each line's memory."""
    body: Json = {"profile": _parts(found, lines)}
    if found.search is not None:
        body["searchResults"] = render_search.search(found.search, sources=False, explain=False)
    if details:
        body["details"] = _parts(found, entries)
    return {**body, "degraded": list(found.degraded)} if found.degraded else body


def _parts(found: Profile, show: Any) -> Json:
    return {
        "static": show(found.static), "dynamic": show(found.dynamic),
        "buckets": {key: show(rows) for key, rows in found.buckets.items()},
    }  # fmt: skip


def lines(rows: Iterable[Memory]) -> list[str]:
    """Return memories as lines, doubtful ones marked."""
    return [line(row) for row in rows]


def entries(rows: Iterable[Memory]) -> list[Json]:
    """Return memories with what the lines rest on."""
    return [
        {
            "id": row.id, "memory": row.text, "kind": row.kind, "isStatic": row.is_static, "sourceCount": row.support,
            "isDisputed": row.is_disputed, "isUnjudged": row.is_unjudged, "containerTag": row.space,
            "validFrom": render.moment(begins(row)), "updatedAt": render.moment(row.updated_at),
        }
        for row in rows
    ]  # fmt: skip


def buckets(found: Sequence[tuple[str, Bucket]], *, spaces: bool = True) -> Json:
    """Return buckets, with the space of each."""
    return {
        "buckets": [
            {"key": one.key, "description": one.description, **({"container_tag": space} if spaces else {})}
            for space, one in found
        ]
    }
