"""One model server of a node as the node's workers use it: behind its gate, with a breaker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from inference.wire import ModelServer
from memory.errors import BadAnswer, MemlaneError, ModelError, ModelTimeout
from services.breaker import Breaker, of_the_request
from services.gate import Gate

Answer = TypeVar("Answer")


class NodeAtFault(Exception):
    """The node's server fails; what was asked of it may well work on another node."""

    def __init__(self, cause: MemlaneError | str, *, doubted: MemlaneError | None = None) -> None:
        """Keep why.

        Args:
            cause: what went wrong, or why the server is not called at all.
            doubted: an error whose fault is still to be found out, with `Breaker.blames_node`.
        """
        self.message = cause if isinstance(cause, str) else cause.message
        self.code = "model_unavailable" if isinstance(cause, str) else cause.code
        self.doubted = doubted
        super().__init__(self.message)


@dataclass(frozen=True, kw_only=True)
class ServedModel:
    """A node's server."""

    server: ModelServer
    breaker: Breaker
    gate: Gate

    def call(self, ask: Callable[[], Answer], *, in_haste: bool = False) -> Answer:
        """Call the server, and find out whose fault it is when that fails.

        A call that fails although the server is well is made once more: a passing failure then goes unnoticed, and one
        that comes again is the fault of what was asked. A bad answer is the caller's to ask about again.

        Args:
            ask: makes the call.
            in_haste: leave the question of fault open after a time-out, because somebody waits.

        Returns:
            What the call answered.

        Raises:
            NodeAtFault: the server fails.
            ModelError: what was asked is at fault.
        """
        if self.breaker.reason is not None:
            raise NodeAtFault(self.breaker.reason)
        try:
            answer = ask()
        except ModelError as error:
            if in_haste and isinstance(error, ModelTimeout):
                raise NodeAtFault(error, doubted=error) from error
            if self.breaker.blames_node(error):
                raise NodeAtFault(error) from error
            if of_the_request(error) or isinstance(error, ModelTimeout | BadAnswer):
                raise
            answer = ask()
        self.breaker.succeeded()
        return answer
