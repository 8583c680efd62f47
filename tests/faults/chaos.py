"""What goes wrong: each fault is a block that inflicts it and heals it, chosen and timed by a seeded generator."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.simulated_fleet import SimulatedFleet
from ops.child import ROOT
from ops.launched import wait_until
from tests.faults.broker import Broker
from tests.faults.work import POISON

QUEUES = ("background", "host", "reconcile")
# Heartbeats live 10 s, so that none is left when the broker is back. Even a short run has one, in the middle of work.
HEARTBEATS_GONE = "broker away 12 s"


@dataclass
class Log:
    """What happened when, for whoever has to understand a failure."""

    began: float = field(default_factory=time.monotonic)
    lines: list[str] = field(default_factory=list)
    echo: bool = False

    def __call__(self, words: str) -> None:
        """Add a line."""
        line = f"{time.monotonic() - self.began:7.2f} {words}"
        self.lines.append(line)
        if self.echo:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


class Chaos:
    """The faults of one run."""

    def __init__(self, fleet: SimulatedFleet, broker: Broker, rng: random.Random, log: Log, *, long: bool) -> None:
        self._fleet, self._broker, self._rng, self._log = fleet, broker, rng, log
        self._ill: set[str] = set()  # nodes that something is wrong with, which get nothing else
        self._down = threading.Lock()  # the broker cannot be two ways out of order at once
        self.faults: dict[str, Callable[[], AbstractContextManager[object]]] = {
            "kill interactive": lambda: self._kill("workers interactive"),
            "kill background": lambda: self._kill("workers background"),
            "kill agent": lambda: self._kill("-m nodeagent"),
            "kill host": lambda: self._kill("workers host"),
            "kill reconcile": lambda: self._kill("workers reconcile"),
            "kill beat": lambda: self._kill("workers beat"),
            "kill api": lambda: self._kill("-m api"),
            "stop the writer past its lease": self._stopped_writer,
            "two writers": lambda: self._second("reconcile"),
            "two beats": lambda: self._second("beat"),
            "broker away 0.3 s": lambda: self._broker_away(0.3),
            "broker away 3 s": lambda: self._broker_away(3.0),
            HEARTBEATS_GONE: lambda: self._broker_away(12.0),
            "broker flapping": self._broker_flapping,
            "broker emptied": self._flush,
            "broker full": self._broker_full,
            "message doubled": lambda: self._message("doubled"),
            "message lost": lambda: self._message("lost"),
            "node hangs": lambda: self._node("hangs", delay=3600.0),
            "node empty": lambda: self._node("answers nothing", bend="empty"),
            "node slow": lambda: self._node("is slow", delay=1.0),
            "node 500": lambda: self._node("answers 500", status=500),
            "node drips": lambda: self._node("drips", drip=0.05),
            "node's server killed": self._dead_server,
            "node paused": self._paused,
            "bad pause file": self._bad_pause,
        }
        if long:
            self.faults["broker away 20 s"] = lambda: self._broker_away(20.0)
            self.faults["broker away 60 s"] = lambda: self._broker_away(60.0)

    def run(self, seconds: float) -> list[str]:
        """Inflict faults until the time is over, all kinds before any comes again; at most two last at a time.

        Args:
            seconds: how long.

        Returns:
            The names of those that were inflicted; not of those that found nothing to be inflicted on.
        """
        until = time.monotonic() + seconds
        middle = until - seconds / 2
        deck: list[str] = []
        done: list[str] = []
        with ExitStack() as everything:
            lasting: list[tuple[float, ExitStack]] = []
            while time.monotonic() < until:
                deck = deck or self._rng.sample(sorted(self.faults), len(self.faults))
                gone = time.monotonic() > middle and HEARTBEATS_GONE not in done
                name = HEARTBEATS_GONE if gone else deck.pop()
                one = ExitStack()
                everything.push(one)
                if one.enter_context(self.faults[name]()) is not False:
                    done.append(name)
                lasting.append((time.monotonic() + self._rng.uniform(1.0, 5.0), one))
                time.sleep(self._rng.uniform(0.2, 1.5))
                lasting = self._heal(lasting)
        return done

    def _heal(self, lasting: list[tuple[float, ExitStack]]) -> list[tuple[float, ExitStack]]:
        """End what has lasted long enough, and the oldest while there are more than two."""
        lasting = sorted(lasting, key=lambda one: one[0])
        while lasting and (len(lasting) > 1 or lasting[0][0] < time.monotonic()):
            at, one = lasting.pop(0)
            time.sleep(max(0.0, min(at - time.monotonic(), 5.0)))
            one.close()
        return lasting

    def _victims(self, words: str) -> list[psutil.Process]:
        return sorted(self._fleet.up.children(words), key=lambda one: one.pid)

    @contextmanager
    def _kill(self, words: str) -> Iterator[bool]:
        victims = self._victims(words)
        if victims:
            victim = self._rng.choice(victims)
            self._log(f"kill -9 {' '.join(victim.cmdline()[2:])}")
            victim.kill()
        yield bool(victims)

    @contextmanager
    def _stopped_writer(self) -> Iterator[None]:
        """Freeze the writer; another takes over; the first wakes up and thinks that it still holds the lease."""
        victims = self._victims("workers reconcile")
        with self._second("reconcile"):
            for victim in victims:
                self._log("SIGSTOP of the writer")
                victim.send_signal(signal.SIGSTOP)
            yield
            # As long as its lease lives, and then some.
            time.sleep(4.0)
            for victim in victims:
                if victim.is_running():
                    self._log("SIGCONT of the writer")
                    victim.send_signal(signal.SIGCONT)
            time.sleep(1.0)

    @contextmanager
    def _second(self, lane: str) -> Iterator[None]:
        self._log(f"a second {lane}")
        environment = {
            **self._fleet.up.env, "MEMLANE_DATA_DIR": str(self._fleet.up.data_dir), "OPENBLAS_NUM_THREADS": "1",
            "MEMLANE_NODES": str(self._fleet.inventory), "MEMLANE_NODE": f"second-{uuid.uuid4().hex[:4]}",
        }  # fmt: skip
        with (self._fleet.up.data_dir.parent / f"second-{lane}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "workers", lane], cwd=ROOT, env=environment, stdout=log, stderr=log
            )
        try:
            yield
        finally:
            self._log(f"the second {lane} ends")
            process.send_signal(self._rng.choice([signal.SIGTERM, signal.SIGKILL]))
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @contextmanager
    def _broker_away(self, seconds: float) -> Iterator[None]:
        with self._down:
            self._log(f"kill -9 of the broker, back in {seconds} s")
            self._broker.kill()
            time.sleep(seconds)
            self._broker.start()
            self._log("the broker is back")
        yield

    @contextmanager
    def _broker_flapping(self) -> Iterator[None]:
        for _ in range(3):
            with self._broker_away(0.3):
                time.sleep(0.5)
        yield

    @contextmanager
    def _flush(self) -> Iterator[None]:
        with self._broker.client() as client:
            self._log("FLUSHALL")
            client.flushall()
        yield

    @contextmanager
    def _broker_full(self) -> Iterator[None]:
        with self._down, self._broker.client() as client:
            self._log("the broker is out of memory")
            client.config_set("maxmemory", 1)
            try:
                time.sleep(self._rng.uniform(1.0, 4.0))
            finally:
                client.config_set("maxmemory", 0)
                self._log("the broker has memory again")
        yield

    @contextmanager
    def _message(self, what: str) -> Iterator[bool]:
        """Lose or double the next message that waits in any queue of work."""
        with self._broker.client() as client:
            until = time.monotonic() + 3.0
            while time.monotonic() < until:
                for queue in QUEUES:
                    message = client.lpop(queue) if what == "lost" else client.lindex(queue, 0)
                    if not isinstance(message, bytes):
                        continue
                    headers = json.loads(message)["headers"]
                    self._log(f"message {what} in {queue}: {headers['task']} {headers.get('kwargsrepr', '')}")
                    if what == "doubled":
                        copy = json.loads(message)
                        copy["properties"]["delivery_tag"] = str(uuid.uuid4())
                        client.lpush(queue, json.dumps(copy))
                    yield True
                    return
                time.sleep(0.002)
        yield False

    @contextmanager
    def _node(self, words: str, **fault: object) -> Iterator[None]:
        with self._patient() as name:
            self._log(f"{name} {words}")
            self._fleet.nodes[name].fail(fault)
            try:
                yield
            finally:
                self._fleet.nodes[name].fail(None)
                self._log(f"{name} is well again")

    @contextmanager
    def _patient(self) -> Iterator[str]:
        """Choose a node that is well; with two faults at a time and three nodes there is one."""
        name = self._rng.choice(sorted(set(self._fleet.nodes) - self._ill))
        self._ill.add(name)
        try:
            yield name
        finally:
            self._ill.discard(name)

    @contextmanager
    def _dead_server(self) -> Iterator[None]:
        with self._patient() as name:
            self._log(f"kill -9 of the model server of {name}")
            self._fleet.nodes[name].kill_server()
            try:
                yield
            finally:
                self._fleet.start_server(name)
                wait_until(self._fleet.nodes[name].is_up, seconds=20, what=f"the model server of {name} is up")
                self.poison_again(name)
                self._log(f"the model server of {name} is up again")

    def poison_again(self, name: str) -> None:
        """Let a model server fail for poisoned texts, whatever else happens."""
        self._fleet.nodes[name].fail({"status": 500}, words=POISON)

    @property
    def _pause_file(self) -> Path:
        return self._fleet.up.data_dir / "run" / "paused.json"

    @contextmanager
    def _paused(self) -> Iterator[None]:
        names = self._rng.sample(sorted(self._fleet.nodes), self._rng.randint(1, 2))
        self._log(f"paused: {names}")
        self._write_pause({"nodes": names, "until": time.time() + 6.0})
        yield
        if self._rng.random() < 0.5:
            self._pause_file.unlink(missing_ok=True)
            self._log("the pause file is removed")

    @contextmanager
    def _bad_pause(self) -> Iterator[None]:
        self._log("a pause file without an end")
        self._write_pause({"nodes": sorted(self._fleet.nodes)})
        yield
        self._pause_file.unlink(missing_ok=True)

    def _write_pause(self, content: object) -> None:
        fresh = self._pause_file.with_suffix(".new")
        fresh.write_text(json.dumps(content), encoding="utf-8")
        os.replace(fresh, self._pause_file)
