"""One thing that `memlane doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found, in a sentence for a person."""

    area: str
    state: State
    sentence: str
