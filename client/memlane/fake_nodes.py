"""The part of the fake server that plays the nodes of a fleet."""

from __future__ import annotations

from dataclasses import dataclass, field

from memlane.fake_requests import Answer, Json, Request


@dataclass(slots=True)
class FakeNodes:
    """Two nodes, one in each lane."""

    by_name: dict[str, Json] = field(default_factory=lambda: {"a1": _new_node("a1"), "b1": _new_node("b1")})

    def answer(self, request: Request) -> Answer | None:
        """Return the answer of one of the routes; None when there is none."""
        match request.method, request.path:
            case "GET", "/v1/nodes":
                return self._list()
            case "POST", "/v1/nodes/pause":
                return self._pause(request)
            case "POST", "/v1/nodes/resume":
                return self._resume(request)
            case "POST", "/v1/nodes/drain":
                return self._drain(request)
        return None

    def _list(self) -> Answer:
        for node in self.by_name.values():
            # Each look finds one piece of work less in flight at a node that is paused.
            node["in_flight"] -= 1 if node["paused_until"] and node["in_flight"] else 0
            node["drained"] = bool(node["paused_until"]) and not node["in_flight"]
        return 200, {"nodes": list(self.by_name.values()), "warnings": []}, {}

    def _pause(self, request: Request) -> Answer:
        unknown = [one for one in request.body["nodes"] if one not in self.by_name]
        if unknown:
            return 404, {"error": f"No node {unknown[0]!r} in the inventory.", "code": "not_found", "details": {}}, {}
        named = [self.by_name[one] for one in request.body["nodes"]]
        for node in named:
            end = request.body.get("until") or node["paused_until"] or "2026-01-01T02:00:00Z"
            state = "down" if node["state"] == "down" else "paused"
            node.update(paused_until=end, state=state, lanes=[], drained=not node["in_flight"])
        return 200, {"nodes": named}, {}

    def _resume(self, request: Request) -> Answer:
        named = [self.by_name[one] for one in request.body["nodes"]]
        for node in named:
            node.update(paused_until=None, state="serving", lanes=[node["lane"]], drained=False)
        return 200, {"nodes": named}, {}

    def _drain(self, request: Request) -> Answer:
        status, answer, headers = self._pause(request)
        if status == 200:
            answer = {"drained": all(node["drained"] for node in answer["nodes"]), **answer}
        return status, answer, headers


def _new_node(name: str) -> Json:
    lane = "interactive" if name.startswith("a") else "background"
    return {"name": name, "card": 0 if lane == "interactive" else 1, "lane": lane, "lendable": True, "lanes": [lane],
            "assigned": [lane], "state": "serving", "why": f"Serves {lane}.", "paused_until": None, "drained": False,
            "in_flight": 0, "queue_wait_seconds": {lane: 0.1}, "celsius": 61.0, "bad_answers": 0,
            "memory_used_bytes": 3, "memory_total_bytes": 8,
            "models": [{"role": "embed", "model": "minilm", "healthy": True}]}  # fmt: skip
