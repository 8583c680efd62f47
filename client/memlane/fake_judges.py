"""The part of the fake server that plays the judges: decisions to be labelled, and fits that say nothing new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memlane.fake_requests import Json


@dataclass(slots=True)
class FakeJudges:
    """One judge of pairs by rules."""

    decisions: dict[str, Json] = field(default_factory=dict)  # by id

    def decide(self, old: str, new: str, verdict: str) -> str:
        """Store a decision and return its id."""
        decision_id = f"dec_{len(self.decisions) + 1:06d}"
        self.decisions[decision_id] = {"id": decision_id, "judge": "pair", "verdict": verdict, "relabelled": None,
                                       "label": None, "inputs": {"old": old, "new": new}}  # fmt: skip
        return decision_id

    def answer(self, path: str, query: Mapping[str, str], body: Any) -> Json | None:
        """Return the answer of one of the routes about judges; None when there is none."""
        match path.removeprefix("/v1/").split("/"):
            case ["decisions"]:
                rows = [one for one in self.decisions.values() if query.get("verdict") in (None, one["verdict"])]
                return {"decisions": rows, "pagination": {"next_cursor": None}}
            case ["decisions", ref] if ref in self.decisions:
                return self.decisions[ref]
            case ["decisions", ref, "label"] if ref in self.decisions:
                one = self.decisions[ref]
                one["label"] = body.get("label") or f"not:{one['verdict']}"
                return one
            case ["calibration"]:
                return {"judges": [self._judge()]}
            case ["calibration", "fit"]:
                return self._fit(apply_to_past=bool(body.get("apply_to_past")))
            case ["calibration", ref, "revert"]:
                return {"id": ref, "active": None, "relabelled": 0, "changes": [], "for_review": 0}
        return None

    def _judge(self) -> Json:
        said = {"labels": 2, "right": 1, "precision": 0.5, "low": 0.09, "high": 0.91}
        found = {"update": {"standing": "unproven", "threshold": 0.6, "target": 0.97, "precision": said}}
        fit = {"labels": 2, "temperature": 1.0, "thresholds": {"else": 0.6}, "verdicts": found, "changes": []}
        return {"judge": "pair", "model": "rules", "prompt_version": "rules-1", "decisions": len(self.decisions),
                "labels": 2, "verdicts": {"update": said}, "active": None, "fit": fit}  # fmt: skip

    def _fit(self, *, apply_to_past: bool) -> Json:
        fits = [{"id": "cal_000001", **self._judge()["fit"], "judge": "pair", "model": "rules"}]
        changes = [{"from": "update", "to": "undecided", "count": 3}] if apply_to_past else []
        return {"fits": fits, "relabelled": 3 * len(changes), "changes": changes, "for_review": len(changes)}
