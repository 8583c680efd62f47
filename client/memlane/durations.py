"""How long something lasts, as a person writes it: 2h, 30m, 1h30m."""

from __future__ import annotations

import re
from typing import Any

import click

# Units of a duration in seconds, in the order they are written.
UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
WRITTEN = re.compile("".join(rf"(?:(?P<{unit}>[0-9]{{1,6}}){unit})?" for unit in UNITS))


class Duration(click.ParamType[int]):
    """A length of time, in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the seconds."""
        if isinstance(value, int):
            return value
        found = WRITTEN.fullmatch(str(value).strip())
        seconds = sum(int(found[unit] or 0) * size for unit, size in UNITS.items()) if found else 0
        if seconds == 0:
            self.fail(f"{value!r} is not a length of time such as 2h, 30m or 1h30m.", param, ctx)
        return seconds


DURATION = Duration()
