"""Every error the client can raise, as one tree, with the exit code the command line gives each.

    MemlaneError                       1
    ├── Misconfigured (ValueError)     2  the address or the key cannot be used
    ├── Unreachable (ConnectionError)  3  nothing answers there
    ├── NotMemlane                     3  something else answers there
    ├── ServerFailed                   1  5xx
    │   └── ServerBusy                 1  503, also after every retry
    └── Refused                        1  4xx
        ├── Invalid (ValueError)       2  400, 413, 415, 422: what was sent is not valid
        ├── Unauthenticated            1  401
        ├── Forbidden                  1  403
        ├── NotFound (LookupError)     4  404
        ├── StateConflict              4  409, 410: refused by the present state
        └── TooMany                    1  429, also after every retry

The server's own sentence is the message when it sent one; the class docstring is the message otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class MemlaneError(Exception):
    """Memlane could not do what was asked; see the details."""

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str | None = None,
        *,
        code: str = "error",
        details: Mapping[str, Any] | None = None,
        status: int | None = None,
        request_id: str | None = None,
    ) -> None:
        """Keep the sentence for a person and the rest for a program.

        Args:
            message: one sentence; the class docstring when left out.
            code: the server's stable word, or the client's own.
            details: JSON values such as `field` and `hint`.
            status: the HTTP status; None when nothing answered.
            request_id: what finds the request in the server's log.
        """
        self.message = message or " ".join((self.__doc__ or "").split())
        self.code = code
        self.details = dict(details or {})
        self.status = status
        self.request_id = request_id
        super().__init__(self.message)

    @property
    def hint(self) -> str | None:
        """What the server advises; None when it advises nothing."""
        hint = self.details.get("hint")
        return hint if isinstance(hint, str) else None

    def shape(self) -> dict[str, Any]:
        """Return the one error shape, as the server would have sent it."""
        return {"error": self.message, "code": self.code, "details": self.details}


class Misconfigured(MemlaneError, ValueError):
    """The address or the key cannot be used; check MEMLANE_URL and MEMLANE_API_KEY."""

    exit_code = 2


class Unreachable(MemlaneError, ConnectionError):
    """The server cannot be reached; start it with `memlane up` or check MEMLANE_URL."""

    exit_code = 3


class NotMemlane(MemlaneError):
    """What answers at this address is not a Memlane server of this version; check MEMLANE_URL."""

    exit_code = 3


class ServerFailed(MemlaneError):
    """The server failed; its log has the reason under the request id."""


class ServerBusy(ServerFailed):
    """The server is too busy or starting; try again soon."""


class Refused(MemlaneError):
    """The server refused the request."""


class Invalid(Refused, ValueError):
    """What was sent is not valid; correct it and send it again."""

    exit_code = 2


class Unauthenticated(Refused):
    """The server wants a valid key; set MEMLANE_API_KEY."""


class Forbidden(Refused):
    """The key may not do that; use one with the right."""


class NotFound(Refused, LookupError):
    """Nothing with that id is known in this space."""

    exit_code = 4


class StateConflict(Refused):
    """The present state does not allow that; look at it again."""

    exit_code = 4


class TooMany(Refused):
    """Too many requests; try again in a while."""


BY_STATUS: Mapping[int, type[MemlaneError]] = {
    400: Invalid,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: StateConflict,
    410: StateConflict,
    413: Invalid,
    415: Invalid,
    422: Invalid,
    429: TooMany,
    503: ServerBusy,
}


def of_status(status: int) -> type[MemlaneError]:
    """Return the error class of an HTTP status of 400 or above."""
    return BY_STATUS.get(status, ServerFailed if status >= 500 else Refused)
