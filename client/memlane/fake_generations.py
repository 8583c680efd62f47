"""The part of the fake server that plays the change of the embedding model."""

from __future__ import annotations

from dataclasses import dataclass, field

from memlane.fake_requests import Answer, Request


@dataclass(slots=True)
class FakeGenerations:
    """Two generations of vectors: one serves, one is being built."""

    states: dict[str, str] = field(default_factory=lambda: {"1": "serving", "2": "building"})  # by id

    def answer(self, request: Request) -> Answer | None:
        """Return the answer of one of the routes; None when there is none."""
        match request.path.removeprefix("/v1/").split("/"):
            case ["generations"]:
                return self._list()
            case ["generations", ref, *action] if ref in self.states:
                return self._change(request, ref, action)
        return None

    def _list(self) -> Answer:
        rows = [
            {"id": int(ref), "model": f"words-{ref}", "dimension": 384, "state": state, "configured": ref == "2",
             "rows": 3, "vectors": 3, "missing": 0, "created_at": "2026-01-01T00:00:00Z"}
            for ref, state in self.states.items()
        ]  # fmt: skip
        job = {"id": "job_1", "space": "default", "state": "running", "items_total": 2, "items_done": 1,
               "items_failed": 0, "warning": None}  # fmt: skip
        return 200, {"generations": rows, "jobs": [job], "facts_waiting": 0, "warning": "Two models."}, {}

    def _change(self, request: Request, ref: str, action: list[str]) -> Answer:
        if request.method == "DELETE":
            del self.states[ref]
        else:
            before = "retired" if action == ["switch"] else "building"
            self.states = {one: "serving" if one == ref else before for one in self.states}
        return self._list()
