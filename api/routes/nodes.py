"""Nodes: which serve which lane, and who is lent out or under maintenance."""

from __future__ import annotations

from flask import Blueprint

from api import scope
from api.body import body
from api.context import host
from api.reply import Reply
from api.schemas.nodes import DrainNodes, NamedNodes, PauseNodes
from services import nodes

routes = Blueprint("nodes", __name__)


@routes.get("/v1/nodes")
def list_nodes() -> Reply:
    """Return every node with its lanes, its state and what it holds."""
    return nodes.view(host())


@routes.post("/v1/nodes/pause")
def pause_nodes() -> Reply:
    """Take nodes out of both lanes until a time."""
    sent = body(PauseNodes)
    return nodes.pause(host(), scope.to_steer(), sent.nodes, **sent.end())


@routes.post("/v1/nodes/resume")
def resume_nodes() -> Reply:
    """End the pause of nodes."""
    sent = body(NamedNodes)
    return nodes.resume(host(), scope.to_steer(), sent.nodes)


@routes.post("/v1/nodes/drain")
def drain_nodes() -> Reply:
    """Pause nodes and tell whether they have finished what they held."""
    sent = body(DrainNodes)
    return nodes.drain(host(), scope.to_steer(), sent.nodes, **sent.end())
