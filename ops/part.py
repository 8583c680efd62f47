"""What the supervisor needs to know of a part of the stack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.errors import MemlaneError


class CannotStart(MemlaneError):
    """The stack cannot be started here; see the reason."""

    code = "cannot_start"


class ConfigurationWrong(CannotStart):
    """The stack cannot be started with this configuration; change it first."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One process to keep running."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)  # the whole of it; holds keys
    stage: int = 0  # parts of a lower stage are stopped first
    stop_seconds: float = 2.0  # from SIGTERM to SIGKILL
    announces: bool = False  # says on its log when it takes work
    probe: str | None = None  # URL that answers {"status": "ok"} when the part is ready
    noise: str = ""  # a line that holds this is not logged; empty for none
    adopt: Callable[[], int | None] = lambda: None  # process id of one that runs already
    rescue: Callable[[Sequence[str]], str | None] = lambda lines: None  # mends what its last lines complain of
