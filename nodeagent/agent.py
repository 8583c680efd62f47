"""The agent's loop: look at the machine and its model servers, say how they are, keep them and the workers running."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from memory.errors import BrokerDown
from memory.fleet import NodeReport, Role
from memory.server_addresses import server_urls
from nodeagent.broker import Broker, Facts
from nodeagent.canary import Canaries
from nodeagent.known import Known, ports_of
from nodeagent.machine import Machine, read_machine
from nodeagent.own_load import OwnLoad
from nodeagent.probes import Probes
from nodeagent.seat import Seat
from nodeagent.servers import Servers
from nodeagent.thermal import Heat, felt

log = logging.getLogger(__name__)

REPORT_SECONDS = 3.0
# Of a broker that is away: its return is seen within this.
RETRY_SECONDS = 0.5
LOOK_SECONDS = 0.2


class Agent:
    """One node's agent. Everything but the probes runs on the thread that calls `run`."""

    def __init__(
        self,
        name: str,
        *,
        broker: Broker,
        servers: Servers,
        key: str = "",
        urls: Mapping[Role, str] | None = None,
        dimension: int | None = None,
        factor: float = 1.0,
        look_at_machine: Callable[[], Machine] = read_machine,
    ) -> None:
        """Prepare; nothing is started.

        Args:
            name: of the node.
            broker: where to report.
            servers: the model servers to keep running; may be none.
            key: that model servers ask for.
            urls: model servers of a node whose inventory names no ports, and of the local one.
            dimension: length of the embedder's vectors; None: as the first one.
            factor: divides the canary's waits, for tests.
            look_at_machine: reads load, memory and temperature.
        """
        self._name = name
        self._broker = broker
        self._seat = Seat(broker)
        self._servers = servers
        self._urls = urls or {}
        self._look_at_machine = look_at_machine
        self._known = Known(name)
        self._heat = Heat()
        self._own_load = OwnLoad()
        self._canaries = Canaries(broker.send_canary, factor=factor)
        self._stopping = threading.Event()
        self._changed = threading.Event()
        self._probes = Probes(
            name, key, dimension=dimension, spare=lambda: self._known.paused, changed=self._changed.set
        )
        self._next = 0.0  # monotonic; when to report
        self._down = False

    def run(self) -> None:
        """Work until `stop` is called, then end the model servers and take the report away."""
        try:
            while not self._stopping.wait(LOOK_SECONDS):
                if time.monotonic() >= self._next or self._changed.is_set():
                    self._changed.clear()
                    self._next = time.monotonic() + self._round()
                if self._seat.works:
                    self._servers.look(self._known.node.memory_bytes, self._probes.silences())
        finally:
            self._end()

    def stop(self) -> None:
        """Make `run` return; may be called from a signal handler."""
        self._stopping.set()

    def _round(self) -> float:
        try:
            facts = self._broker.read()
            self._known.hear(facts)
            if not self._seat.look(time.monotonic()):
                self._say_down("")
                return REPORT_SECONDS
            self._probes.follow(server_urls(self._known.node, self._urls))
            self._broker.say(self._report(facts))
        except BrokerDown as error:
            self._seat.alone()
            self._canaries.interrupt()
            self._say_down(str(error))
            return RETRY_SECONDS
        self._say_down("")
        return REPORT_SECONDS

    def _report(self, facts: Facts) -> NodeReport:
        machine = self._look_at_machine()
        self._feel(machine.celsius)
        own = filter(None, (self._known.problem, self._seat.problem))
        problems = (*own, *self._servers.problems(), *self._watch_workers(facts))
        return NodeReport(
            node=self._name,
            at=facts.now,
            models=self._servers.describe(self._probes.reports()),
            load=self._other_load(machine),
            memory_used_bytes=machine.memory_used_bytes,
            memory_total_bytes=machine.memory_total_bytes,
            celsius=machine.celsius,
            thermal=self._heat.level,
            problems=problems,
        )

    def _watch_workers(self, facts: Facts) -> tuple[str, ...]:
        if self._known.paused:
            self._canaries.interrupt()
            return ()
        return self._canaries.look(facts.workers, time.monotonic())

    def _other_load(self, machine: Machine) -> float:
        ports = ports_of(server_urls(self._known.node, self._urls).values())
        own = self._own_load.look(ports, time.monotonic())
        return max(0.0, machine.load - own / machine.cores)

    def _feel(self, celsius: float | None) -> None:
        node, before = self._known.node, self._heat.level
        self._heat = felt(self._heat, celsius, now=time.monotonic(), hot=node.hot_celsius, too_hot=node.too_hot_celsius)
        if self._heat.level != before:
            log.warning("temperature: %s, from %s to %s", celsius, before, self._heat.level)

    def _say_down(self, words: str) -> None:
        # Said once per outage: a broker that is away for a minute is one event.
        if bool(words) != self._down:
            log.warning("%s", words or "the broker is back")
        self._down = bool(words)

    def _end(self) -> None:
        self._probes.close()
        self._servers.stop()
        try:
            if self._seat.works:
                self._broker.leave()
            self._seat.leave()
        except BrokerDown as error:
            log.info("the report stays until it expires: %s", error)
        self._broker.close()
