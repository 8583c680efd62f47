"""The embedded model server as a process: a port for each lane, loaded behind open ports, ended by SIGTERM.

Each lane has HTTP threads of its own: with shared ones, twelve background clients made a query wait four seconds
although both lanes were behind it.
"""

from __future__ import annotations

import ipaddress
import logging
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waitress.server import create_server

from inference.server import Application
from inference.wire_requests import MAX_BODY_BYTES
from memory.errors import InvalidInput

if TYPE_CHECKING:
    from inference.engine import Engine

log = logging.getLogger(__name__)

LANE_THREADS = {"interactive": 4, "background": 3}

# Seconds that requests under way have to end after SIGTERM; `up` allows two in all.
DRAIN_SECONDS = 1.0

# How often the server looks whether it is idle, and how long it has been when it gives memory back.
REST_SECONDS = 3.0


def serve(host: str, ports: Mapping[str, int], key: str, model: Path | None = None) -> None:
    """Serve until SIGTERM or SIGINT. Must be called in the main thread.

    Args:
        host: address to listen on; any but loopback needs a key.
        ports: port of each lane.
        key: bearer token that is asked for.
        model: the ONNX file; the installed package's when left out.

    Raises:
        InvalidInput: no key on an address that others reach.
        ModelUnavailable: there is no model file.
        WrongModel: the model file is not the pinned one.
    """
    if not key and not _is_loopback(host):
        raise InvalidInput(f"An address that others reach ({host}) needs MEMLANE_NODE_KEY.", field="host")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    loaded: list[Engine] = []
    with _listening(host, ports, key, loaded):
        loaded.append(_load(model))
        log.info("ready: %s", " ".join(f"{lane}=http://{host}:{port}" for lane, port in ports.items()))
        while not stop.wait(REST_SECONDS):
            loaded[0].rest(REST_SECONDS)
        log.info("stopping")
    loaded[0].close()


def _load(model: Path | None) -> Engine:
    # Imported behind the open ports: a probe is answered 503 from the first moment instead of being refused.
    from inference.engine import Engine
    from inference.minilm import MiniLM
    from inference.tokens import count_tokens

    started = time.monotonic()
    engine = Engine(MiniLM(model))
    count_tokens("")
    engine.embed("interactive", ["warm"])
    log.info("model loaded in %.2f s", time.monotonic() - started)
    return engine


@contextmanager
def _listening(host: str, ports: Mapping[str, int], key: str, loaded: list[Engine]) -> Iterator[None]:
    servers = [
        _start(Application(lane, lambda: loaded[0] if loaded else None, key), host, port, LANE_THREADS[lane])
        for lane, port in ports.items()
    ]
    try:
        yield
    finally:
        deadline = time.monotonic() + DRAIN_SECONDS
        for server in servers:
            server.accepting = False
            server.task_dispatcher.shutdown(timeout=max(0.0, deadline - time.monotonic()))


def _start(application: Application, host: str, port: int, threads: int) -> Any:
    # The application refuses a large body in the wire's own shape; the server's limit is for what has no length.
    server = create_server(
        application, host=host, port=port, threads=threads, max_request_body_size=4 * MAX_BODY_BYTES, ident="memlane"
    )
    threading.Thread(target=server.run, name=f"http-{port}", daemon=True).start()
    return server


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
