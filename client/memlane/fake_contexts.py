"""Contexts, notes and shortened texts of the small server in memory: tokens are words, and notes never go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memlane.fake_requests import Answer, Json


@dataclass(slots=True)
class FakeContexts:
    """The notes of the fake server."""

    notes: dict[str, list[str]] = field(default_factory=dict)  # by session

    def answer(self, method: str, path: str, sent: Mapping[str, Any], memories: Iterable[Json]) -> Answer | None:
        """Answer a request; None when it is about something else."""
        if path == "/v1/compress":
            text = sent["text"].split(".")[0] + "."
            tokens = {"context": 3, "source": 9}
            return 200, {"text": text, "tokens": tokens, "ratio": 0.333, "kept": 1, "dropped": 2}, {}
        if path == "/v1/context/scratchpad":
            return self._scratchpad(method, sent)
        if path == "/v1/context":
            return 200, self._context(sent, list(memories)), {}
        if path == "/v1/memory/search":
            return 200, {"results": list(memories), "total": 1, "timing": 0.1}, {}
        return None

    def _scratchpad(self, method: str, sent: Mapping[str, Any]) -> Answer:
        kept = self.notes.setdefault(sent["session_id"], [])
        if method == "POST":
            kept[:] = [*(kept if sent["mode"] == "append" else []), *([sent["content"]] if sent["content"] else [])]
        notes = [{"text": text, "at": "2026-01-01T00:00:00Z"} for text in kept]
        return 200, {"session_id": sent["session_id"], "notes": notes, "characters": len("".join(kept))}, {}

    def _context(self, sent: Mapping[str, Any], memories: list[Json]) -> Json:
        budget = sent.get("budget", 2000)
        kept: list[Json] = []
        for one in memories:
            if sum(len(known["memory"].split()) for known in [*kept, one]) <= budget:
                kept.append(one)
        items = [{"n": n, "section": "memories", "id": one["id"]} for n, one in enumerate(kept, 1)]
        left = len(memories) - len(kept)
        text: Any = "\n".join(f"[{n}] {one['memory']}" for n, one in enumerate(kept, 1))
        if sent.get("format") == "json":
            text = {"memlane_recalled": True, "memories": kept}
        tokens = sum(len(one["memory"].split()) for one in kept)
        return {"context": text, "tokens": tokens, "budget": budget, "truncated": left > 0,
                "left_out": {"memories": left, "total": left}, "more": [], "items": items}  # fmt: skip
