"""The part of the fake server that plays container tags."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote

from memlane.fake_requests import Answer, Json, Request

NOW = "2026-01-01T00:00:00Z"


@dataclass(slots=True)
class FakeTags:
    """Tags with counts; a merge moves one memory with every look at it."""

    known: dict[str, int] = field(default_factory=lambda: {"home": 3, "team/a": 2})  # memories by tag
    put_away: dict[str, tuple[str, int]] = field(default_factory=dict)  # tag and memories, by the deletion's id
    page_rows: int = 200  # the most of one page
    breaks: bool = False  # whether a merge fails
    merge: Json | None = None

    def answer(self, request: Request) -> Answer | None:
        """Return the answer of one of the routes; None when there is none."""
        match [request.method, *map(unquote, request.path.strip("/").split("/"))]:
            case ["GET", "v3", "container-tags", "list"]:
                return self._list(request)
            case ["POST", "v3", "container-tags", "merge"]:
                return self._merge(request)
            case ["GET", "v3", "container-tags", "merge", ref] if self.merge and self.merge["id"] == ref:
                return self._step(self.merge)
            case ["GET", "v3", "container-tags", tag] if tag in self.known:
                return 200, self._shown(tag), {}
            case ["DELETE", "v3", "container-tags", tag] if tag in self.known:
                return self._delete(tag)
            case ["GET", "v1", "deletions"]:
                return self._deletions(request)
            case ["POST", "v1", "deletions", ref, "restore"] if ref in self.put_away:
                return self._restore(ref, request)
        return None

    def _shown(self, tag: str) -> Json:
        return {"containerTag": tag, "name": None, "documentCount": 0, "memoryCount": self.known[tag],
                "createdAt": NOW, "updatedAt": NOW, "entityContext": "A household.", "memoryFilesystemPaths": ["/a/"],
                "profileBuckets": [{"key": "food", "description": "Food."}],
                "warning": "No language model is configured here."}  # fmt: skip

    def _list(self, request: Request) -> Answer:
        rows, cursor = self._page(request, list(self.known))
        return 200, {"containerTags": list(map(self._shown, rows)), "pagination": {"nextCursor": cursor}}, {}

    def _deletions(self, request: Request) -> Answer:
        rows, cursor = self._page(request, list(self.put_away))
        shown = [
            {"id": ref, "container_tag": self.put_away[ref][0], "documents": 0, "memories": self.put_away[ref][1],
             "reason": None, "actor": {"kind": "person", "id": "local"}, "deleted_at": NOW}
            for ref in rows
        ]  # fmt: skip
        return 200, {"deletions": shown, "pagination": {"next_cursor": cursor}}, {}

    def _page(self, request: Request, rows: list[str]) -> tuple[list[str], str | None]:
        start = int(request.query.get("cursor", 0))
        end = start + min(self.page_rows, int(request.query["limit"]))
        return rows[start:end], str(end) if end < len(rows) else None

    def _delete(self, tag: str) -> Answer:
        ref = f"del_{len(self.put_away) + 1}"
        self.put_away[ref] = (tag, self.known.pop(tag))
        return 200, {"success": True, "containerTag": tag, "deletedDocumentsCount": 0,
                     "deletedMemoriesCount": self.put_away[ref][1], "deletionId": ref}, {}  # fmt: skip

    def _restore(self, ref: str, request: Request) -> Answer:
        tag, memories = self.put_away.pop(ref)
        tag = (request.body or {}).get("container_tag", tag)
        self.known[tag] = memories
        return 200, self._shown(tag), {}

    def _merge(self, request: Request) -> Answer:
        sources, target = request.body["containerTags"], request.body["targetContainerTag"]
        moving = sum(self.known.pop(tag) for tag in sources)
        self.known[target] = self.known.get(target, 0) + moving
        self.merge = {"id": "mrg_1", "status": "queued", "sourceTags": sources, "targetTag": target,
                      "progress": {"memories": 0, "judged": 0}, "remaining": {"memories": moving}, "lastError": None,
                      "jobId": None, "requestedAt": NOW, "finishedAt": None}  # fmt: skip
        return 202, {"success": True, "status": "queued", "mergeId": "mrg_1", "targetTag": target,
                     "sourceTags": sources}, {}  # fmt: skip

    def _step(self, merge: Json) -> Answer:
        seen = {**merge, "progress": dict(merge["progress"]), "remaining": dict(merge["remaining"])}
        if self.breaks:
            merge.update(status="failed", lastError="The step broke.")
        elif merge["remaining"]["memories"]:
            merge["progress"]["memories"] += 1
            merge["remaining"]["memories"] -= 1
            merge["status"] = "db_committing"
        else:
            merge.update(status="completed", jobId="job_1", finishedAt=NOW)
            merge["progress"]["judged"] = 1
        return 200, seen, {}
