"""The two clocks of a read: what was true then, and what was believed then."""

from __future__ import annotations

from api.schemas.fields import CamelFields, Fields
from api.schemas.values import Moment
from memory.records import Clocks


class AtClocks(Fields):
    """A point of both clocks; what is left out is now."""

    as_of: Moment | None = None
    known_at: Moment | None = None

    def clocks(self) -> Clocks:
        """Return the times as services take them."""
        as_of, known_at = (clock[0] if clock else None for clock in (self.as_of, self.known_at))
        return Clocks(as_of=as_of, known_at=known_at)


class CamelAtClocks(AtClocks, CamelFields):
    """The same for `/v3` and `/v4`."""
