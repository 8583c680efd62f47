"""Decisions and calibration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, AnyJson, Timestamp
from api.answers.records import Pagination, Who

Thresholds = dict[str, float | None]


class Decision(Answer):
    """What a judge answered, and what may be said of it."""

    id: str
    judge: str
    container_tag: str | None
    inputs: AnyJson
    verdict: str
    relabelled: str | None
    probabilities: dict[str, float]
    options: list[str]
    label: str | None
    labelled_by: Who | None
    labelled_at: Timestamp | None
    memory_id: str | None
    other_id: str | None
    model: str | None
    prompt_version: str | None
    calibration_id: str | None
    node: str | None
    milliseconds: float | None
    at: Timestamp


class Decisions(Answer):
    """A page of decisions, newest first."""

    decisions: list[Decision]
    pagination: Pagination


class Precision(Answer):
    """How often a verdict was right, with its interval of 95 %."""

    labels: int
    right: int
    precision: float | None
    low: float
    high: float


class Finding(Answer):
    """What a fit found of one verdict."""

    standing: Literal["proven", "unproven", "demoted", "without_target"]
    threshold: float | None
    target: float | None
    precision: Precision


class Trust(Answer):
    """How far a judge is trusted."""

    labels: int
    temperature: float
    thresholds: Thresholds
    verdicts: dict[str, Finding]


class Calibration(Trust):
    """One fit as it was kept."""

    id: str
    judge: str
    model: str | None
    prompt_version: str | None
    state: str
    previous_id: str | None
    actor: Who
    at: Timestamp
    retired_at: Timestamp | None


class Change(Answer):
    """How many decisions count otherwise."""

    old: str = Field(alias="from", description="What they counted as.")
    new: str = Field(alias="to", description="What they count as then.")
    count: int


class Fit(Trust):
    """What the labels say now."""

    changes: list[Change]


class Standing(Answer):
    """What is known of one judge, model and prompt version."""

    judge: str
    model: str | None
    prompt_version: str | None
    decisions: int
    labels: int
    verdicts: dict[str, Precision]
    active: Calibration | None
    fit: Fit


class Judges(Answer):
    """Every judge that has answered."""

    judges: list[Standing]


class Relabelled(Answer):
    """What a change of trust has done to the decisions of before."""

    relabelled: int
    changes: list[Change]
    for_review: int


class Fitted(Relabelled):
    """The fits that are active now."""

    fits: list[Calibration]


class Reverted(Relabelled):
    """The fit that was left."""

    id: str
    active: str | None
