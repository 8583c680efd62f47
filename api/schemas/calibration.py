"""Decisions, labels and calibration: what judges answered, and how far they are trusted."""

from __future__ import annotations

from typing import Any, Literal

from api.schemas.fields import Fields
from api.schemas.paging import Paged
from api.schemas.scope import InScope
from api.schemas.values import Label

JudgeKind = Literal["pair", "kind", "bucket"]


class ListDecisions(InScope, Paged):
    """`GET /v1/decisions`."""

    judge: JudgeKind | None = None
    verdict: Label | None = None
    labelled: bool | None = None


class FindDecision(InScope):
    """`GET /v1/decisions/{id}`."""


class LabelDecision(InScope):
    """`POST /v1/decisions/{id}/label`."""

    label: Label | None = None
    wrong: bool = False


class ShowCalibration(InScope):
    """`GET /v1/calibration`."""


class FitCalibration(Fields):
    """`POST /v1/calibration/fit`."""

    judge: Literal["pair", "bucket"] | None = None
    apply_to_past: bool = False

    def wanted(self) -> dict[str, Any]:
        """Return the arguments that a fit takes."""
        return {"judge": self.judge, "apply_to_past": self.apply_to_past}


class RevertCalibration(Fields):
    """`POST /v1/calibration/{id}/revert`."""
