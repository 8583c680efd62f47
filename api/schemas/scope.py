"""Whose data: the fields every request may carry."""

from __future__ import annotations

from pydantic import Field

from api.schemas.fields import CamelFields, Fields
from api.schemas.values import Label, Tag

# As many as a person keeps apart; a read of more is a mistake or an export.
MOST_TAGS = 100


class InScope(Fields):
    """Names of spaces, and who within them."""

    container_tag: Tag | None = None
    container_tags: list[Tag] | None = Field(default=None, min_length=1, max_length=MOST_TAGS)
    user_id: Label | None = None
    agent_id: Label | None = None
    session_id: Label | None = None

    def spaces(self) -> tuple[str, ...]:
        """Return the spaces named, each once, in the order named; none when none is named."""
        one = (self.container_tag,) if self.container_tag is not None else ()
        return tuple(dict.fromkeys((*one, *(self.container_tags or ()))))


class CamelInScope(InScope, CamelFields):
    """The same for `/v3` and `/v4`."""
