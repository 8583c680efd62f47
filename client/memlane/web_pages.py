"""Pages that are handed in by their URL; the server fetches them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from memlane.folders import MOST_ID_CHARS

SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page to fetch."""

    url: str  # as the user named it

    @property
    def custom_id(self) -> str:
        """The id that the same page has the next time: `page:<URL>`, without the place in it."""
        named = self.url.partition("#")[0]
        if len(named) + len("page:") <= MOST_ID_CHARS:
            return f"page:{named}"
        return f"page:sha256-{hashlib.sha256(named.encode()).hexdigest()}"


def is_url(text: str) -> bool:
    """Tell whether an argument names a page and no file."""
    return text.lower().startswith(SCHEMES)
