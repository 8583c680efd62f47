"""The interactive lane of a simulated fleet: searches through the API, and what the queue adds to a model call."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Sequence

from benchmarks.simulated_fleet import SimulatedFleet
from inference.wire import ModelServer
from memory.settings import Settings
from ops.launched import Launched
from services.direct_models import DirectModels
from services.interactive import RedisInteractive
from workers.sight import host_sight
from workers.transport import RedisReplies, connect, make_queue


class Searches:
    """Ever new questions, so that none is answered from the cache of query vectors."""

    def __init__(self, up: Launched) -> None:
        """Keep the stack."""
        self._up = up
        self._numbers = itertools.count()

    def one(self) -> float:
        """Search with reranking and return how many milliseconds it took.

        Raises:
            RuntimeError: the answer says that something was left out.
        """
        began = time.perf_counter()
        found = self._up.post("/v4/search", q=f"Which pump moves {next(self._numbers)} litres?", rerank=True, limit=10)
        taken = (time.perf_counter() - began) * 1000
        if found.get("degraded"):
            raise RuntimeError(f"degraded: {found['degraded']}")
        return taken


def search_times(searches: Searches, count: int) -> list[float]:
    """Return the milliseconds of so many searches, one after the other."""
    return [searches.one() for _ in range(count)]


def overhead(fleet: SimulatedFleet, names: Sequence[str], *, count: int) -> dict[str, float]:
    """Compare a model call through the queue with the same call made directly, in turn.

    Args:
        fleet: running.
        names: of the interactive nodes, which are alike.
        count: calls of each kind.

    Returns:
        Milliseconds at p50: through the queue, directly, and the difference.
    """
    settings = Settings(data_dir=str(fleet.up.data_dir), nodes=str(fleet.inventory))
    client = connect(settings)
    look = host_sight(client, settings)
    queued = RedisInteractive(
        queue=make_queue(settings), replies=RedisReplies(client), direct=DirectModels(settings, look), look=look,
        dimension=settings.embed_dimension, seconds=settings.interactive_timeout,
    )  # fmt: skip
    node = fleet.nodes[names[0]]
    server = ModelServer(f"http://{node.host}:{node.ports[0]}", timeout=30)
    taken: dict[str, list[float]] = {"queue": [], "direct": []}
    for number in range(count + 10):
        text = [f"question {number}"]
        began = time.perf_counter()
        if queued.embed(text).degraded:
            raise RuntimeError("the queue was passed by")
        middle = time.perf_counter()
        server.embed(text)
        if number >= 10:
            taken["queue"].append((middle - began) * 1000)
            taken["direct"].append((time.perf_counter() - middle) * 1000)
    server.close()
    client.close()
    p50 = {kind: statistics.median(times) for kind, times in taken.items()}
    return {
        "model call through the queue, p50 ms": p50["queue"],
        "model call directly, p50 ms": p50["direct"],
        "queue overhead of an interactive call, p50 ms": p50["queue"] - p50["direct"],
    }
