"""The official client of Supermemory, as it is installed, on the shared stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from supermemory import AsyncSupermemory, Supermemory
from supermemory.types import DocumentGetResponse

from ops.launched import Launched, wait_until

# What a keyless machine takes from a client that insists on sending some key.
KEY = "local"
# The stack shares two cores with whatever else runs; a document of a few lines needs about a second alone.
SETTLE_SECONDS = 120.0
ENDED = ("done", "failed")

Settle = Callable[[str], DocumentGetResponse]


@pytest.fixture
def client(stack: Launched) -> Iterator[Supermemory]:
    """The client as its users make it, with another base URL.

    What fails is not tried again behind the test's back, and an answer that is not what the client's models promise is
    an error, where it would else only show once somebody uses the field.
    """
    with Supermemory(
        api_key=KEY, base_url=stack.url, max_retries=0, timeout=60, _strict_response_validation=True
    ) as one:
        yield one


@pytest.fixture
def async_client(stack: Launched) -> AsyncSupermemory:
    """The same client for asyncio; a test makes its own loop and closes it there."""
    return AsyncSupermemory(
        api_key=KEY, base_url=stack.url, max_retries=0, timeout=60, _strict_response_validation=True
    )


@pytest.fixture
def settle(client: Supermemory) -> Settle:
    """Wait for the end of a document's processing and return it."""

    def wait(ref: str) -> DocumentGetResponse:
        def ended() -> DocumentGetResponse | None:
            found = client.documents.get(ref)
            return found if found.status in ENDED else None

        found: DocumentGetResponse = wait_until(ended, seconds=SETTLE_SECONDS, what=f"document {ref} ends")
        return found

    return wait
