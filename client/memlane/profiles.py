"""The profile of a space and its buckets."""

from __future__ import annotations

from collections.abc import Sequence

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat


class Profiles(Connected):
    """The part of the client that reads profiles and names their buckets."""

    def profile(
        self,
        *,
        spaces: Sequence[str] = (),
        q: str | None = None,
        include: Sequence[str] = (),
        buckets: Sequence[str] = (),
        limit: int | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        details: bool = False,
    ) -> Json:
        """Return what holds about a space in a few lines, what is new, and its buckets.

        Args:
            spaces: where to look.
            q: a question; its search results come beside the profile.
            include: parts out of static, dynamic and buckets; else all of them.
            buckets: keys of the buckets wanted; else every one.
            limit: lines of each part, 1 to 200.
            as_of: ISO 8601, what was true then.
            known_at: ISO 8601, what was believed then.
            details: True adds the memory behind each line.

        Returns:
            `{"profile": {"static": [...], "dynamic": [...], "buckets": {key: [...]}}, "searchResults"?, "details"?}`.
        """
        sent = body(containerTags=list(spaces) or None, q=q, include=list(include) or None,
                    buckets=list(buckets) or None, limit=limit, asOf=as_of, knownAt=known_at,
                    details=details or None)  # fmt: skip
        return self._post("/v4/profile", sent)

    def buckets(self, *, spaces: Sequence[str] = ()) -> Json:
        """Return the buckets of spaces: `{"buckets": [{"key", "description", "container_tag"}]}`."""
        return self._get("/v1/profile/buckets", container_tags=list(spaces) or None)

    def put_bucket(self, key: str, description: str, *, space: str | None = None) -> Json:
        """Name a part of the profile of a space, or describe it anew; returns the buckets of the space."""
        sent = body(key=key, description=description, container_tag=space)
        answer: Json = self._transport.call("PUT", "/v1/profile/buckets", body=sent, repeat=Repeat.ALWAYS)
        return answer

    def remove_bucket(self, key: str, *, space: str | None = None) -> Json:
        """Take a bucket away; its memories stay. Returns the buckets that are left."""
        sent = body(key=key, container_tag=space)
        answer: Json = self._transport.call("DELETE", "/v1/profile/buckets", body=sent, repeat=Repeat.UNSENT)
        return answer
