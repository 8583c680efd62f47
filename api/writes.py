"""Which requests will write, told from their first line: those wait for a place to write before they get a thread."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

from api.operations import operation_of
from api.path_names import path_of, routed

READING = ("GET", "HEAD", "OPTIONS")
# These change nothing in the store, or have places of their own.
PLACELESS = frozenset({"connections", "nodes", "context.write_scratchpad", "transfer.import_lines"})


def teller(app: Flask) -> Callable[[str, str], bool]:
    """Return what tells of a method and an address as it was sent whether an app's route for it writes."""
    routes = app.url_map.bind("")

    def writes(method: str, address: str) -> bool:
        if method in READING:
            return False
        try:
            rule, _ = routes.match(routed(address, path_of(address)), method=method, return_rule=True)
        except (HTTPException, RequestRedirect):
            return False  # it is refused soon enough
        if {rule.endpoint, rule.endpoint.partition(".")[0]} & PLACELESS:
            return False
        said = operation_of(app.view_functions[rule.endpoint])
        return said is None or said.changes is not False

    return writes
