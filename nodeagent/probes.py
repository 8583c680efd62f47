"""Probes of the model servers: a thread for each, so that one that hangs holds up neither another nor the report.

Health is asked every few seconds, the server's task only now and then: it costs a model call that somebody else may be
waiting for.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from inference.wire import ModelServer
from memory.errors import ModelError, ModelTimeout
from memory.fleet import ModelReport, Role
from nodeagent.kinds import First, check_kind, check_model, reason_of

log = logging.getLogger(__name__)

PROBE_SECONDS = 3.0
KIND_SECONDS = 15.0
# A server that is busy with a batch answers late without being broken.
KIND_TIMEOUT_SECONDS = 10.0
# A question to an LLM may wait behind a long text that it is writing.
LLM_TIMEOUT_SECONDS = 60.0
HEALTH_TIMEOUT_SECONDS = 2.0
# A single late answer is load; a second one in a row is a server that hangs.
TIMEOUTS = 2
# The longest wait between probes of a server that is not well; a restarted one is back in rotation that soon.
LONGEST_SECONDS = 12.0

# A server that has not been asked yet is not in use yet.
NOT_ASKED = "not asked yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Questions for a server's health in a row that got no answer. Times are monotonic seconds."""

    first: float  # when the first of them was asked
    last: float


class Probe:
    """What is known of one model server. `look` is to be called by one thread, `report` may be read by any."""

    def __init__(
        self, node: str, role: Role, server: ModelServer, *, dimension: int | None = None, health_seconds: float = 0.0
    ) -> None:
        """Prepare; nothing is asked.

        Args:
            node: name, for reasons.
            role: what the server is there for.
            server: its client.
            dimension: length its vectors must have; None: as the first one it answers.
            health_seconds: limit of a health question; 0 for the usual one.
        """
        self.report = ModelReport(role=role, healthy=False, reason=NOT_ASKED)
        self._node = node
        self._role: Role = role
        self._server = server
        self._first = First(dimension=dimension)
        self._health_seconds = health_seconds or HEALTH_TIMEOUT_SECONDS
        self.silence: Silence | None = None
        self._failures = 0
        self._timeouts = 0
        self._kind_at = 0.0  # monotonic; when to ask for its task again

    def look(self, now: float, *, spare: bool = False) -> float:
        """Ask what is due.

        Args:
            now: monotonic seconds.
            spare: whether to leave the server's model alone and ask for its health only.

        Returns:
            Seconds until the next look.
        """
        try:
            model = self._ask(now, spare)
        except ModelTimeout as error:
            self._timeouts += 1
            if self._timeouts < TIMEOUTS and self.report.healthy:
                return PROBE_SECONDS
            return self._failed(error)
        except ModelError as error:
            return self._failed(error)
        self._say(ModelReport(role=self._role, healthy=True, model=model))
        self._failures = self._timeouts = 0
        return PROBE_SECONDS

    def _ask(self, now: float, spare: bool) -> str:
        self._ask_health(now)
        # Its task as well before it counts as well again: a wrong server on the port is healthy too.
        due = now >= self._kind_at or self._failures > 0
        if not due or (spare and self.report.healthy):
            return self.report.model
        model = check_model(self._server, self._first, timeout=self._health_seconds)
        seconds = LLM_TIMEOUT_SECONDS if self._role == "llm" else KIND_TIMEOUT_SECONDS
        check_kind(self._server, self._role, self._first, timeout=seconds)
        self._kind_at = now + KIND_SECONDS
        return model

    def _ask_health(self, now: float) -> None:
        try:
            self._server.health(timeout=self._health_seconds)
        except ModelTimeout:
            self.silence = Silence(first=now, last=now) if self.silence is None else replace(self.silence, last=now)
            raise
        except ModelError:
            # One that is loading its model says so, or refuses the connection: that is an answer as well.
            self.silence = None
            raise
        self.silence = None

    def _failed(self, error: ModelError) -> float:
        self._failures += 1
        self._say(ModelReport(role=self._role, healthy=False, reason=reason_of(error, self._node)))
        return back_off(self._failures)

    def _say(self, report: ModelReport) -> None:
        before, self.report = self.report, report
        if (before.healthy, before.reason) != (report.healthy, report.reason):
            level = logging.INFO if report.healthy else logging.WARNING
            log.log(level, "%s on %s: %s", report.role, self._server.url, report.reason or f"well ({report.model})")

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


def back_off(failures: int) -> float:
    """Return how long to wait before the next probe.

    Args:
        failures: in a row, at least 1.

    Returns:
        Seconds: 1, 2, 4, 8, 12, 12 ...
    """
    return min(LONGEST_SECONDS, 2.0 ** min(failures - 1, 8))


class Watch:
    """Looks at one server on a thread of its own until it is closed."""

    def __init__(self, probe: Probe, *, spare: Callable[[], bool], changed: Callable[[], None]) -> None:
        """Start.

        Args:
            probe: of the server.
            spare: whether to leave its model alone at the moment.
            changed: called after its report became another.
        """
        self.probe = probe
        self._spare = spare
        self._changed = changed
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"probe of {probe.report.role}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End; a question under way is not waited for."""
        self._ending.set()

    def _run(self) -> None:
        wait = 0.0
        while not self._ending.wait(wait):
            before = self.probe.report
            wait = self._look()
            if self.probe.report != before:
                self._changed()
        self.probe.close()

    def _look(self) -> float:
        try:
            return self.probe.look(time.monotonic(), spare=self._spare())
        except Exception:
            # A thread that ends would leave the server's last report standing for ever.
            log.exception("a probe failed")
            return LONGEST_SECONDS


class Probes:
    """The watches of a node's servers, which follow the inventory."""

    def __init__(
        self,
        node: str,
        key: str,
        *,
        dimension: int | None = None,
        spare: Callable[[], bool] = lambda: False,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Start with none.

        Args:
            node: name, for reasons.
            key: sent to the servers.
            dimension: length that the embedder's vectors must have; None: as the first one.
            spare: whether to leave the models alone at the moment.
            changed: called, from any thread, after a report became another.
        """
        self._node = node
        self._key = key
        self._dimension = dimension
        self._spare = spare
        self._changed = changed
        self._watches: dict[tuple[Role, str], Watch] = {}

    def follow(self, urls: Mapping[Role, str]) -> None:
        """Watch exactly these servers from now on.

        Args:
            urls: address by role.
        """
        for known in [known for known in self._watches if urls.get(known[0]) != known[1]]:
            self._watches.pop(known).close()
        for role, url in urls.items():
            if (role, url) not in self._watches:
                self._watches[role, url] = self._watch(role, url)

    def reports(self) -> tuple[ModelReport, ...]:
        """Return what is known of each server that has been asked at least once."""
        reports = (watch.probe.report for watch in self._watches.values())
        return tuple(report for report in reports if report.reason != NOT_ASKED)

    def silences(self) -> Mapping[Role, Silence]:
        """Return the servers that did not answer when last asked for their health, by role."""
        found = {role: watch.probe.silence for (role, _), watch in self._watches.items()}
        return {role: silence for role, silence in found.items() if silence is not None}

    def close(self) -> None:
        """Watch nothing any more."""
        self.follow({})

    def _watch(self, role: Role, url: str) -> Watch:
        dimension = self._dimension if role == "embed" else None
        probe = Probe(self._node, role, ModelServer(url, self._key, connections=1), dimension=dimension)
        return Watch(probe, spare=self._spare, changed=self._changed)
