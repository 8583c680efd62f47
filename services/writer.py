"""The lease that makes one process the writer of knowledge, and the token that fences off whoever had it before."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from memory.records import Micros
from services.host import Host
from store import lease

LEASE = "writer"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    token: int
    until: Micros


class WriterLease:
    """One process's hold on the writer's lease.

    A process that is stopped for longer than its lease still believes its token when it goes on. That is safe: whoever
    took over has raised the fence of every tenant, so the old token's next commit is refused.
    """

    def __init__(self, host: Host, holder: str) -> None:
        """Begin without the lease.

        Args:
            host: the truth plane's adapters.
            holder: names this process and no other, for example by a new id.
        """
        self._host = host
        self._holder = holder
        self._held: _Held | None = None
        self._lock = threading.Lock()

    @property
    def token(self) -> int | None:
        """The token for `Store.fenced`; None when the lease is not held or has run out."""
        held = self._held
        if held is None or self._host.clock() >= held.until:
            return None
        return held.token

    def renew(self) -> int | None:
        """Extend the lease, or take it when it is free; call it several times within its life.

        Returns:
            The token; None while another process has the lease.

        Raises:
            Busy: `control.db` is locked; the lease is as it was.
        """
        with self._lock:
            now = self._host.clock()
            until = now + self._life()
            held = self._held
            if held is not None and self._extend(held, until):
                self._held = _Held(token=held.token, until=until)
            else:
                self._held = self._take(now, until)
            return self._held.token if self._held else None

    def release(self) -> None:
        """Give the lease back at the end of the process, so that the next need not wait for it to run out."""
        with self._lock:
            held, self._held = self._held, None
            if held is not None:
                with self._host.store.control_write() as tx:
                    lease.release(tx, name=LEASE, holder=self._holder, token=held.token)

    def _life(self) -> Micros:
        settings = self._host.settings
        return round(settings.writer_lease_seconds / settings.time_factor * 1_000_000)

    def _extend(self, held: _Held, until: Micros) -> bool:
        with self._host.store.control_write() as tx:
            return lease.renew(tx, name=LEASE, holder=self._holder, token=held.token, until=until)

    def _take(self, now: Micros, until: Micros) -> _Held | None:
        floor = self._highest_fence()
        with self._host.store.control_write() as tx:
            token = lease.acquire(tx, name=LEASE, holder=self._holder, now=now, until=until, floor=floor)
        if token is None:
            return None
        self._raise_fences(token)
        return _Held(token=token, until=until)

    def _highest_fence(self) -> int:
        highest = 0
        for tenant in self._host.store.tenants():
            with self._host.store.read(tenant) as db:
                highest = max(highest, lease.fence(db))
        return highest

    def _raise_fences(self, token: int) -> None:
        """Shut the holder before out of every file, before anything is read that this one will decide on."""
        for tenant in self._host.store.tenants():
            with self._host.store.fenced(tenant, token):
                pass
