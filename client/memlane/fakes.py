"""A small server in memory that plays the wire, for tests of whatever talks to Memlane; it has no models.

Documents are done after `looks` looks at their job; a phrase matches a memory when every word of it occurs there.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote

from memlane.fake_conflicts import FakeConflicts
from memlane.fake_contexts import FakeContexts
from memlane.fake_generations import FakeGenerations
from memlane.fake_http import listening
from memlane.fake_judges import FakeJudges
from memlane.fake_ledger import FakeLedger
from memlane.fake_nodes import FakeNodes
from memlane.fake_profiles import FakeProfiles
from memlane.fake_requests import Answer, Json
from memlane.fake_requests import Request as Request
from memlane.fake_tags import FakeTags


@dataclass(slots=True)
class FakeServer:
    """The server; a context manager. `faults` are answered first: a triple of status, body, headers; None hangs up."""

    key: str | None = None  # wanted from every request
    looks: int = 1  # at a job until it is done
    fail: tuple[str, ...] = ()  # customIds whose job fails
    page_rows: int = 200  # the most of one page
    health: str = "ok"
    faults: deque[Answer | None] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    documents: dict[str, Json] = field(default_factory=dict)  # by id
    memories: dict[str, Json] = field(default_factory=dict)
    jobs: dict[str, Json] = field(default_factory=dict)
    batches: dict[str, list[str]] = field(default_factory=dict)
    erasures: dict[str, Json] = field(default_factory=dict)
    generations: FakeGenerations = field(default_factory=FakeGenerations)
    judges: FakeJudges = field(default_factory=FakeJudges)
    conflicts: FakeConflicts = field(default_factory=FakeConflicts)
    profiles: FakeProfiles = field(default_factory=FakeProfiles)
    contexts: FakeContexts = field(default_factory=FakeContexts)
    ledger: FakeLedger = field(default_factory=FakeLedger)
    nodes: FakeNodes = field(default_factory=FakeNodes)
    tags: FakeTags = field(default_factory=FakeTags)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))
    _http: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """The address, on a free port."""
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        """Start answering."""
        self._http = listening(self)
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop answering."""
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()

    def sent(self, method: str, path: str) -> list[Request]:
        """Return the requests of one route, in order."""
        return [one for one in self.requests if (one.method, one.path) == (method, path)]

    def remember(self, text: str) -> str:
        """Store a memory and return its id."""
        memory_id = self._new("mem")
        self.memories[memory_id] = {"id": memory_id, "memory": text, "version": 1, "isForgotten": False}
        return memory_id

    def answer(self, request: Request) -> Answer:
        """Answer one request."""
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            return _refusal(401, "unauthenticated", "A valid API key is needed.")
        fixed = self._routes().get(f"{request.method} {request.path}")
        for playing in (self.generations, self.nodes, self.tags):
            if said := playing.answer(request):
                return said
        for part in (self.profiles, self.contexts, self.ledger):
            sent = {**request.query, **(request.body or {})}
            if told := part.answer(request.method, request.path, sent, self.memories.values()):
                return told
        return fixed(request) if fixed is not None else self._by_id(request)

    def _routes(self) -> dict[str, Callable[[Request], Answer]]:
        return {
            "GET /v1/health": self._health,
            "GET /v1/stats": self._stats,
            "GET /v1/jobs": self._list_jobs,
            "GET /v1/changes": self._list_changes,
            "GET /v1/spaces": self._list_spaces,
            "POST /v1/erasures": self._erase,
            "GET /v1/erasures": lambda _: (200, {"erasures": list(self.erasures.values())}, {}),
            "POST /v1/ask": self._ask,
            "POST /v1/memories/restore": self._restore_batch,
            "POST /v3/documents": self._add_document,
            "POST /v3/documents/file": self._add_document,
            "POST /v4/memories": self._add_memories,
            "POST /v4/memories/list": self._list_memories,
            "POST /v4/memories/forget-matching": self._forget,
            "POST /v4/search": self._search,
        }

    def _by_id(self, request: Request) -> Answer:
        plane, kind, ref, *action = [unquote(part) for part in f"{request.path[1:]}//".split("/")]
        action = [part for part in action if part]
        if (plane, kind) == ("v1", "jobs") and ref in self.jobs:
            return self._job(ref, action)
        if (plane, kind) == ("v1", "erasures") and ref in self.erasures:
            self.erasures[ref].update(state="finished", finished_at="2026-01-01T00:00:01Z", waits_for=None)
            return 200, self.erasures[ref], {}
        if (plane, kind, request.method) == ("v1", "spaces", "PATCH"):
            return 200, {"name": ref, "documents": 0, "memories": len(self.memories), **request.body}, {}
        if told := self.judges.answer(unquote(request.path), request.query, request.body):
            return 200, told, {}
        if listed := self.conflicts.answer(unquote(request.path), request.query, request.body):
            return listed
        if (plane, kind) == ("v1", "memories") and ref in self.memories:
            return self._memory(ref, action)
        if (plane, kind) == ("v3", "documents") and ref in self.documents:
            return 200, self.documents[ref], {}
        return _refusal(404, "not_found", f"Nothing is known as {ref!r}.", hint="Check the id and the space.")

    def _new(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):06d}"

    def _job(self, job_id: str, action: list[str]) -> Answer:
        job = self.jobs[job_id]
        if action == ["cancel"]:
            job["state"] = "cancelled"
        elif action == ["retry"]:
            if job["state"] != "failed":
                return _refusal(409, "conflict", f"The job is {job['state']}; only a failed one can be retried.")
            job["state"] = "queued"
        elif job["state"] in ("queued", "running"):
            job["items_done"] += 1
            job["state"] = "running" if job["items_done"] < job["items_total"] else job["ends"]
            job["reason"] = "The text could not be read." if job["state"] == "failed" else None
        return 200, {name: value for name, value in job.items() if name != "ends"}, {}

    def _memory(self, memory_id: str, action: list[str]) -> Answer:
        memory = self.memories[memory_id]
        if action == ["history"]:
            return 200, {"root_id": memory_id, "versions": [memory]}, {}
        if action == ["provenance"]:
            return 200, _walk(memory), {}
        if action in (["restore"], ["undo"]):
            if not memory["isForgotten"]:
                return _refusal(409, "conflict", "The memory is live; there is nothing to restore.")
            memory["isForgotten"] = False
        return 200, memory, {}

    def _add_document(self, request: Request) -> Answer:
        sent = request.body
        custom_id = sent.get("customId")
        known = next((one for one in self.documents.values() if custom_id and one["customId"] == custom_id), None)
        # A page may say something else by now.
        if known and "url" not in sent and known.get("content") == sent["content"]:
            return 202, {"id": known["id"], "status": "done", "jobId": known["jobId"]}, {}
        document_id, job_id = known["id"] if known else self._new("doc"), self._new("job")
        ends = "failed" if custom_id in self.fail else "done"
        self.jobs[job_id] = {"id": job_id, "state": "queued", "ends": ends, "items_done": 0, "items_total": self.looks,
                             "document_id": document_id, "reason": None}  # fmt: skip
        self.documents[document_id] = {"customId": None, **sent, "id": document_id, "status": "done", "jobId": job_id}
        return 202, {"id": document_id, "status": "queued", "jobId": job_id}, {}

    def _add_memories(self, request: Request) -> Answer:
        ids = [self.remember(one["content"]) for one in request.body["memories"]]
        return 201, {"documentId": None, "memories": [self.memories[one] for one in ids]}, {}

    def _list_memories(self, request: Request) -> Answer:
        size = min(request.body.get("limit", 50), self.page_rows)
        rows = [one for one in self.memories.values() if request.body.get("includeForgotten") or not one["isForgotten"]]
        start = int(request.body.get("cursor", 0))
        cursor = str(start + size) if start + size < len(rows) else None
        page = {"currentPage": 1, "limit": size, "totalItems": len(rows), "nextCursor": cursor}
        return 200, {"memoryEntries": rows[start : start + size], "pagination": page}, {}

    def _search(self, request: Request) -> Answer:
        hits = [
            {**one, "similarity": 0.9, "metadata": {}, "sources": [{"kind": "direct", "id": one["id"]}]}
            for one in self._matching(request.body["q"])
        ]
        return 200, {"results": hits, "total": len(hits), "timing": 1.0}, {}

    def _ask(self, request: Request) -> Answer:
        found = self._matching(request.body["q"])
        cited = [{"n": n, "id": one["id"], "text": one["memory"], "similarity": 0.9,
                  "source": {"kind": "direct", "id": one["id"]}} for n, one in enumerate(found, start=1)]  # fmt: skip
        answer = found[0]["memory"] if found else "Nothing is known about that."
        tokens = {"context": 10, "source": 100, "ratio": 10.0}
        return 200, {"answer": answer, "citations": cited, "context": "", "tokens": tokens, "model": "extractive"}, {}

    def _matching(self, phrase: str) -> list[Json]:
        words = phrase.casefold().split()
        live = [one for one in self.memories.values() if not one["isForgotten"]]
        return [one for one in live if all(word in one["memory"].casefold() for word in words)]

    def _forget(self, request: Request) -> Answer:
        sent = request.body
        unknown = [one for one in sent.get("ids", ()) if one not in self.memories]
        if unknown:
            return _refusal(404, "not_found", f"No memory {unknown[0]!r} in this space.")
        found = [self.memories[one] for one in sent["ids"]] if "ids" in sent else self._matching(sent["query"])
        matches = [{"id": one["id"], "memory": one["memory"], "score": 0.8} for one in found][
            : sent.get("maxForget", 100)
        ]
        shown = {"dryRun": sent["dryRun"], "count": len(matches), "forgetBatchId": None}
        if sent["dryRun"]:
            return 200, {**shown, "candidates": matches}, {}
        batch = self._new("fgt")
        self.batches[batch] = [one["id"] for one in matches]
        for one in matches:
            self.memories[one["id"]]["isForgotten"] = True
        return 200, {**shown, "forgetBatchId": batch, "forgotten": matches}, {}

    def _list_spaces(self, request: Request) -> Answer:
        found = {"name": "default", "documents": len(self.documents), "memories": len(self.memories),
                 "retention_days": None}  # fmt: skip
        return 200, {"spaces": [found]}, {}

    def _erase(self, request: Request) -> Answer:
        sent, counts = request.body, {"memories": len(self.memories), "memories_kept": 0}
        if sent.get("dry_run"):
            return 200, {"dry_run": True, "kind": sent["kind"], "counts": counts}, {}
        proof = {"looked_for": 9, "found": 0, "still_said": 0} if sent.get("verify") else None
        receipt = {"id": self._new("ers"), "kind": sent["kind"], "state": "purging", "counts": counts,
                   "verification": proof, "waits_for": "The queue cannot be reached.",
                   "requested_at": "2026-01-01T00:00:00Z", "finished_at": None}  # fmt: skip
        self.erasures[receipt["id"]] = receipt
        self.memories.clear()
        return 202, dict(receipt), {}

    def _restore_batch(self, request: Request) -> Answer:
        if request.body["batch_id"] not in self.batches:
            return _refusal(404, "not_found", "There is no such batch.")
        rows = [self.memories[one] for one in self.batches[request.body["batch_id"]]]
        for row in rows:
            row["isForgotten"] = False
        return 200, {"count": len(rows), "memories": rows}, {}

    def _list_jobs(self, request: Request) -> Answer:
        for job_id in self.jobs:
            self._job(job_id, [])
        return 200, {"jobs": list(self.jobs.values()), "pagination": {"nextCursor": None}}, {}

    def _list_changes(self, request: Request) -> Answer:
        rows = [{"at": f"2026-01-01T00:00:{n:02d}Z", "kind": "learned", "id": one["id"], "memory": one["memory"],
                 "reason": None, "actor": _PERSON} for n, one in enumerate(self.memories.values())]  # fmt: skip
        size, start = min(int(request.query["limit"]), self.page_rows), int(request.query.get("cursor", 0))
        cursor = str(start + size) if start + size < len(rows) else None
        return 200, {"changes": rows[start : start + size], "pagination": {"next_cursor": cursor}}, {}

    def _health(self, request: Request) -> Answer:
        return 503 if self.health == "down" else 200, {"status": self.health, "parts": {"store": "ok"}}, {}

    def _stats(self, request: Request) -> Answer:
        return 200, {"documents": len(self.documents), "memories": len(self.memories)}, {}


_PERSON = {"kind": "person", "id": "local"}


def _walk(memory: Json) -> Json:
    """Return where a memory comes from: it was written directly, and then changed once."""
    made = {"model": "direct", "prompt_version": "", "job_id": None, "node": None}
    source = {"kind": "direct", "id": memory["id"], "quote": memory["memory"], "recorded_at": "2026-01-01T00:00:00Z",
              **made}  # fmt: skip
    windows = [{"valid_from": "2026-01-01T00:00:00Z", "valid_to": None, "retired_at": "2026-01-02T00:00:00Z",
                "retired_by": _PERSON, "reason": "changed"}]  # fmt: skip
    decision = {"id": "dec_1", "judge": "pair", "memory_id": memory["id"], "other_id": "mem_0", "verdict": "update",
                "probabilities": {"update": 0.9}, "at": "2026-01-01T00:00:00Z", **made, "model": "rules"}  # fmt: skip
    version = {**memory, "actor": _PERSON, "recorded_at": "2026-01-01T00:00:00Z", "windows": windows, **made}
    return {"id": memory["id"], "memory": memory["memory"], "sources": [source], "decisions": [decision],
            "versions": [version]}  # fmt: skip


def _refusal(status: int, code: str, sentence: str, **details: Any) -> Answer:
    return status, {"error": sentence, "code": code, "details": details}, {}
