"""Container tags: a space with its settings; deleting one and giving it back; merging, which goes on by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from memlane.connected import Connected, Json, once
from memlane.transport import Repeat

POLL_SECONDS = 0.5
# The server's largest page.
PAGE_ROWS = 200
TAGS = "/v3/container-tags"


class Tags(Connected):
    """The part of the client that looks after container tags."""

    def tags(self) -> Iterator[Json]:
        """Yield the tags that the key may use, in the order they were made, each with its counts."""
        yield from self._each(f"{TAGS}/list", "containerTags", "nextCursor")

    def tag(self, name: str) -> Json:
        """Return a tag with its settings."""
        return self._get(f"{TAGS}/{quote(name, safe='')}")

    def delete_tag(self, name: str) -> Json:
        """Put a tag away with all that is in it; returns its `deletionId`, which gives it back."""
        path = f"{TAGS}/{quote(name, safe='')}"
        answer: Json = self._transport.call("DELETE", path, repeat=Repeat.UNSENT)
        return answer

    def deleted_tags(self) -> Iterator[Json]:
        """Yield what was put away and can be given back, newest first."""
        yield from self._each("/v1/deletions", "deletions", "next_cursor")

    def restore_tag(self, deletion_id: str, *, name: str | None = None) -> Json:
        """Give a tag back with all that was in it, under its name or another one that is free."""
        path = f"/v1/deletions/{quote(deletion_id, safe='')}/restore"
        return self._post(path, {"container_tag": name} if name is not None else {}, repeat=Repeat.UNSENT)

    def merge_tags(self, sources: Sequence[str], target: str) -> Json:
        """Ask for everything of some tags to be moved into another one; returns the merge as it stands."""
        sent = {"containerTags": list(sources), "targetContainerTag": target}
        answer: Json = self._transport.call("POST", f"{TAGS}/merge", body=sent, headers=once(), repeat=Repeat.ALWAYS)
        return self.merge(str(answer["mergeId"]))

    def merge(self, merge_id: str) -> Json:
        """Return how far a merge is: `{"status", "progress", "remaining", "lastError", "jobId", ...}`."""
        return self._get(f"{TAGS}/merge/{quote(merge_id, safe='')}")

    def _each(self, path: str, rows: str, following: str) -> Iterator[Json]:
        cursor = None
        while True:
            page = self._get(path, limit=PAGE_ROWS, cursor=cursor)
            yield from page[rows]
            cursor = page["pagination"].get(following)
            if cursor is None:
                return


def is_merging(merge: Mapping[str, Any]) -> bool:
    """Tell whether a merge still goes on."""
    return merge["status"] not in ("completed", "failed")


def merged(client: Tags, merge: Json, *, tell: Callable[[Json], None], pause: Callable[[float], None]) -> Json:
    """Return a merge once it has ended.

    Args:
        client: asks for it.
        merge: as it was last seen.
        tell: is told of it each time it is looked at.
        pause: waits for so many seconds.
    """
    tell(merge)
    while is_merging(merge):
        pause(POLL_SECONDS)
        merge = client.merge(str(merge["id"]))
        tell(merge)
    return merge


def how_far(merge: Mapping[str, Any]) -> tuple[int, int]:
    """Return how much of a merge is done, and how much there is in all; what arrives meanwhile makes that more."""
    left = sum(merge["remaining"].values())
    done = sum(number for name, number in merge["progress"].items() if name in merge["remaining"])
    return done, done + left
