"""Which processes make a stack, and what each is told."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memory.settings import Settings, environment_name
from ops.broker import BROKER_NOISE, broker_command, broker_process, set_aside
from ops.child import ROOT
from ops.part import Part

# What is stopped first: who asks, then who works, then who is asked.
API, WORKERS, MODELS, BROKER = range(4)

LANES = ("interactive", "background", "host", "reconcile", "beat")


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
    """Return loopback ports that nobody listens on.

    Args:
        count: how many.

    Returns:
        Different ports; free now, which is all that can be said.
    """
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = tuple(each.getsockname()[1] for each in sockets)
    for each in sockets:
        each.close()
    return ports


def stack(settings: Settings, run: Run, environ: Mapping[str, str] = os.environ) -> tuple[Part, ...]:
    """List the parts of a stack.

    Args:
        settings: of this run.
        run: what was chosen for it.
        environ: handed on to every part, with the settings on top.

    Returns:
        Parts in the order they are started; the embedded broker and model server only when they are needed.
    """
    base = {**environ, **_told(settings, run)}
    parts = [_broker(settings, run, base)] if not settings.redis_url else []
    if not (settings.embed_url and settings.rerank_url):
        parts.append(_models(run, base))
    parts += [_worker(lane, settings, run, base) for lane in LANES]
    return (*parts, _api(settings, run, base))


def _told(settings: Settings, run: Run) -> dict[str, str]:
    values = {
        "data_dir": str(Path(settings.data_dir).absolute()),
        "host": settings.host,
        "port": str(settings.port),
        "node": settings.node,
        "node_key": run.node_key,
        "writer": run.writer,
    }
    told = {environment_name(name): value for name, value in values.items()}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**told, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}


def _servers(settings: Settings, port: int) -> dict[str, str]:
    embedded = f"http://127.0.0.1:{port}"
    return {
        environment_name("embed_url"): settings.embed_url or embedded,
        environment_name("rerank_url"): settings.rerank_url or embedded,
    }


def _broker(settings: Settings, run: Run, base: Mapping[str, str]) -> Part:
    folder = Path(settings.data_dir).absolute() / "broker"
    return Part(
        name="broker",
        command=broker_command(run.socket_file, folder),
        environment=base,
        stage=BROKER,
        noise=BROKER_NOISE,
        adopt=lambda: broker_process(run.socket_file),
        rescue=lambda lines: set_aside(folder, lines),
    )


def _models(run: Run, base: Mapping[str, str]) -> Part:
    ports = ("--interactive-port", str(run.interactive_port), "--background-port", str(run.background_port))
    return Part(
        name="models",
        command=_python("inference", *ports),
        environment=base,
        stage=MODELS,
        probe=f"http://127.0.0.1:{run.interactive_port}/health",
    )


def _worker(lane: str, settings: Settings, run: Run, base: Mapping[str, str]) -> Part:
    port = run.background_port if lane == "background" else run.interactive_port
    return Part(
        name=lane,
        command=_python("workers", lane),
        # Workers multiply nothing large; BLAS threads would only cost memory and spin.
        environment={**base, **_servers(settings, port), "OPENBLAS_NUM_THREADS": "1"},
        stage=WORKERS,
        stop_seconds=4.0,
        announces=True,
    )


def _api(settings: Settings, run: Run, base: Mapping[str, str]) -> Part:
    return Part(
        name="api",
        command=_python("api"),
        environment={**base, **_servers(settings, run.interactive_port)},
        stage=API,
        probe=f"http://{reachable(settings.host)}:{settings.port}/v1/health",
    )


def reachable(host: str) -> str:
    """Return an address that this machine reaches a listening address by.

    Args:
        host: as listened on.

    Returns:
        The same, or loopback for "all addresses"; IPv6 in brackets.
    """
    known = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}
    return known.get(host, f"[{host}]" if ":" in host else host)


def _python(module: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", module, *arguments)
