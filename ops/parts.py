"""Which processes make a stack, and what each is told."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memory.addresses import reachable
from memory.fleet import LANES, FleetNode
from memory.settings import Settings, environment_name
from ops.broker import BROKER_NOISE, broker_command, broker_process, set_aside
from ops.child import ROOT
from ops.part import Part
from ops.wanted import Wanted
from workers.address import redis_url

# What is stopped first: who asks, then who works, then who is asked.
API, WORKERS, MODELS, BROKER = range(4)

TRUTH = ("host", "reconcile", "beat")
# Workers multiply nothing large; BLAS threads would only cost memory and spin.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
# Each of the API's threads would keep what its largest query took: 600 bytes a row of 100,000. From a quarter of a
# megabyte on a block goes back to the system when it is free, instead of leaving a hole: 100 bytes a row.
SMALL_HEAP = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "262144", "MALLOC_TRIM_THRESHOLD_": "4194304"}


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is chosen once for a run of the stack."""

    socket_file: Path
    interactive_port: int  # of the embedded model server, by lane
    background_port: int
    node_key: str
    writer: str  # the reconcile worker's name, kept over its restarts so that it has its lease back at once


def choose_run(settings: Settings, socket_file: Path) -> Run:
    """Choose ports and a key.

    Args:
        settings: `node_key` is kept when there is one.
        socket_file: of the embedded broker.

    Returns:
        The choice.
    """
    interactive, background = free_ports(2)
    key = settings.node_key or secrets.token_urlsafe(32)
    return Run(
        socket_file=socket_file,
        interactive_port=interactive,
        background_port=background,
        node_key=key,
        writer=f"up_{secrets.token_hex(8)}",
    )


def free_ports(count: int) -> tuple[int, ...]:
    """Return loopback ports that nobody listens on, and that nobody else is given before they are listened on.

    Args:
        count: how many.

    Returns:
        Different ports. Each stays in TIME_WAIT, a minute on Linux: until then the system gives it to nobody who asks
        for any port, while a server that names it can listen, as servers set SO_REUSEADDR.
    """
    return tuple(_kept_port() for _ in range(count))


def _kept_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        # Only now: with it, a port that is kept for somebody else could be given.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.listen(1)
        port: int = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as calling:
            answering, _ = listening.accept()
            answering.close()  # who closes first is the one that waits
            calling.recv(1)
    return port


def stack(
    settings: Settings, run: Run, wanted: Wanted | None = None, environ: Mapping[str, str] = os.environ
) -> tuple[Part, ...]:
    """List the parts of a stack.

    Args:
        settings: of this run.
        run: what was chosen for it.
        wanted: nodes, their workers, Flower; None for one machine without Flower.
        environ: handed on to every part, with the settings on top.

    Returns:
        Parts in the order they are started; the embedded broker and model server only when they are needed.
    """
    wanted = wanted or Wanted()
    plan = _Plan(settings=settings, run=run, wanted=wanted, base={**environ, **_told(settings, run, wanted)})
    nodes = _fleet(plan) if wanted.nodes else _this_machine(plan)
    truth = [_worker(lane, plan) for lane in TRUTH]
    return (*_broker(plan), *nodes, *truth, *_flower(plan), _api(plan))


@dataclass(frozen=True, kw_only=True)
class _Plan:
    settings: Settings
    run: Run
    wanted: Wanted
    base: Mapping[str, str]  # environment of every part


def _this_machine(plan: _Plan) -> list[Part]:
    settings, run = plan.settings, plan.run
    ports = {"interactive": run.interactive_port, "background": run.background_port}
    own_servers = settings.embed_url and settings.rerank_url
    models = [] if own_servers else [_models(plan)]
    return models + [_worker(lane, plan, _servers(settings, ports[lane])) for lane in LANES]


def _fleet(plan: _Plan) -> list[Part]:
    nodes = plan.wanted.nodes if plan.wanted.workers else ()
    return [part for node in nodes for part in _of_node(node, plan)]


def _of_node(node: FleetNode, plan: _Plan) -> list[Part]:
    return [*(_node_worker(lane, node, plan) for lane in LANES), _agent(node, plan)]


def _told(settings: Settings, run: Run, wanted: Wanted) -> dict[str, str]:
    values = {
        "data_dir": str(Path(settings.data_dir).absolute()),
        "host": settings.host,
        "port": str(settings.port),
        "node": settings.node,
        # A fleet's servers have the key they were started with; only the embedded one can be given another.
        "node_key": settings.node_key if wanted.nodes else run.node_key,
        "writer": run.writer,
        "redis_url": settings.redis_url,
        "nodes": str(Path(settings.nodes).absolute()) if settings.nodes else "",
        # Also whoever never asks an LLM must know that there is one: it decides who judges.
        "llm_url": settings.llm_url,
        "llm_model": settings.llm_model,
        "task_events": str(int(wanted.flower)),
    }
    told = {environment_name(name): value for name, value in values.items()}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**told, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}


def _asked(plan: _Plan) -> Mapping[str, str]:
    """Return whom the truth plane asks directly when the queue is down; a fleet's addresses are in its inventory."""
    return {} if plan.wanted.nodes else _servers(plan.settings, plan.run.interactive_port)


def _servers(settings: Settings, port: int) -> Mapping[str, str]:
    embedded = f"http://127.0.0.1:{port}"
    return {
        environment_name("embed_url"): settings.embed_url or embedded,
        environment_name("rerank_url"): settings.rerank_url or embedded,
    }


def _broker(plan: _Plan) -> list[Part]:
    if plan.settings.redis_url:
        return []
    socket_file = plan.run.socket_file
    folder = Path(plan.settings.data_dir).absolute() / "broker"
    broker = Part(
        name="broker",
        command=broker_command(socket_file, folder),
        environment=plan.base,
        stage=BROKER,
        noise=BROKER_NOISE,
        adopt=lambda: broker_process(socket_file),
        rescue=lambda lines: set_aside(folder, lines),
    )
    return [broker]


def _models(plan: _Plan) -> Part:
    run = plan.run
    ports = ("--interactive-port", str(run.interactive_port), "--background-port", str(run.background_port))
    return Part(
        name="models",
        command=_python("inference", *ports),
        environment=plan.base,
        stage=MODELS,
        probe=f"http://127.0.0.1:{run.interactive_port}/health",
    )


def _worker(lane: str, plan: _Plan, servers: Mapping[str, str] | None = None) -> Part:
    return Part(
        name=lane,
        command=_python("workers", lane),
        environment={**plan.base, **(servers or _asked(plan)), **ONE_THREAD},
        stage=WORKERS,
        stop_seconds=4.0,
        announces=True,
    )


def _node_worker(lane: str, node: FleetNode, plan: _Plan) -> Part:
    return Part(
        name=f"{lane}@{node.name}",
        command=_python("workers", lane, "--node", node.name),
        environment={**plan.base, **ONE_THREAD},
        stage=WORKERS,
        stop_seconds=4.0,
        # It takes work only while the lanes' rules say so, and a node that is lent out must not hold up the start.
        announces=False,
    )


def _agent(node: FleetNode, plan: _Plan) -> Part:
    # An agent knows no data folder, so it is told the broker's address, also of the embedded one.
    told = {environment_name("redis_url"): redis_url(plan.settings)}
    return Part(
        name=f"agent@{node.name}",
        command=_python("nodeagent", "--node", node.name),
        environment={**plan.base, **told, **ONE_THREAD},
        stage=WORKERS,
    )


def _flower(plan: _Plan) -> list[Part]:
    if not plan.wanted.flower:
        return []
    settings = plan.settings
    values = {
        "flower_host": settings.flower_host,
        "flower_port": str(settings.flower_port),
        "flower_password": settings.flower_password,
    }
    told = {environment_name(name): value for name, value in values.items()}
    return [Part(name="flower", command=_python("ops.flower"), environment={**plan.base, **told}, stage=API)]


def _api(plan: _Plan) -> Part:
    settings = plan.settings
    return Part(
        name="api",
        command=_python("api"),
        environment={**plan.base, **_asked(plan), **ONE_THREAD, **SMALL_HEAP},
        stage=API,
        probe=f"http://{reachable(settings.host)}:{settings.port}/v1/health",
    )


def _python(module: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module, *arguments)
