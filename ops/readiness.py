"""Whether a stack is ready: every worker takes work, and everything that can be asked says it is well."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from ops.supervisor import Slot

PROBE_SECONDS = 1.0
ASK_SECONDS = 0.1

OK = "ok"


def not_ready(slots: Iterable[Slot]) -> dict[str, str]:
    """Return what is not ready yet.

    Args:
        slots: of the supervisor.

    Returns:
        By name, the status its health route answers; empty text for no answer. Nothing when all are ready.
    """
    states = {slot.part.name: _state(slot) for slot in slots}
    return {name: state for name, state in states.items() if state != OK}


def probe(url: str) -> str:
    """Return the `status` that a health route answers.

    Args:
        url: of the route.

    Returns:
        Its word, such as ok, degraded or down; empty when it does not answer.
    """
    parts = urlsplit(url)
    line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PROBE_SECONDS)
    try:
        line.request("GET", parts.path)
        answer = json.loads(line.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return ""
    finally:
        line.close()
    return str(answer.get("status", "")) if isinstance(answer, dict) else ""


class Watch:
    """Asks in a thread of its own until the stack is ready, so that a slow answer does not hold up the supervisor."""

    def __init__(self, slots: Sequence[Slot], tell: Callable[[dict[str, str]], bool]) -> None:
        """Start asking.

        Args:
            slots: of the supervisor.
            tell: is given what is not ready, each time; returns whether to stop asking.
        """
        self._stop = threading.Event()
        threading.Thread(target=self._run, args=(slots, tell), name="readiness", daemon=True).start()

    def stop(self) -> None:
        """Ask no more."""
        self._stop.set()

    def _run(self, slots: Sequence[Slot], tell: Callable[[dict[str, str]], bool]) -> None:
        while not self._stop.wait(ASK_SECONDS) and not tell(not_ready(slots)):
            pass


def _state(slot: Slot) -> str:
    running = slot.running
    if running is None or (slot.part.announces and not running.announced):
        return ""
    return OK if slot.part.probe is None else probe(slot.part.probe)
