"""How far a judge's answers are to be trusted, as a calibration says, and the verdict that counts then.

A language model's probabilities are sharpened or flattened by one number, its temperature, and each verdict needs its
own share of them. Of rules, which say no probabilities, a verdict counts or does not. `memory/calibration_fit.py` finds
both from labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

UNDECIDED = "undecided"
# A verdict needs this much of the probability; the next likeliest then has at most half of it. Until labels say better.
LEAST_PROBABILITY = 0.6
# What is said of an option that a person ruled out without naming another: the label of a plain "wrong".
NOT = "not:"
# An option that was said to be impossible gets this, so that a logarithm exists; beyond what is ever decided by.
_FLOOR = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How the answers of one judge, model and prompt version are read; without arguments: as they are said."""

    temperature: float = 1.0  # above 0; above 1 the judge is surer than it should be
    thresholds: Mapping[str, float | None] = field(default_factory=dict)  # by verdict, 0..1; None: it never counts

    def threshold(self, verdict: str) -> float | None:
        """Return the share that a verdict needs, 0..1; None when it does not count whatever its share."""
        return self.thresholds.get(verdict, LEAST_PROBABILITY)


AS_SAID = Trust()


def tempered(probabilities: Mapping[str, float], temperature: float) -> dict[str, float]:
    """Return probabilities as a temperature makes them: each to the power of 1 / temperature, adding up to 1.

    The order of the options stays. Source: Guo et al., On Calibration of Modern Neural Networks, 2017, section 4.2,
    with log probabilities in the place of logits (they differ by a constant that the sum takes out).

    Args:
        probabilities: by option, 0..1.
        temperature: above 0; 1 changes nothing.
    """
    if temperature == 1.0 or not probabilities:
        return dict(probabilities)
    logs = {option: math.log(max(share, _FLOOR)) / temperature for option, share in probabilities.items()}
    highest = max(logs.values())
    powers = {option: math.exp(one - highest) for option, one in logs.items()}
    total = math.fsum(powers.values())
    return {option: power / total for option, power in powers.items()}


def likeliest(probabilities: Mapping[str, float]) -> str | None:
    """Return the option with the highest probability, of equal ones the first by name; None when there is none."""
    return min(probabilities, key=lambda option: (-probabilities[option], option), default=None)


def counted(verdict: str, probabilities: Mapping[str, float], trust: Trust) -> str:
    """Return the verdict that counts, `undecided` when the answer is not sure enough.

    Args:
        verdict: as the judge gave it; counts itself where there are no probabilities.
        probabilities: by option, as the judge said them; empty of rules.
        trust: how far to trust them.
    """
    best = likeliest(probabilities)
    if best is None:
        return UNDECIDED if trust.threshold(verdict) is None else verdict
    least = trust.threshold(best)
    if least is None or tempered(probabilities, trust.temperature)[best] < least:
        return UNDECIDED
    return best


def proposed(verdicts: list[str]) -> str | None:
    """Return what a person is shown of the verdicts on one memory's pairs; None when they decide nothing.

    Args:
        verdicts: as they count now, one a pair.
    """
    for verdict in ("contradiction", "duplicate", "update", UNDECIDED):
        if verdict in verdicts:
            return None if verdict == UNDECIDED else verdict
    return verdicts[0] if verdicts else None


def trust_of(fields: Mapping[str, Any]) -> Trust:
    """Read a trust from JSON."""
    return Trust(temperature=float(fields["temperature"]), thresholds=dict(fields["thresholds"]))
