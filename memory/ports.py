"""The ports that use cases are handed. Real adapters are chosen in `services/wiring_*.py` and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from memory.fleet import FleetNode, NodeReport
from memory.records import Micros, Scope
from memory.scratchpad import Note, Scratchpad

Vectors = npt.NDArray[np.float32]


# Of the lanes of the nodes, then of the truth plane. `sources` are pages and files: the host worker fetches and reads
# them, in slots of their own.
QUEUES = ("interactive", "background", "host", "reconcile", "sources")


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> Micros:
        """Return microseconds since the epoch, UTC."""
        ...


class NewId(Protocol):
    """Makes ids."""

    def __call__(self, prefix: str) -> str:
        """Return a new id such as `doc_01J...`; later ids sort after earlier ones."""
        ...


class CountTokens(Protocol):
    """Counts tokens."""

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text by the embedding model's tokenizer, special tokens left out."""
        ...


class Queue(Protocol):
    """Carries messages; loses, doubles and delays them at will."""

    def send(self, task: str, payload: Mapping[str, Any], *, queue: str) -> None:
        """Send a task by its explicit name.

        Raises:
            BrokerDown: nothing was sent.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """Vectors with how they were made."""

    vectors: Vectors  # float32, shape (n, dimension), L2-normalised
    degraded: str | None = None  # why a direct call was needed, or that a text was cut
    cut: bool = False  # a text was longer than the model reads, and only its beginning is in its vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """Raw reranker scores in the order of the passages; None when reranking was not possible."""

    scores: npt.NDArray[np.float32] | None  # shape (n,), raw, higher is better
    degraded: str | None = None  # why there are none, or what is wrong with some
    missing: frozenset[int] = frozenset()  # passages that nobody scored in time; their scores are NaN


class InteractiveModels(Protocol):
    """Model calls that somebody waits for."""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed a few short texts.

        Raises:
            ModelUnavailable: no node could be reached, directly either.
            ModelTimeout: no answer before the deadline.
        """
        ...

    def start_embedding(self, texts: Sequence[str]) -> Callable[[], Embedded]:
        """Ask for what `embed` returns, and return the function that waits for it: there is work to do meanwhile.

        It is waited for not so long as for `embed`: whoever searches goes on without.
        """
        ...

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None) -> Reranked:
        """Score passages against a query; never raises for an unreachable model, says so instead."""
        ...


class Replies(Protocol):
    """Carries answers back to whoever waits, and tells the broker's time, which deadlines are compared with."""

    def now(self) -> Micros:
        """Return the broker's time.

        Raises:
            BrokerDown: it cannot be reached.
        """
        ...

    def wait(self, reply: str, *, seconds: float) -> Mapping[str, Any]:
        """Return the answer pushed to a reply list.

        Raises:
            TimeoutError: nothing came in time.
            BrokerDown: the broker went away meanwhile.
        """
        ...

    def push(self, reply: str, answer: Mapping[str, Any], *, keep_seconds: float) -> None:
        """Push an answer, which goes by itself when nobody takes it.

        Raises:
            BrokerDown: nothing was pushed.
        """
        ...


# Names one sending of one work item: tenant, item id, attempt.
Held = tuple[str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """What a worker process last said of itself."""

    worker: str  # <lane>@<node>
    pid: int
    at: Micros  # by the broker's clock
    slots: int
    consuming: bool
    queue_wait: float  # seconds the last task waited in its queue
    in_flight: tuple[Held, ...] = ()
    calls: int = 0  # calls that somebody waits for, running
    healthy: bool = True  # False: it found its node's models failing and takes no work until a probe succeeds
    reason: str = ""  # why it is not healthy, for a person
    failing: tuple[str, ...] = ()  # roles of its node's servers that its probes find failing
    bad_answers: int = 0  # since its start, how often its LLM answered something that was not asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerFacts:
    """What the broker knows at one moment; hints for the sweeper, never the truth."""

    at: Micros  # by the broker's clock
    heartbeats: tuple[Heartbeat, ...]  # of the last 10 s; a missing worker is dead or cut off
    started: Mapping[Held, str]  # which worker started an attempt; kept as long as a lease
    queued: frozenset[Held]  # attempts still waiting in the queues `background` and `host`
    queued_complete: bool  # False when a queue was too long to be read whole
    queue_lengths: Mapping[str, int]  # messages waiting, by queue
    unacked: int  # messages popped by a worker and not yet acknowledged
    oldest_sent: Mapping[str, Micros] = field(
        default_factory=dict
    )  # of the message popped next, by queue; by the broker's clock

    @property
    def in_flight(self) -> frozenset[Held]:
        """The attempts that live workers say they are running."""
        return frozenset(held for beat in self.heartbeats for held in beat.in_flight)


class BrokerTraces(Protocol):
    """Takes what was erased out of the broker."""

    def drop(self, gone: Callable[[Held], bool]) -> int:
        """Remove the messages of work items, waiting or being worked on, whose attempt `gone` says so of.

        Returns:
            How many were removed.

        Raises:
            BrokerDown: it cannot be reached.
        """
        ...

    def rewrite(self) -> str | None:
        """Have the broker write its append-only file anew, without what was removed before.

        Returns:
            None when it has; else why it did not, for a person.

        Raises:
            BrokerDown: it cannot be reached, or did not finish in time.
        """
        ...


class Scratchpads(Protocol):
    """Keeps the scratchpads of sessions for a while; may lose them."""

    def read(self, scope: Scope) -> Scratchpad:
        """Return the scratchpad of a scope with one space and a session; an empty one when there is none.

        Raises:
            BrokerDown: it cannot be reached.
        """
        ...

    def write(
        self, scope: Scope, change: Callable[[Sequence[Note]], Sequence[Note]], *, keep_seconds: float, most: int
    ) -> Scratchpad:
        """Change a scratchpad and keep it for so long; return it.

        Raises:
            TooLarge: the tenant has `most` scratchpads already; or as `change` raises. Nothing was kept.
            BrokerDown: it cannot be reached; nothing was kept.
        """
        ...

    def clear(self, tenant: str) -> int:
        """Remove every scratchpad of a tenant; return how many.

        Raises:
            BrokerDown: it cannot be reached.
        """
        ...


class FleetPort(Protocol):
    """What the host tells the nodes through the broker, and what their agents say."""

    def publish(self, key: str, text: str) -> None:
        """Keep a text under a key, in place of the one before.

        Raises:
            BrokerDown: it was not kept.
        """
        ...

    def published(self, key: str) -> str | None:
        """Return what is kept under a key; None when there is nothing.

        Raises:
            BrokerDown: it cannot be reached.
        """
        ...

    def hold(self, key: str, holder: str, seconds: float) -> str:
        """Take or keep a key for a time, unless somebody else has it; return who has it then.

        Raises:
            BrokerDown: it cannot be reached.
        """
        ...

    def reports(self) -> Mapping[str, NodeReport]:
        """Return the last report of every node whose agent was heard of in the last 10 s, by name.

        Raises:
            BrokerDown: it cannot be reached.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetSight:
    """The fleet as one process saw it last; a hint for choosing, never the truth."""

    at: Micros  # by the broker's clock, carried on by this machine's while the broker is away
    nodes: tuple[FleetNode, ...]
    broker: bool | None = None  # whether the broker answered; None: nobody has looked
    heartbeats: tuple[Heartbeat, ...] = ()  # of both lanes' workers, and the host's; none while the broker is away
    reports: Mapping[str, NodeReport] = field(default_factory=dict)  # by node
    paused: Mapping[str, Micros] = field(default_factory=dict)  # until when, by node; kept while the broker is away

    def takers(self, lane: str) -> tuple[Heartbeat, ...]:
        """Return the workers that take the work of a lane, or of a queue of the host, at the moment."""
        return tuple(beat for beat in self.heartbeats if beat.consuming and beat.worker.partition("@")[0] == lane)


class LookAtFleet(Protocol):
    """Looks at the fleet."""

    def __call__(self, *, fresh: bool = False) -> FleetSight:
        """Return what was seen about a second ago at most; with `fresh`, what is seen now. Never raises."""
        ...
