"""What judges answered, what a person says of it, and how far they are trusted by that."""

from __future__ import annotations

from urllib.parse import quote

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat


class Judges(Connected):
    """The part of the client that is about judges."""

    def decisions(
        self,
        *,
        judge: str | None = None,
        verdict: str | None = None,
        labelled: bool | None = None,
        space: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Json:
        """Return one page of decisions, newest first: `{"decisions": [...], "pagination": {"next_cursor", ...}}`."""
        said = None if labelled is None else str(labelled).lower()
        return self._get("/v1/decisions", judge=judge, verdict=verdict, labelled=said, container_tag=space,
                         limit=limit, cursor=cursor)  # fmt: skip

    def decision(self, decision_id: str) -> Json:
        """Return one decision."""
        return self._get(f"/v1/decisions/{quote(decision_id, safe='')}")

    def label(self, decision_id: str, *, option: str | None = None, wrong: bool = False) -> Json:
        """Say what an answer should have been: the right option, or only that it is wrong. Returns the decision."""
        path = f"/v1/decisions/{quote(decision_id, safe='')}/label"
        return self._post(path, body(label=option, wrong=wrong or None))

    def calibration(self, *, space: str | None = None) -> Json:
        """Return `{"judges": [...]}`: labels, precision, the active fit, and what a new one would change."""
        return self._get("/v1/calibration", container_tag=space)

    def fit(self, *, judge: str | None = None, apply_to_past: bool = False) -> Json:
        """Fit judges to their labels; returns `{"fits": [...], "relabelled", "changes", "for_review"}`."""
        sent = body(judge=judge, apply_to_past=apply_to_past or None)
        return self._post("/v1/calibration/fit", sent, repeat=Repeat.UNSENT)

    def revert_fit(self, calibration_id: str) -> Json:
        """Go back to the fit before; returns `{"id", "active", "relabelled", "changes", "for_review"}`."""
        path = f"/v1/calibration/{quote(calibration_id, safe='')}/revert"
        return self._post(path, {}, repeat=Repeat.UNSENT)
