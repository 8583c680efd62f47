"""Runs the whole pipeline in one process, message by message, on models made of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inference.fake_chat import last_letter
from inference.fake_words import word_vectors
from memory.records import Accepted, Actor, Message, NewDocument, Scope
from memory.settings import Settings
from memory.vectors import encode_vectors
from services import conversations, documents, handlers, ingest, jobs, ledger, pages, reconcile
from services.fake_models import WordModels
from services.fakes import RecordingQueue, Sent, SteppedClock, fake_host
from services.fetching.resolving import Resolve, system_resolve
from services.host import Host
from services.source_slots import SourceSlots
from services.writer import WriterLease
from store.connection import Store
from store.segments import SegmentCache

PERSON = Actor(kind="person", id="local")
HOME = Scope(tenant="default", spaces=("home",))


class Pipeline:
    """A host whose messages are carried by hand, in the order they were sent."""

    def __init__(
        self,
        folder: Path,
        *,
        model: str = "all-MiniLM-L6-v2",
        dimension: int = 384,
        clock: SteppedClock | None = None,
    ) -> None:
        clock = clock or SteppedClock()
        store = Store(folder, clock=clock, busy_seconds=2.0)
        settings = Settings(
            data_dir=str(folder), pause_file=str(folder / "paused.json"), embed_model=model, embed_dimension=dimension
        )
        self.queue = _Carrying(self)
        self.host: Host = fake_host(
            folder, store=store, clock=clock, queue=self.queue, models=WordModels(dimension=dimension),
            search=SegmentCache(store), settings=settings,
            facts=lambda: self.queue.facts(at=clock()), **handlers.OF_HOST,
        )  # fmt: skip
        self.clock = clock
        self.writer = WriterLease(self.host, "test")
        self.writer.renew()
        self.written: list[Mapping[str, Any]] = []  # what a language model was asked to write
        self.write: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _unasked  # a node's result for it
        # Letter probabilities of a language model for a question.
        self.answers: Callable[[Mapping[str, Any]], Mapping[str, float]] = _last_letter
        self.slots = SourceSlots(4)
        self.resolve: Resolve = system_resolve  # of the names of pages
        self.held: Callable[[Sent], bool] = lambda message: False  # messages that wait until this says otherwise

    def settle(self) -> None:
        """Carry messages until none is left but those that are held."""
        while ready := [message for message in self.queue.waiting if not self.held(message)]:
            self.queue.waiting.remove(ready[0])
            self.clock.advance(0.001)
            self._do(ready[0].task, ready[0].payload)

    def _vectors(self, texts: Sequence[str]) -> str:
        return encode_vectors(word_vectors(texts, self.host.settings.embed_dimension))

    def _do(self, task: str, payload: Mapping[str, Any]) -> None:
        held = {name: payload[name] for name in ("item", "attempt") if name in payload}
        names = {"item": "item_id", "attempt": "attempt"}
        named = {names[name]: value for name, value in held.items()}
        tenant = payload["tenant"]
        if task == "document.prepare":
            ingest.prepare_document(self.host, tenant, **named, slots=self.slots)
        elif task == "document.fetch":
            pages.fetch_document(self.host, tenant, **named, slots=self.slots, resolve=self.resolve)
        elif task == "extract.group" and "messages" in payload:
            self.written.append(payload)
            reconcile.item_done(self.host, self.writer, tenant, **named, result=self.write(payload))
        elif task == "extract.group":
            ingest.extract_group(self.host, tenant, **named)
        elif task == "embed.texts":
            result = {"status": "done", "vectors": self._vectors(payload["texts"])}
            reconcile.item_done(self.host, self.writer, tenant, **named, result=result)
        elif task == "judge.options":
            answers = [
                {"id": one["id"], "probabilities": self.answers(one), "model": "fake", "ms": 1, "bad": 0}
                for one in payload["questions"]
            ]
            result = {"status": "done", "answers": answers, "node": "local", "ms": 1}
            reconcile.item_done(self.host, self.writer, tenant, **named, result=result)
        elif task == "item.done":
            reconcile.item_done(self.host, self.writer, tenant, **named, result=payload["result"])
        else:
            reconcile.run(self.host, self.writer, tenant)
        ledger.wake_writer(self.host, tenant)

    def add(self, content: str, *, scope: Scope = HOME, settle: bool = True, **fields: Any) -> Accepted:
        """Hand in a document."""
        accepted = documents.add(scope, self.host, PERSON, NewDocument(content=content, **fields))
        if settle:
            self.settle()
        return accepted

    def say(self, *messages: Message, conversation: str = "talk", scope: Scope = HOME) -> Accepted:
        """Append to a conversation."""
        accepted = conversations.append(scope, self.host, PERSON, conversation, messages)
        self.settle()
        return accepted

    def job(self, accepted: Accepted) -> Any:
        """Return the job of what was accepted."""
        assert accepted.job_id is not None
        return jobs.get(HOME, self.host, accepted.job_id)

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Ask the store."""
        with self.host.store.read("default") as db:
            return [tuple(row) for row in db.execute(query, values).fetchall()]


def _last_letter(question: Mapping[str, Any]) -> Mapping[str, float]:
    return last_letter("", question["letters"])


def _unasked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    raise AssertionError("This pipeline has no language model.")


class _Carrying(RecordingQueue):
    """Has the writer come at once when a request waits, as somebody waits for its answer."""

    def __init__(self, pipeline: Pipeline) -> None:
        super().__init__()
        self._pipeline = pipeline

    def send(self, task: str, payload: Mapping[str, Any], *, queue: str) -> None:
        super().send(task, payload, queue=queue)
        if task == "reconcile.space" and not self.down:
            reconcile.settle_requests(self._pipeline.host, self._pipeline.writer, payload["tenant"])
