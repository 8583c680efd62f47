"""Every call of the client about connections is told at once that there are none, in the one shape of errors."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from supermemory import InternalServerError, Supermemory

from ops.launched import Launched
from tests.acceptance.supermemory.conftest import KEY

CALLS: dict[str, Callable[[Supermemory], object]] = {
    "create": lambda client: client.connections.create("notion"),
    "list": lambda client: client.connections.list(container_tags=["a"]),
    "configure": lambda client: client.connections.configure("conn_1", resources=[{"id": 1}]),
    "delete_by_id": lambda client: client.connections.delete_by_id("conn_1"),
    "delete_by_provider": lambda client: client.connections.delete_by_provider("notion", container_tags=["a"]),
    "get_by_id": lambda client: client.connections.get_by_id("conn_1"),
    "get_by_tag": lambda client: client.connections.get_by_tag("notion", container_tags=["a"]),
    "import_": lambda client: client.connections.import_("notion"),
    "list_documents": lambda client: client.connections.list_documents("notion"),
    "resources": lambda client: client.connections.resources("conn_1"),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_call_about_connections_is_501(client: Supermemory, name: str) -> None:
    with pytest.raises(InternalServerError) as refused:
        CALLS[name](client)
    assert refused.value.status_code == 501
    body = refused.value.body
    assert isinstance(body, dict)
    assert (set(body), body["code"]) == ({"error", "code", "details"}, "not_offered")


def test_the_client_does_not_try_again(stack: Launched) -> None:
    began = time.monotonic()
    with Supermemory(api_key=KEY, base_url=stack.url, max_retries=5) as one, pytest.raises(InternalServerError):
        one.connections.list()
    assert time.monotonic() - began < 0.5, "It was tried again; the first pause alone is half a second."
