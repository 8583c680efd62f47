"""Stand-ins for the ports of the truth plane, with the faults that the real ones have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.errors import BrokerDown, ModelUnavailable, TooLarge
from memory.fleet import NodeReport
from memory.ports import QUEUES, BrokerFacts, Embedded, Heartbeat, Held, Reranked
from memory.records import Micros, Scope
from memory.scratchpad import Note, Scratchpad
from memory.settings import Settings
from services.host import Host
from services.identifiers import TimeSortedIds
from store.connection import Store

# 2026-01-01T00:00:00Z
FAKE_START: Micros = 1_767_225_600_000_000


class SteppedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: Micros = FAKE_START) -> None:
        """Begin at a time."""
        self.now = now

    def __call__(self) -> Micros:
        """Return the time it stands at."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Move on by seconds."""
        self.now += round(seconds * 1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One message as it was sent."""

    task: str
    payload: Mapping[str, Any]
    queue: str

    @property
    def held(self) -> Held:
        """The attempt that a work item's message is about."""
        return self.payload["tenant"], self.payload["item"], self.payload["attempt"]


@dataclass(kw_only=True)
class RecordingQueue:
    """Keeps messages instead of carrying them; is down, loses and doubles them on demand."""

    waiting: list[Sent] = field(default_factory=list)  # oldest first; tests take from it
    sent: list[Sent] = field(default_factory=list)  # everything, also what was lost
    down: bool = False
    copies: Callable[[Sent], int] = lambda message: 1  # 0 loses a message, 2 doubles it

    def send(self, task: str, payload: Mapping[str, Any], *, queue: str) -> None:
        """Record a message.

        Raises:
            BrokerDown: the fake is down.
        """
        if self.down:
            raise BrokerDown()
        message = Sent(task=task, payload=payload, queue=queue)
        self.sent.append(message)
        self.waiting += [message] * self.copies(message)

    def take(self, queue: str) -> list[Sent]:
        """Remove and return the messages that wait in a queue, oldest first."""
        taken = [message for message in self.waiting if message.queue == queue]
        self.waiting = [message for message in self.waiting if message.queue != queue]
        return taken

    def flush(self) -> None:
        """Lose everything that waits, as FLUSHALL does."""
        self.waiting.clear()

    def facts(
        self,
        *,
        at: Micros = FAKE_START,
        working: Mapping[str, Sequence[Held]] | None = None,
        started: Mapping[Held, str] | None = None,
    ) -> BrokerFacts:
        """Return what a broker with these messages would know.

        Args:
            at: the broker's time.
            working: the live workers with the attempts that they run.
            started: the marks of attempts that were started.
        """
        items = [message for message in self.waiting if message.queue in ("background", "host", "sources")]
        lengths = {name: sum(message.queue == name for message in self.waiting) for name in QUEUES}
        return BrokerFacts(
            at=at,
            heartbeats=tuple(
                Heartbeat(worker=name, pid=1, at=at, slots=1, consuming=True, queue_wait=0.0, in_flight=tuple(held))
                for name, held in (working or {}).items()
            ),
            started=dict(started or {}),
            queued=frozenset(message.held for message in items if "item" in message.payload),
            queued_complete=True,
            queue_lengths=lengths,
            unacked=0,
        )


@dataclass(kw_only=True)
class RecordingFleet:
    """Keeps what is published and hands out the reports it was given; is down on demand."""

    texts: dict[str, str] = field(default_factory=dict)  # by key
    agents: dict[str, NodeReport] = field(default_factory=dict)  # by node
    held: dict[str, str] = field(default_factory=dict)  # by key
    down: bool = False

    def publish(self, key: str, text: str) -> None:
        """Keep a text.

        Raises:
            BrokerDown: the fake is down.
        """
        self._require()
        self.texts[key] = text

    def published(self, key: str) -> str | None:
        """Return a text.

        Raises:
            BrokerDown: the fake is down.
        """
        self._require()
        return self.texts.get(key)

    def hold(self, key: str, holder: str, seconds: float) -> str:
        """Let who comes first have a key; time does not pass here.

        Raises:
            BrokerDown: the fake is down.
        """
        self._require()
        return self.held.setdefault(key, holder)

    def reports(self) -> Mapping[str, NodeReport]:
        """Return the reports.

        Raises:
            BrokerDown: the fake is down.
        """
        self._require()
        return dict(self.agents)

    def _require(self) -> None:
        if self.down:
            raise BrokerDown()


@dataclass(kw_only=True)
class RecordingTraces:
    """Drops what waits in a recording queue and counts rewritings; is down on demand."""

    queue: RecordingQueue = field(default_factory=RecordingQueue)
    rewritten: int = 0
    refusal: str | None = None  # of every rewriting
    down: bool = False

    def drop(self, gone: Callable[[Held], bool]) -> int:
        """Remove messages.

        Raises:
            BrokerDown: the fake is down.
        """
        self._require()
        kept = [one for one in self.queue.waiting if "item" not in one.payload or not gone(one.held)]
        dropped = len(self.queue.waiting) - len(kept)
        self.queue.waiting[:] = kept
        return dropped

    def rewrite(self) -> str | None:
        """Count.

        Raises:
            BrokerDown: the fake is down.
        """
        self._require()
        self.rewritten += 1
        return self.refusal

    def _require(self) -> None:
        if self.down:
            raise BrokerDown()


@dataclass(kw_only=True)
class KeptScratchpads:
    """Keeps scratchpads in memory until their time is over; is down on demand."""

    clock: Callable[[], Micros] = field(default_factory=SteppedClock)
    kept: dict[Scope, tuple[tuple[Note, ...], Micros]] = field(default_factory=dict)  # with the time at which they go
    down: bool = False

    def read(self, scope: Scope) -> Scratchpad:
        """Return a scratchpad.

        Raises:
            BrokerDown: the fake is down.
        """
        self._forget()
        notes, end = self.kept.get(scope, ((), 0))
        return Scratchpad(notes=notes, seconds_left=(end - self.clock()) / 1e6 if notes else None)

    def write(
        self, scope: Scope, change: Callable[[Sequence[Note]], Sequence[Note]], *, keep_seconds: float, most: int
    ) -> Scratchpad:
        """Change a scratchpad.

        Raises:
            TooLarge: the tenant has `most`.
            BrokerDown: the fake is down.
        """
        self._forget()
        notes = tuple(change(self.read(scope).notes))
        others = [one for one in self.kept if one.tenant == scope.tenant and one != scope]
        if notes and scope not in self.kept and len(others) >= most:
            raise TooLarge(f"There are {most} scratchpads.")
        self.kept.pop(scope, None)
        if notes:
            self.kept[scope] = notes, self.clock() + round(keep_seconds * 1e6)
        return self.read(scope)

    def clear(self, tenant: str) -> int:
        """Remove the scratchpads of a tenant.

        Raises:
            BrokerDown: the fake is down.
        """
        self._forget()
        gone = [one for one in self.kept if one.tenant == tenant]
        for one in gone:
            del self.kept[one]
        return len(gone)

    def _forget(self) -> None:
        if self.down:
            raise BrokerDown()
        self.kept = {one: held for one, held in self.kept.items() if held[1] > self.clock()}


class UnreachableModels:
    """Interactive models of which no server answers."""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Refuse.

        Raises:
            ModelUnavailable: always.
        """
        raise ModelUnavailable()

    def start_embedding(self, texts: Sequence[str]) -> Callable[[], Embedded]:
        """Return the function that refuses."""
        return lambda: self.embed(texts)

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None) -> Reranked:
        """Return no scores, and say so."""
        return Reranked(scores=None, degraded="No reranker could be reached.")


def fake_host(data_dir: Path, *, tenants: Sequence[str] = ("default",), **parts: Any) -> Host:
    """Return a host on a real store in `data_dir` with fakes around it.

    Args:
        data_dir: an empty or existing data folder.
        tenants: made when missing.
        **parts: fields of `Host` that replace the fakes.
    """
    clock = parts.setdefault("clock", SteppedClock())
    parts.setdefault("settings", Settings(data_dir=str(data_dir), pause_file=str(data_dir / "run" / "paused.json")))
    parts.setdefault("store", Store(data_dir, clock=clock, busy_seconds=2.0))
    parts.setdefault("queue", RecordingQueue())
    parts.setdefault("fleet", RecordingFleet())
    parts.setdefault("traces", RecordingTraces(queue=parts["queue"]))
    parts.setdefault("scratchpads", KeptScratchpads(clock=clock))
    parts.setdefault("models", UnreachableModels())
    parts.setdefault("new_id", TimeSortedIds(clock))
    parts.setdefault("count_tokens", lambda text: len(text.split()))
    for tenant in tenants:
        parts["store"].ensure_tenant(tenant)
    return Host(**parts)
