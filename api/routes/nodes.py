"""Nodes: which serve which lane, and who is lent out or under maintenance.

A node that is lent out or under maintenance is paused, always with an end. The state is the pause file of the setting
`MEMLANE_PAUSE_FILE`, which another program may write too; `docs/operations.md` has its form. Any key may look. A key
that may only read, or is limited to spaces, a user or an agent, may not pause.
"""

from __future__ import annotations

from flask import Blueprint

from api import scope
from api.answers import nodes as answers
from api.body import body
from api.context import host
from api.operations import operation
from api.reply import Reply
from api.schemas.nodes import DrainNodes, NamedNodes, PauseNodes
from services import nodes

routes = Blueprint("nodes", __name__)


@routes.get("/v1/nodes")
@operation(answers={200: answers.Nodes})
def list_nodes() -> Reply:
    """Return every node with its lanes, its state and what it holds."""
    return nodes.view(host())


@routes.post("/v1/nodes/pause")
@operation(body=PauseNodes, answers={200: answers.Steered}, errors=(404,), example={"nodes": ["b0"], "seconds": 3600})
def pause_nodes() -> Reply:
    """Take nodes out of both lanes until a time.

    What they hold they finish. `warning` says that the queue is down: the pause is kept then, and the nodes are told
    when it is back.
    """
    sent = body(PauseNodes)
    return nodes.pause(host(), scope.to_steer(), sent.nodes, **sent.end())


@routes.post("/v1/nodes/resume")
@operation(body=NamedNodes, answers={200: answers.Steered}, errors=(404,), example={"nodes": ["b0"]})
def resume_nodes() -> Reply:
    """End the pause of nodes.

    409 when the pause stands in a file that the server may not write.
    """
    sent = body(NamedNodes)
    return nodes.resume(host(), scope.to_steer(), sent.nodes)


@routes.post("/v1/nodes/drain")
@operation(body=DrainNodes, answers={200: answers.Drained}, errors=(404,), example={"nodes": ["b0"], "seconds": 3600})
def drain_nodes() -> Reply:
    """Pause nodes and tell whether they have finished what they held.

    For nodes that are paused already the end may be left out. Ask again, or look at `GET /v1/nodes`, until `drained` is
    true.
    """
    sent = body(DrainNodes)
    return nodes.drain(host(), scope.to_steer(), sent.nodes, **sent.end())
