"""The files' part of an erasure, in the writer's process and outside any transaction: SQLite, copies, broker, proof.

An erasure is finished only when all of this has been done after its rows were gone. What is in the way is said in the
receipt, and the next run of the writer tries again.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

from memory.errors import BrokerDown, Busy, MemlaneError, StoreError
from memory.ports import Held
from services import importing, verifying
from services.host import Host
from store import erasure
from store.compaction import compact, optimize_full_text
from store.sendings import PURGE_AGAIN_MICROS

log = logging.getLogger(__name__)

READER = "Somebody reads the file without end; old pages stay in it until that reading ends."


def purge(host: Host, tenant: str, token: int) -> None:
    """Clean the files after every erasure of a tenant whose rows are gone.

    Args:
        host: the truth plane's adapters.
        tenant: whose.
        token: of the writer's lease.

    Raises:
        Fenced: another process became the writer meanwhile, and does everything again.
        Busy: the receipt could not be written; the next run does everything again.
        StoreError: as `Busy`.
    """
    with host.store.read(tenant) as db:
        waiting = erasure.purging(db)
    now = host.clock()
    if not waiting or any(one.tried_at is not None and now - one.tried_at < PURGE_AGAIN_MICROS for one in waiting):
        return
    try:
        counts, note = _clean(host, tenant)
    except (StoreError, Busy, BrokerDown, OSError) as error:
        what = error.message if isinstance(error, MemlaneError) else f"A copy cannot be removed: {error.strerror}."
        log.warning("erasures of tenant %s are not finished: %s", tenant, what)
        with host.store.fenced(tenant, token) as tx:
            for one in waiting:
                erasure.set_waiting_for(tx, one.id, what=what, at=now)
        return
    for one in waiting:
        proof = verifying.verify(host, tenant, one)
        with host.store.fenced(tenant, token) as tx:
            erasure.count(tx, one.id, counts)
            erasure.set_finished(tx, one.id, verification=proof, note=note, at=host.clock())
        log.info("tenant=%s erasure=%s finished ms=%d", tenant, one.id, (host.clock() - one.requested_at) // 1000)


def _clean(host: Host, tenant: str) -> tuple[dict[str, int], str | None]:
    """Clean files and broker; returns what was removed, and what the broker would not do.

    Raises:
        StoreError: a reader was in the way, or a file could not be written.
        BrokerDown: the broker cannot be reached.
    """
    # All of them: a note may quote whatever was erased, and losing notes costs nothing but writing them again.
    notes = host.scratchpads.clear(tenant)
    messages, refused = _clean_broker(host, tenant)
    copies = remove_copies(Path(host.settings.data_dir), tenant)
    importing.tidy(host, tenant, received=True)
    optimize_full_text(host.store, tenant)
    # Keys of a subject, and what was committed before this process began, are in the other file.
    for name in (tenant, None):
        if not compact(host.store, name):
            raise StoreError(READER)
    return {"backups": copies, "queue_messages": messages, "scratchpads": notes}, refused


def _clean_broker(host: Host, tenant: str) -> tuple[int, str | None]:
    """Drop the messages of work that is gone, and have what the broker keeps on its disk written anew."""
    with host.store.read(tenant) as db:
        owed = {row["id"] for row in db.execute("SELECT id FROM work_item").fetchall()}

    def gone(held: Held) -> bool:
        return held[0] == tenant and held[1] not in owed

    return host.traces.drop(gone), host.traces.rewrite()


def remove_copies(data_dir: Path, tenant: str) -> int:
    """Delete the copies that we made of a tenant's file and of `control.db`, and broker files that were set aside.

    Args:
        data_dir: the data folder.
        tenant: whose.

    Returns:
        How many were deleted.
    """
    # No name of a tenant has a dot in it, so the pattern fits no other's.
    backups = [one for name in (tenant, "control") for one in sorted((data_dir / "backups").glob(f"{name}.v*"))]
    for one in backups:
        one.unlink()
    aside = sorted((data_dir / "broker").glob("*.unreadable-*"))
    for folder in aside:
        shutil.rmtree(folder)
    return len(backups) + len(aside)
