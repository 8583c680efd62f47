"""One server and how it is reached: its address, its key, and the two ways of asking."""

from __future__ import annotations

import os
import uuid
from typing import Any, Self

from memlane.transport import READ_SECONDS, Repeat, Transport

Json = dict[str, Any]
DEFAULT_URL = "http://127.0.0.1:8900"


def body(**fields: Any) -> Json:
    """Return the fields that were given."""
    return {name: value for name, value in fields.items() if value is not None}


def once() -> dict[str, str]:
    """Return the header that makes a repeated request do nothing more."""
    return {"Idempotency-Key": str(uuid.uuid4())}


class Connected:
    """Holds the connections to one server; a context manager that closes them."""

    def __init__(self, url: str | None = None, key: str | None = None, *, timeout: float = READ_SECONDS) -> None:
        """Prepare a client; nothing is sent yet.

        Args:
            url: base URL; otherwise MEMLANE_URL, otherwise this machine's port 8900.
            key: API key; otherwise MEMLANE_API_KEY, otherwise none.
            timeout: seconds to wait for one answer.

        Raises:
            Misconfigured: the URL or the key cannot be used.
        """
        url = url or os.environ.get("MEMLANE_URL") or DEFAULT_URL
        self._transport = Transport(url, key or os.environ.get("MEMLANE_API_KEY"), timeout=timeout)

    @property
    def url(self) -> str:
        """The base URL in use."""
        return self._transport.url

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close its connections."""
        self._transport.close()

    def _get(self, path: str, **query: Any) -> Json:
        answer: Json = self._transport.call("GET", path, query=query)
        return answer

    def _post(self, path: str, body: Json, *, create: bool = False, repeat: Repeat = Repeat.ALWAYS) -> Json:
        headers = once() if create else None
        answer: Json = self._transport.call("POST", path, body=body, headers=headers, repeat=repeat)
        return answer
