"""A fleet on one machine: two or three fake model servers and the real worker processes for each node."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from inference.wire import PROBE
from memory import inventory
from services.direct_models import DirectModels
from services.interactive import RedisInteractive
from workers.sight import host_sight

ROOT = Path(__file__).parents[3]
DIMENSION = 16
REFUSED = Fault(refuse=True)


@dataclass
class Node:
    """One node's servers and workers."""

    name: str
    lane: str
    slots: int
    embedder: FakeModelServer
    reranker: FakeModelServer
    llm: FakeModelServer | None = None
    processes: dict = field(default_factory=dict)

    @property
    def table(self):
        return (
            f'[[node]]\nname = "{self.name}"\nlane = "{self.lane}"\nslots = {self.slots}\n'
            f"embed_port = {self.embedder.port}\nrerank_port = {self.reranker.port}\n"
            f"{f'llm_port = {self.llm.port}' if self.llm else ''}\n"
        )

    def fail(self, fault):
        for server in (self.embedder, self.reranker):
            server.fail_always(fault)

    def asked(self, path="/v1/embeddings"):
        """Return what was asked of the node's models, canaries left out."""
        server = self.embedder if path == "/v1/embeddings" else self.reranker
        bodies = [request.body for request in server.requests if request.path == path]
        return [body for body in bodies if body.get("input") != [PROBE] and body.get("query") != PROBE]


class Fleet:
    """Starts nodes and asks them."""

    def __init__(self, folder, settings, until, queue, replies, client):
        self.folder = folder
        self.until = until
        self.client = client
        self.queue = queue
        self.replies = replies
        self.nodes = {}
        self._stack = ExitStack()
        self.settings = replace(
            settings, nodes=str(folder / "nodes.toml"), node_key="secret", embed_dimension=DIMENSION
        )
        self.changes = {}

    def node(self, name, lane="interactive", slots=1, llm=False, **server):
        servers = [
            self._stack.enter_context(FakeModelServer(dimension=DIMENSION, key="secret", **server))
            for _ in range(3 if llm else 2)
        ]
        self.nodes[name] = Node(name, lane, slots, *servers)
        Path(self.settings.nodes).write_text("".join(node.table for node in self.nodes.values()))
        return self.nodes[name]

    def start(self, *workers, published=False):
        """Start workers named `<lane>@<node>` and wait until their heartbeats are there."""
        if published:
            self.publish()
        for worker in workers:
            self.spawn(worker, published=published)
        for worker in workers:
            self.until(lambda worker=worker: self.beat(worker), seconds=30.0)

    def publish(self):
        """Publish the inventory, as the host does."""
        self.client.set(inventory.INVENTORY_KEY, inventory.encode(inventory.parse(self.inventory)))

    def spawn(self, worker, *, published=False):
        lane, _, name = worker.partition("@")
        environ = {
            **os.environ,
            "MEMLANE_DATA_DIR": str(self.folder),
            "MEMLANE_NODES": "" if published else self.settings.nodes,
            "MEMLANE_NODE_KEY": "secret",
            "MEMLANE_EMBED_DIMENSION": str(DIMENSION),
            **self.changes,
        }
        command = [sys.executable, "-m", "workers", lane, "--node", name]
        with self.log(worker).open("wb") as out:
            self.nodes[name].processes[lane] = subprocess.Popen(command, env=environ, cwd=ROOT, stdout=out, stderr=out)

    @property
    def inventory(self):
        return Path(self.settings.nodes).read_text()

    def log(self, worker):
        return self.folder / f"{worker}.log"

    def sight(self):
        return host_sight(self.client, self.settings)(fresh=True)

    def beat(self, worker):
        return next((beat for beat in self.sight().heartbeats if beat.worker == worker), None)

    def consuming(self, lane):
        return {beat.worker.partition("@")[2] for beat in self.sight().takers(lane)}

    def ask(self, seconds=10.0):
        look = host_sight(self.client, self.settings)
        return RedisInteractive(
            queue=self.queue,
            replies=self.replies,
            direct=DirectModels(self.settings, look),
            look=look,
            dimension=DIMENSION,
            seconds=seconds,
        )

    def kill(self, worker):
        lane, _, name = worker.partition("@")
        process = self.nodes[name].processes[lane]
        process.send_signal(signal.SIGKILL)
        process.wait()

    def close(self):
        for node in self.nodes.values():
            for process in node.processes.values():
                process.kill()
                process.wait()
        self._stack.close()
