"""Whether the service can do its job at this moment."""

from __future__ import annotations

from typing import Any

from memory.errors import StoreError
from services import lanes
from services.host import Host


def health(host: Host) -> dict[str, Any]:
    """Return `status` with what it rests on.

    Returns:
        `status` is "ok", "degraded" (answers, with something missing: see `warnings`) or "down" (the store cannot be
        read); `store`, `broker` and `models` in a word each; `warnings`, one sentence each.
    """
    try:
        seen = lanes.lanes(host)
    except StoreError as error:
        return {"status": "down", "store": "down", "broker": "unknown", "warnings": [error.message]}
    return {
        "status": "degraded" if seen["warnings"] else "ok",
        "store": "up",
        "broker": seen["broker"],
        "models": {"embedding": host.settings.embed_model, "llm": None},
        "warnings": seen["warnings"],
    }
