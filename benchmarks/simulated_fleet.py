"""A fleet on one machine: each node has a model server that sleeps instead of thinking, real workers and a real agent.

Nodes are processes that share the machine's loopback, or (as root) network namespaces with an address of their own and
a link that can be cut. Two cores stand in for six machines this way, because nobody computes while a model is asked.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import requests

from benchmarks.namespaces import Network
from inference.fake_service import ServiceTime
from memory.fleet import LANES, FleetLane
from memory.settings import Settings
from ops.broker import broker_command
from ops.child import ROOT
from ops.keeper_link import KeeperLink
from ops.launched import Launched, LaunchFailed, wait_until
from ops.parts import ONE_THREAD, free_ports
from workers.address import redis_url

# A node's model server is asked by its workers, its agent and, when the queue is down, by the API.
READY_SECONDS = 30.0
# Several processes a node have to start, one after the other where there are only two cores.
FLEET_SECONDS = 120.0


@dataclass
class SimulatedNode:
    """One node: its place in the inventory, and its model server."""

    name: str
    lane: FleetLane
    card: int
    host: str
    ports: tuple[int, int]  # embedder, reranker
    service: ServiceTime
    slots: int = 1
    prefix: tuple[str, ...] = ()  # what its processes are started with, to be in its namespace
    llm_port: int | None = None
    server: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def table(self) -> str:
        """Return the node's table of the inventory."""
        llm = f"llm_port = {self.llm_port}\n" if self.llm_port else ""
        # The machine is everybody's, so its load says nothing of one node.
        return (
            f'[[node]]\nname = "{self.name}"\ncard = {self.card}\nlane = "{self.lane}"\nhost = "{self.host}"\n'
            f"embed_port = {self.ports[0]}\nrerank_port = {self.ports[1]}\nslots = {self.slots}\n{llm}"
            "busy_limit = 1000.0\n"
        )

    @property
    def served(self) -> tuple[int, ...]:
        """The ports of its models."""
        return (*self.ports, self.llm_port) if self.llm_port else self.ports

    def start_server(self, log: Path) -> None:
        """Start the model server."""
        service = self.service
        arguments = ["--host", self.host, "--port", *map(str, self.served), "--call", str(service.call)]
        arguments += ["--text", str(service.text), "--slots", str(service.slots or self.slots)]
        with log.open("ab") as output:
            self.server = subprocess.Popen(
                [*self.prefix, sys.executable, "-m", "inference.fakes", *arguments],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip

    def kill_server(self) -> None:
        """End the model server at once: its ports refuse from now on."""
        if self.server is not None:
            self.server.kill()
            self.server.wait()
            self.server = None

    def is_up(self) -> bool:
        """Say whether the model server answers."""
        try:
            return all(requests.get(f"http://{self.host}:{port}/health", timeout=2).ok for port in self.served)
        except requests.RequestException:
            return False

    def order(self, **order: Any) -> None:
        """Change the model server's conduct; see `inference.fake_service.Conduct.obey`."""
        url = f"http://{self.host}:{self.ports[0]}/conduct"
        requests.post(url, json=order, timeout=10).raise_for_status()

    def fail(self, fault: Mapping[str, Any] | None, *, words: str = "") -> None:
        """Let model calls go wrong, all or those with certain words; None heals."""
        self.order(words=words, fault=None if fault is None else dict(fault))

    def take(self, seconds: float) -> None:
        """Let each model call take so long from now on."""
        self.service = ServiceTime(call=seconds, slots=self.slots)
        self.order(service={"call": seconds, "slots": self.slots})


class SimulatedFleet:
    """A stack with its nodes; starts on entering the context."""

    def __init__(
        self,
        folder: Path,
        lanes: Mapping[str, FleetLane],
        *,
        service: ServiceTime,
        slots: int = 1,
        environment: Mapping[str, str] | None = None,
        network: Network | None = None,
        workers: bool = True,
        llm: Collection[str] = (),
    ) -> None:
        """Choose addresses; nothing is started.

        Args:
            folder: for the inventory, the logs and the data folder.
            lanes: lane of each node by name.
            service: how long a model call takes.
            slots: model calls at a time on each node.
            environment: settings on top of this process's.
            network: gives each node a namespace; None for processes on loopback.
            workers: whether the nodes' workers and agents are started; else `start_node` does it.
            llm: names of the nodes that have a language model too.
        """
        self._folder = folder
        self._network = network
        self._workers = workers
        self._keeper: KeeperLink | None = None
        self._own: list[subprocess.Popen[bytes]] = []
        self._told = dict(environment or {}) | ({"REDIS_URL": network.broker_url} if network else {})
        ports = iter(free_ports(2 * len(lanes) + len(llm)))
        self.nodes = {
            name: SimulatedNode(
                name=name, lane=lane, card=LANES.index(lane), service=service, slots=slots,
                host=network.address(name) if network else "127.0.0.1",
                prefix=network.prefix(name) if network else (), ports=(next(ports), next(ports)),
                llm_port=next(ports) if name in llm else None,
            )
            for name, lane in lanes.items()
        }  # fmt: skip
        self.broker_url = network.broker_url if network else self._told.get("REDIS_URL", "")  # empty: embedded
        self.inventory = folder / "fleet.toml"
        self.inventory.write_text("\n".join(node.table() for node in self.nodes.values()), encoding="utf-8")
        options = ("--nodes", str(self.inventory), *(["--with-workers"] if workers and not network else []))
        self.up = Launched(folder / "data", self._told, options=options)

    def __enter__(self) -> SimulatedFleet:
        """Start everything and wait until the fleet takes work."""
        self._keeper = KeeperLink()
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        """End everything."""
        self.stop()

    def _start(self) -> None:
        if self._network is not None:
            self._network.open()
            self._run_own(self._network.broker(broker_command), self._folder / "broker.log")
        for node in self.nodes.values():
            self.start_server(node.name)
        wait_until(lambda: all(node.is_up() for node in self.nodes.values()), seconds=READY_SECONDS, what="models")
        self.up.start()
        if self._network is not None:
            for node in self.nodes.values():
                self.start_node(node)
        if self._workers:
            self.await_workers(*self.nodes)

    def start_server(self, name: str) -> None:
        """Start a node's model server, and see that it ends with this process."""
        self.nodes[name].start_server(self._folder / f"models-{name}.log")
        server = self.nodes[name].server
        if server is not None and self._keeper is not None:
            self._keeper.add(server.pid)

    def start_node(self, node: SimulatedNode) -> None:
        """Start a node's workers and agent as on a machine of its own: with the broker's address and nothing else."""
        address = self.broker_url or redis_url(Settings(data_dir=str(self.up.data_dir)))
        commands = [("workers", lane, "--node", node.name) for lane in LANES]
        for command in (*commands, ("nodeagent", "--node", node.name)):
            self._run_own(
                (*node.prefix, sys.executable, "-m", *command), self._folder / f"{command[0]}-{node.name}.log",
                MEMLANE_DATA_DIR=str(self._folder / f"node-{node.name}"), REDIS_URL=address,
            )  # fmt: skip

    def start_node_as(self, name: str) -> subprocess.Popen[bytes]:
        """Start a background worker under a name that the inventory may not have."""
        address = self.broker_url or redis_url(Settings(data_dir=str(self.up.data_dir)))
        command = (sys.executable, "-m", "workers", "background", "--node", name)
        return self._run_own(command, self._folder / f"workers-{name}.log", REDIS_URL=address)

    def _run_own(self, command: Sequence[str], log: Path, **more: str) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            started = subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **self._told, **ONE_THREAD, **more}, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
        self._own.append(started)
        if self._keeper is not None:
            self._keeper.add(started.pid)
        return started

    def stop(self) -> None:
        """End the stack, the nodes' processes and the model servers."""
        with contextlib.suppress(LaunchFailed):
            self.up.stop()
        for one in reversed(self._own):
            one.terminate()
        for one in reversed(self._own):
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        for node in self.nodes.values():
            node.kill_server()
        if self._network is not None:
            self._network.close()
        if self._keeper is not None:
            self._keeper.close()

    def await_workers(self, *names: str, seconds: float = FLEET_SECONDS) -> None:
        """Wait until each of these nodes takes the work of its own lane."""
        wanted = {f"{self.nodes[name].lane}@{name}" for name in names}
        wait_until(lambda: wanted <= self.taking(), seconds=seconds, what=f"{sorted(wanted)} take work")

    def taking(self) -> set[str]:
        """Return the workers that take work now."""
        return {one["worker"] for one in self.up.get("/v1/lanes")["workers"] if one["consuming"]}

    def processes(self, name: str) -> list[psutil.Process]:
        """Return the processes of a node, without its model server."""
        family = [*self.up.children(""), *(psutil.Process(one.pid) for one in self._own if one.poll() is None)]
        return [one for one in family if _belongs(one, name)]

    def freeze(self, name: str, *, number: int = signal.SIGSTOP) -> None:
        """Stop everything on a node without a word, as a power cut or a cut cable does; SIGCONT goes on."""
        node = self.nodes[name]
        for one in self.processes(name):
            one.send_signal(number)
        if node.server is not None:
            node.server.send_signal(number)


def _belongs(process: psutil.Process, name: str) -> bool:
    try:
        words = process.cmdline()
    except psutil.Error:
        return False
    return "--node" in words and words[words.index("--node") + 1 :][:1] == [name]


@contextlib.contextmanager
def paused(fleet: SimulatedFleet, *names: str, seconds: int = 3600) -> Iterator[None]:
    """Take nodes out for the length of a block, and wait until they hold nothing and then until they are back."""
    if names:
        until = time.monotonic() + 60
        while not fleet.up.post("/v1/nodes/drain", nodes=list(names), seconds=seconds)["drained"]:
            if time.monotonic() > until:
                raise TimeoutError(f"{names} are not drained within a minute")
            time.sleep(0.3)
    yield
    if names:
        fleet.up.post("/v1/nodes/resume", nodes=list(names))
        fleet.await_workers(*names)
