"""Composition root of a node: which servers its workers call. Never imports the store."""

from __future__ import annotations

from pathlib import Path

from inference.chat import check_chat
from inference.wire import PROBE, ModelServer
from memory.eligibility import SERVERS
from memory.errors import ModelUnavailable
from memory.fleet import FleetNode, Role
from memory.inventory import LOCAL
from memory.ports import Queue, Replies
from memory.settings import Settings
from services.breaker import Breaker
from services.gate import Gate
from services.node import Node, Peers, no_peers
from services.node_servers import server_url
from services.served_model import ServedModel

# A canary is a few words, which a server that is well answers in milliseconds, under load in a second or two.
CANARY_SECONDS = 5.0
# One letter is as quick, but waits behind a text that the server is writing.
LLM_CANARY_SECONDS = 30.0
FIRST_PROBE_SECONDS = 1.0


def build(
    settings: Settings,
    *,
    queue: Queue,
    replies: Replies,
    lane: str,
    node: FleetNode = LOCAL[0],
    peers: Peers = no_peers,
) -> Node:
    """Make the adapters of a worker process.

    Args:
        settings: of this process; `embed_url`, `rerank_url` and `llm_url` win over the inventory for the local node.
        queue: carries results to the host, and questions to other nodes.
        replies: carries answers to whoever waits.
        lane: interactive or background, which decides how long a model call may take.
        node: of the inventory; no other node's servers are ever called.
        peers: names the other nodes that take interactive work.

    Returns:
        The node. No connection is made yet.
    """
    timeout = settings.interactive_timeout if lane == "interactive" else settings.background_timeout
    return Node(
        settings=settings,
        embedder=_served("embed", node, settings, timeout),
        reranker=_served("rerank", node, settings, timeout),
        llm=_served("llm", node, settings, timeout),
        queue=queue,
        replies=replies,
        peers=peers,
    )


def _served(role: Role, node: FleetNode, settings: Settings, timeout: float) -> ServedModel:
    url = server_url(node, role, settings)
    dimension = settings.embed_dimension if role == "embed" else None
    server = ModelServer(
        url,
        settings.node_key,
        timeout=timeout,
        dimension=dimension,
        model=settings.llm_model if role == "llm" else "",
        connections=max(8, node.slots),
    )
    breaker = Breaker(
        role,
        lambda: canary(server, role),
        failures=settings.breaker_failures,
        first=FIRST_PROBE_SECONDS / settings.time_factor,
        longest=settings.breaker_seconds / settings.time_factor,
    )
    return ServedModel(server=server, breaker=breaker, gate=Gate(Path(settings.data_dir).absolute() / "run", url))


def canary(server: ModelServer, role: Role) -> None:
    """Ask a server something that works wherever the server does.

    Args:
        server: of a node.
        role: what it is for.

    Raises:
        ModelError: it does not work.
    """
    if not server.url:
        raise ModelUnavailable(f"The node has no {SERVERS[role]}; see the inventory.")
    if role == "embed":
        server.embed([PROBE], timeout=CANARY_SECONDS)
    elif role == "rerank":
        server.check_kind("rerank", timeout=CANARY_SECONDS)
    else:
        check_chat(server, timeout=LLM_CANARY_SECONDS)
