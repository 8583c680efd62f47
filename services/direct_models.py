"""Model servers asked without the queue: every node's in turn, those of the interactive lane first."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from inference.fitting import Fitted, embed_beginnings, rerank_fitting
from inference.wire import ModelServer
from memory.errors import ModelError, ModelRefused, ModelUnavailable
from memory.fleet import FleetNode, Role
from memory.ports import FleetSight, LookAtFleet
from memory.settings import Settings
from memory.temporal import to_iso
from services.breaker import of_the_request
from services.node_servers import server_url
from services.rerank_parts import SAME_SCORE, all_equal

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

# A server that failed a direct call is asked after the others for this long.
AVOID_SECONDS = 5.0
# Even the last of many nodes gets as long as a short model call takes.
LEAST_SECONDS = 0.25


class DirectModels:
    """The servers of the whole fleet. Thread safe."""

    def __init__(self, settings: Settings, look: LookAtFleet) -> None:
        """Know where to look.

        Args:
            settings: of the process: key, dimension, and the addresses of a node without ports.
            look: sees the fleet.
        """
        self._settings = settings
        self._look = look
        self._servers: dict[str, ModelServer] = {}
        self._failed_at: dict[str, float] = {}  # monotonic, by address

    def embed(self, texts: Sequence[str], *, seconds: float) -> Fitted:
        """Embed a few texts.

        Args:
            texts: what to embed; of one that is too long, the beginning.
            seconds: how long it may take in all.

        Returns:
            Vectors.

        Raises:
            ModelUnavailable: no node answered; the message says why.
            ModelError: the texts are at fault.
        """
        return self._first("embed", seconds, lambda server, left: embed_beginnings(server, texts, timeout=left))

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None, *, seconds: float) -> Fitted:
        """Score passages against a query.

        Args:
            query: what they are scored against.
            passages: what to score.
            idf: weights of terms; None for uniform ones.
            seconds: how long it may take in all.

        Returns:
            Scores.

        Raises:
            ModelUnavailable: no node answered; the message says why.
            ModelError: the texts are at fault.
        """

        def ask(server: ModelServer, left: float) -> Fitted:
            fitted = rerank_fitting(server, query, passages, idf, timeout=left)
            if all_equal(fitted.values, passages):
                raise ModelRefused(SAME_SCORE)
            return fitted

        return self._first("rerank", seconds, ask)

    def _first(self, role: Role, seconds: float, ask: Callable[[ModelServer, float], Answer]) -> Answer:
        """Return the first answer of a node; each gets an equal share of the time that is left."""
        until = time.monotonic() + seconds
        servers = self._in_order(role)
        reasons: list[str] = []
        for position, server in enumerate(servers):
            left = until - time.monotonic()
            if left <= 0:
                reasons.append("the time was up")
                break
            try:
                answer = ask(server, max(min(left, LEAST_SECONDS), left / (len(servers) - position)))
            except ModelError as error:
                if of_the_request(error):
                    raise
                self._failed_at[server.url] = time.monotonic()
                reasons.append(error.message)
                continue
            self._failed_at.pop(server.url, None)
            return answer
        raise ModelUnavailable(f"No model server answered: {' '.join(dict.fromkeys(reasons))}")

    def _in_order(self, role: Role) -> list[ModelServer]:
        sight = self._look()
        rested = [node for node in sight.nodes if not is_paused(node, sight)]
        if not rested:
            raise ModelUnavailable(_all_paused(sight))
        failing = {**_failing(sight, role), **_too_hot(sight)}
        urls = {
            url: node.lane
            for node in rested
            if (url := server_url(node, role, self._settings)) and node.name not in failing
        }
        if not urls:
            # Their own workers probe them, and say so as soon as one is well: asking again would only take time.
            # What is too hot is left to cool, whoever waits.
            raise ModelUnavailable(_all_failing(role, failing))
        now = time.monotonic()

        def avoided(url: str) -> bool:
            return now - self._failed_at.get(url, -AVOID_SECONDS) < AVOID_SECONDS

        ordered = sorted(urls, key=lambda url: (avoided(url), urls[url] != "interactive"))
        return [self._server(url, role) for url in ordered]

    def _server(self, url: str, role: Role) -> ModelServer:
        settings = self._settings
        dimension = settings.embed_dimension if role == "embed" else None
        key = f"{role} {url}"
        if key not in self._servers:
            self._servers[key] = ModelServer(
                url, settings.node_key, timeout=settings.interactive_timeout, dimension=dimension
            )
        return self._servers[key]


def is_paused(node: FleetNode, sight: FleetSight) -> bool:
    """Return whether a node is lent out or under maintenance; one that is not lendable never is."""
    return node.lendable and sight.paused.get(node.name, 0) > sight.at


def _failing(sight: FleetSight, role: Role) -> dict[str, str]:
    """Return the nodes whose own workers find a server failing, with the reason."""
    return {beat.worker.partition("@")[2]: beat.reason for beat in sight.heartbeats if role in beat.failing}


def _too_hot(sight: FleetSight) -> dict[str, str]:
    """Return the nodes that are to do no work at all, with the reason."""
    return {name: "too hot for any work" for name, report in sight.reports.items() if report.thermal == "too_hot"}


def _all_paused(sight: FleetSight) -> str:
    first = min(sight.paused.get(node.name, 0) for node in sight.nodes)
    return f"All nodes are paused, the first until {to_iso(first)}; try again then."


def _all_failing(role: Role, failing: Mapping[str, str]) -> str:
    if not failing:
        return f"No node has a server to {role}; check the addresses in the inventory and the settings."
    reasons = "; ".join(f"{node}: {reason}" for node, reason in sorted(failing.items()))
    return f"No model server can answer at the moment ({reasons})."
