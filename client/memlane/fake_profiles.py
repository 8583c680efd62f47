"""The profile routes of the small server in memory: every memory is lasting, and a bucket holds what names its key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memlane.fake_requests import Json


@dataclass(slots=True)
class FakeProfiles:
    """The buckets of the fake server."""

    described: dict[str, str] = field(default_factory=dict)  # by key

    def answer(
        self, method: str, path: str, sent: Mapping[str, Any], memories: Iterable[Json]
    ) -> tuple[int, Any, dict[str, str]] | None:
        """Answer a request; None when it is about something else."""
        if path == "/v4/profile":
            return 200, self._profile(sent, [one["memory"] for one in memories]), {}
        if path != "/v1/profile/buckets":
            return None
        if method == "PUT":
            self.described[sent["key"]] = sent["description"]
        if method == "DELETE" and self.described.pop(sent["key"], None) is None:
            return 404, {"error": "No such bucket.", "code": "not_found", "details": {"field": "key"}}, {}
        return 200, {"buckets": [{"key": key, "description": text} for key, text in self.described.items()]}, {}

    def _profile(self, sent: Mapping[str, Any], texts: list[str]) -> Json:
        buckets = {key: [text for text in texts if key in text] for key in self.described}
        shown: Json = {"profile": {"static": texts, "dynamic": [], "buckets": buckets}}
        if sent.get("q"):
            found = [{"id": "mem_0", "memory": text, "similarity": 0.5} for text in texts if sent["q"] in text]
            shown["searchResults"] = {"results": found, "total": len(found), "timing": 0.1}
        return shown
