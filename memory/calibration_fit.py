"""Finds from labels alone how far a judge is to be trusted and where the threshold of each verdict has to sit.

Three rules keep a few labels from doing harm: the temperature has a prior around 1, a threshold is moved only where the
labels prove the precision wanted, and a verdict is demoted only when they speak against it. No threshold goes below
`LEAST_PROBABILITY`, however good the labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.calibration import LEAST_PROBABILITY, NOT, UNDECIDED, Trust, likeliest, tempered

# Share of a verdict's answers that have to be right. A wrong update or duplicate takes a fact away and nobody is asked;
# a wrong contradiction asks a person for nothing; what does not belong into a bucket is a line too much in a profile.
TARGETS: Mapping[str, float] = {"duplicate": 0.97, "update": 0.97, "contradiction": 0.9, "belongs": 0.8}
# Below so many labels of a verdict nothing is said against it.
LEAST_LABELS = 20
# The thresholds that are tried; few, because the bound holds for each of them alone.
STEPS = (LEAST_PROBABILITY, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
# Of the normal distribution: 95 % two-sided. For a lower bound that is 97.5 %, stricter than usual, which pays for the
# choice among the steps.
Z = 1.96
# Standard deviation of the logarithm of the temperature before any label: 20 labels of which four are wrong move it by
# about a tenth.
PRIOR_DEVIATION = 0.1
# How far the temperature is looked for, as a logarithm: 0.5 to 8.
_COARSE = tuple(step / 10 for step in range(-7, 22))
_FINE = tuple(step / 100 for step in range(-9, 10))
_SURE = 1e-6

Standing = Literal["proven", "unproven", "demoted", "without_target"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A decision with what a person says it should have been."""

    verdict: str  # as the judge gave it
    label: str  # an option, or "not:" before the option that is wrong
    probabilities: Mapping[str, float] = field(default_factory=dict)  # by option; empty of rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """How often a verdict was right, with the interval that holds in 95 of 100 cases."""

    labels: int
    right: int
    low: float  # 0..1
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the labels say of one verdict."""

    standing: Standing
    threshold: float | None  # None: it does not count any more
    target: float | None
    precision: Precision  # of the answers at or above the threshold; of a demoted verdict, of all that counted before


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A judge's trust with what it rests on."""

    trust: Trust
    labels: int  # that say whether the judge was right
    findings: Mapping[str, Finding]  # by verdict


def is_right(option: str, label: str) -> bool | None:
    """Tell whether a label says that an option was the right answer; None when it does not say.

    A contradiction only puts a question to a person. When the answer was that the new statement takes the place of the
    old one, the question was worth asking.
    """
    if label.startswith(NOT):
        return False if label == f"{NOT}{option}" else None
    return label == option or (option, label) == ("contradiction", "update")


def interval(right: int, labels: int) -> tuple[float, float]:
    """Return the bounds of a share, 0..1, that is known from a sample.

    Source: Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927; it holds near 1 and for
    few labels, where the normal approximation does not.

    Args:
        right: how many of the sample.
        labels: size of the sample; 0 gives the whole range.
    """
    if not labels:
        return 0.0, 1.0
    share, z2 = right / labels, Z * Z
    middle = share + z2 / (2 * labels)
    spread = Z * math.sqrt(share * (1 - share) / labels + z2 / (4 * labels * labels))
    whole = 1 + z2 / labels
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def enough(target: float) -> int:
    """Return how many labels, all of them right, prove a precision: those for which Wilson's lower bound reaches it."""
    return math.ceil(target * Z * Z / (1 - target))


def fit(labelled: Sequence[Labelled]) -> Fit:
    """Return how far a judge is to be trusted by what people said of its answers.

    The order of the labels does not matter. Without any, the judge is trusted as it speaks.

    Args:
        labelled: decisions of one judge, model and prompt version.
    """
    known = [one for one in map(_read, labelled) if one is not None]
    temperature = _temperature(known)
    sure = {option for one in known for option in one.shares} | {one.option for one in known}
    findings = {option: _finding(option, known, temperature) for option in sorted(sure & TARGETS.keys())}
    thresholds = {option: one.threshold for option, one in findings.items() if one.threshold != LEAST_PROBABILITY}
    for option in sorted(sure - TARGETS.keys()):
        findings[option] = _finding(option, known, temperature)
    return Fit(trust=Trust(temperature=temperature, thresholds=thresholds), labels=len(known), findings=findings)


def precision(samples: Sequence[bool]) -> Precision:
    """Return how often a verdict was right among labelled answers."""
    low, high = interval(sum(samples), len(samples))
    return Precision(labels=len(samples), right=sum(samples), low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """An answer of which a label says whether it was right."""

    option: str  # the judge's likeliest
    right: bool
    shares: Mapping[str, float]


def _read(one: Labelled) -> _Known | None:
    option = likeliest(one.probabilities) or one.verdict
    right = None if option == UNDECIDED else is_right(option, one.label)
    return None if right is None else _Known(option=option, right=right, shares=one.probabilities)


def _temperature(known: Sequence[_Known]) -> float:
    """Return the temperature under which being right is as likely as the judge says, kept near 1 by the prior."""
    said = [one for one in known if one.shares]
    if not said:
        return 1.0
    coarse = min(_COARSE, key=lambda log: (_surprise(said, log), abs(log)))
    best = min((coarse + step for step in _FINE), key=lambda log: (_surprise(said, log), abs(log)))
    return round(math.exp(best), 4)


def _surprise(said: Sequence[_Known], log: float) -> float:
    """Return minus the logarithm of the posterior of a temperature, given as its logarithm."""
    parts = [log * log / (2 * PRIOR_DEVIATION * PRIOR_DEVIATION)]
    temperature = math.exp(log)
    for one in said:
        share = tempered(one.shares, temperature)[one.option]
        parts.append(-math.log(max(share if one.right else 1.0 - share, _SURE)))
    return math.fsum(parts)


def _finding(option: str, known: Sequence[_Known], temperature: float) -> Finding:
    samples = [
        (tempered(one.shares, temperature)[option] if one.shares else 1.0, one.right)
        for one in known
        if one.option == option
    ]
    at_least = {step: precision([right for share, right in samples if share >= step]) for step in STEPS}
    target, usual = TARGETS.get(option), at_least[LEAST_PROBABILITY]
    if target is None:
        return Finding(standing="without_target", threshold=LEAST_PROBABILITY, target=None, precision=usual)
    proven = next((step for step in STEPS if at_least[step].low >= target), None)
    if proven is not None:
        return Finding(standing="proven", threshold=proven, target=target, precision=at_least[proven])
    if usual.labels >= enough(target) or (usual.labels >= LEAST_LABELS and usual.high < target):
        return Finding(standing="demoted", threshold=None, target=target, precision=usual)
    return Finding(standing="unproven", threshold=LEAST_PROBABILITY, target=target, precision=usual)
