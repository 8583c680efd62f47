"""Connections to other services, of Supermemory's wire: there are none, and every call is told so."""

from __future__ import annotations

from flask import Blueprint

from api.operations import operation
from api.reply import Reply
from memory.errors import NotOffered

routes = Blueprint("connections", __name__)


@routes.post("/v3/connections/list")
@operation("List connections", answers={}, errors=(501,), changes=False)
def list_connections() -> Reply:
    """Refuse: there are no connections to other services."""
    raise NotOffered


@routes.post("/v3/connections/<connection>")
@operation("Make a connection", answers={}, errors=(501,))
def create_connection(connection: str) -> Reply:
    """Refuse: there are no connections to other services."""
    raise NotOffered


@routes.get("/v3/connections/<connection>")
@operation("Read a connection", answers={}, errors=(501,))
def get_connection(connection: str) -> Reply:
    """Refuse: there are no connections to other services."""
    raise NotOffered


@routes.delete("/v3/connections/<connection>")
@operation("Delete a connection, or all of a service", answers={}, errors=(501,))
def delete_connection(connection: str) -> Reply:
    """Refuse: there are no connections to other services."""
    raise NotOffered


@routes.post("/v3/connections/<connection>/configure")
@operation("Configure a connection", answers={}, errors=(501,))
def configure_connection(connection: str) -> Reply:
    """Refuse: there are no connections to other services."""
    raise NotOffered


@routes.get("/v3/connections/<connection>/resources")
@operation("List the resources of a connection", answers={}, errors=(501,))
def list_resources(connection: str) -> Reply:
    """Refuse: there are no connections to other services."""
    raise NotOffered


@routes.post("/v3/connections/<connection>/<action>")
@operation("Find a connection, import by it or list its documents", answers={}, errors=(501,))
def act_on_connection(connection: str, action: str) -> Reply:
    """Refuse: there are no connections to other services. `action` is `connection`, `import` or `documents`."""
    raise NotOffered
