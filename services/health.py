"""Whether the service can do its job at this moment."""

from __future__ import annotations

from typing import Any

from memory.errors import StoreError
from services import configured_model, lanes
from services.host import Host

# A write-ahead log of a busy hour, with some to spare; below this a person should look.
LEAST_FREE_BYTES = 256 * 1024 * 1024


def health(host: Host, of: lanes.Whose = None) -> dict[str, Any]:
    """Return `status` with what it rests on.

    Args:
        host: the adapters.
        of: whose work and whose files the sentences may name.

    Returns:
        `status` is "ok", "degraded" (answers, with something missing: see `warnings`) or "down" (the store cannot be
        read); `store`, `broker` and `models` in a word each; `reranking`, how many searches of this process got one,
        did not need it, or did not get all of it; `warnings`, one sentence each. A name that belongs to no node is a
        warning too and takes nothing away, so it leaves `status` as it is.
    """
    try:
        seen = lanes.condition(host, of)
        wrong = configured_model.warnings(host, of)
    except StoreError as error:
        return {"status": "down", "store": "down", "broker": "unknown", "warnings": [_words(error, of)]}
    warnings = [*_room(host), *wrong, *seen["warnings"]]
    return {
        "status": "degraded" if warnings else "ok",
        "store": "up",
        "broker": seen["broker"],
        "models": {"embedding": host.settings.embed_model, "llm": _llm(host)},
        "reranking": host.reranks.counts(),
        "warnings": [*warnings, *seen["remarks"]],
    }


def _llm(host: Host) -> str | None:
    """Return what the language model is called; None without one, for then rules do its work."""
    if not host.has_llm:
        return None
    reports = host.sight().reports.values()
    told = sorted({one.model for report in reports for one in report.models if one.role == "llm" and one.model})
    return host.settings.llm_model or ", ".join(told) or "an LLM server that tells no name"


def _words(error: StoreError, of: lanes.Whose) -> str:
    return error.message if of is None else "The store cannot be read; whoever runs this server has to look."


def _room(host: Host) -> list[str]:
    free = host.store.free_bytes()
    if free >= LEAST_FREE_BYTES:
        return []
    return [f"The disk of the data folder has {free >> 20} MB left; writes are refused when it is full. Make room."]
