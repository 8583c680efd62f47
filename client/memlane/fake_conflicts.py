"""The part of the fake server that plays the review list: contradictions of a memory, decided once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memlane.fake_requests import Answer, Json


@dataclass(slots=True)
class FakeConflicts:
    """What waits for a person."""

    entries: dict[str, Json] = field(default_factory=dict)  # by id

    def contradict(self, memory: Json, text: str) -> str:
        """Put a contradiction of a memory on the list and return its id."""
        conflict_id = f"con_{len(self.entries) + 1:06d}"
        candidate = {"statement": text, "quote": text, "speaker": None, "said_at": None, "confidence": 0.7,
                     "source_id": "doc_1", "support": 1}  # fmt: skip
        judge = {"verdict": "contradiction", "probabilities": {"contradiction": 0.9}, "model": "rules"}
        self.entries[conflict_id] = {
            "id": conflict_id, "kind": "contradiction", "state": "open", "container_tag": "default", "memory": memory,
            "candidate": candidate, "judge": judge, "proposed": None, "decision_id": "dec_1",
            "opened_at": "2026-01-01T00:00:00Z", "resolution": None, "resolved_at": None, "resolved_by": None,
            "reason": None,
        }  # fmt: skip
        return conflict_id

    def answer(self, path: str, query: Mapping[str, str], body: Any) -> Answer | None:
        """Return the answer of one of the routes; None when there is none."""
        match path.removeprefix("/v1/").split("/"):
            case ["conflicts"]:
                state = query.get("state", "open")
                rows = [one for one in self.entries.values() if state in ("all", one["state"])]
                return 200, {"conflicts": rows, "pagination": {"next_cursor": None}}, {}
            case ["conflicts", ref] if ref in self.entries:
                return 200, self.entries[ref], {}
            case ["conflicts", ref, "resolve"] if ref in self.entries:
                return self._resolve(self.entries[ref], body)
        return None

    def _resolve(self, one: Json, sent: Json) -> Answer:
        if one["state"] == "resolved":
            return 409, {"error": "This was resolved already.", "code": "conflict", "details": {"id": one["id"]}}, {}
        one.update(state="resolved", resolution=sent["resolution"], reason=sent.get("reason"),
                   resolved_at="2026-01-02T00:00:00Z", resolved_by={"kind": "person", "id": "local"})  # fmt: skip
        return 200, one, {}
