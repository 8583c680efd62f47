"""Keeps when keys and members were last used, beside the requests: none of them waits for it or fails with it."""

from __future__ import annotations

import logging
import threading
import time

from memory.errors import MemlaneError
from memory.records import Micros
from store import uses
from store.connection import Store

log = logging.getLogger("memlane.services")

# Of one key. A minute tells a key in use from one that nobody needs, and costs a write a minute for each.
EVERY_MICROS: Micros = 60 * 1_000_000
# Uses of many keys go into one transaction.
GATHER_SECONDS = 1.0


class Uses:
    """What was used, until it is written by a thread of its own."""

    def __init__(self, store: Store, *, gather_seconds: float = GATHER_SECONDS) -> None:
        """Begin with nothing; the thread starts with the first use.

        Args:
            store: the store that holds control.db.
            gather_seconds: how long uses are gathered before they are written.
        """
        self._store = store
        self._gather_seconds = gather_seconds
        self._lock = threading.Lock()
        self._noted: dict[str, Micros] = {}  # by id: when it was last noted, so that most uses cost a look-up
        self._waiting: dict[str, Micros] = {}
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    def note(self, name: str, at: Micros) -> None:
        """Note a use; the next minute's uses of the same key are not noted.

        Args:
            name: id of a key, an admin key or a member.
            at: when.
        """
        if at - self._noted.get(name, at - EVERY_MICROS) < EVERY_MICROS:
            return
        with self._lock:
            self._noted[name] = self._waiting[name] = at
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="uses", daemon=True)
                self._thread.start()
        self._some.set()

    def write(self) -> None:
        """Write what waits.

        Raises:
            MemlaneError: the store cannot be written now; it waits on.
        """
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        try:
            with self._store.control_write() as tx:
                uses.mark(tx, waiting)
        except MemlaneError:
            with self._lock:
                self._waiting = {**waiting, **self._waiting}
            raise

    def _run(self) -> None:
        while self._some.wait():
            time.sleep(self._gather_seconds)
            self._some.clear()
            try:
                self.write()
            except MemlaneError as error:
                # A time of last use is not worth a request; it is written with the next use.
                log.warning("the last use of keys could not be kept: %s", error.message)
