"""Which request of a caller the present thread works for, so that every log line can say so.

The API begins it with each request. A message to a worker carries it, and the job and the question to the writer that
a request has made keep it: whoever goes on with them, in whatever process and after whatever outage, logs under it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token

_CURRENT: ContextVar[str | None] = ContextVar("request_id", default=None)


def current() -> str | None:
    """Return the id of the request that this thread works for; None for work that nobody asked for."""
    return _CURRENT.get()


def begin(request_id: str | None) -> Token[str | None]:
    """Work for a request from now on.

    Args:
        request_id: of the request; None: for none.

    Returns:
        What `end` wants.
    """
    return _CURRENT.set(request_id)


def end(began: Token[str | None]) -> None:
    """Work for what was worked for before `begin`.

    Args:
        began: of `begin`, in the same thread.
    """
    _CURRENT.reset(began)


@contextmanager
def working_for(request_id: str | None) -> Iterator[None]:
    """Work for a request while the block runs.

    Args:
        request_id: of the request; None: for none.

    Yields:
        Nothing.
    """
    began = begin(request_id)
    try:
        yield
    finally:
        end(began)
