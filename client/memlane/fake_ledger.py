"""The ledger of the small server in memory: sessions by name, episodes in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from memlane.fake_requests import Answer, Json

NOW = "2026-01-01T00:00:00Z"


@dataclass(slots=True)
class FakeLedger:
    """The sessions of the fake server."""

    kept: dict[str, list[Json]] = field(default_factory=dict)  # by name of the session

    def answer(self, method: str, path: str, sent: Mapping[str, Any], memories: Iterable[Json]) -> Answer | None:
        """Answer a request; None when it is about something else."""
        if (method, path) == ("POST", "/v1/episodes"):
            return self._append(sent)
        if path == "/v1/sessions":
            return 200, {"sessions": [self._session(name) for name in self.kept], "pagination": {}}, {}
        _, plane, kind, name, *rest = [unquote(part) for part in f"{path}///".split("/")]
        if (plane, kind) != ("v1", "sessions") or name not in self.kept:
            return None
        return 200, self._page(name, sent) if rest[0] == "episodes" else self._session(name), {}

    def _session(self, name: str) -> Json:
        return {"id": f"ses_{name}", "conversation_id": name, "container_tag": "default", "user_id": None,
                "agent_id": None, "metadata": {}, "episodes": len(self.kept[name]), "job_id": None, "created_at": NOW,
                "updated_at": NOW}  # fmt: skip

    def _append(self, sent: Mapping[str, Any]) -> Answer:
        name = sent.get("session_id", "new")
        rows = self.kept.setdefault(name, [])
        made = [
            {"id": f"ep_{name}_{seq}", "session_id": f"ses_{name}", "seq": seq, "kind": "turn", "role": "tool",
             "name": None, "occurred_at": None, "recorded_at": NOW, "metadata": {}, "is_erased": False, **one}
            for seq, one in enumerate(sent["episodes"], len(rows))
        ]  # fmt: skip
        rows += made
        return 201, {"id": made[0]["id"], "session_id": f"ses_{name}", "episodes": made, "status": "queued",
                     "job_id": "job_1"}, {}  # fmt: skip

    def _page(self, name: str, sent: Mapping[str, Any]) -> Json:
        first, limit = int(sent.get("cursor", 0)), int(sent.get("limit", 50))
        rows = [one for one in self.kept[name] if sent.get("kind") in (None, one["kind"])]
        rows = [one for one in rows if one["seq"] >= int(sent.get("from_seq", 0))]
        after = str(first + limit) if len(rows) > first + limit else None
        page = {"total_items": len(rows), "limit": limit, "next_cursor": after}
        return {"session": self._session(name), "episodes": rows[first : first + limit], "pagination": page}
