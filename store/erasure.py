"""Erasures: the receipt of each, which has no content, and keyed hashes of what must not come back."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memory.errors import NotFound, StoreError
from memory.records import Actor, Micros
from store.connection import Reader, Store, Writer

ErasureKind = Literal["subject", "document", "memory", "space", "tenant"]
ErasureState = Literal["waiting", "erasing", "purging", "finished", "failed"]
# A hash of 256 bits keyed with as many cannot be guessed back from a list of names.
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one erasure."""

    id: str  # ers_...
    kind: ErasureKind
    state: ErasureState
    verify: bool
    counts: Mapping[str, int]  # what was erased, by name
    verification: Mapping[str, Any] | None
    note: str | None  # what is finished and could not be done all the same
    waits_for: str | None  # what keeps it from being finished, or why it failed
    actor: Actor
    requested_at: Micros
    erased_at: Micros | None
    tried_at: Micros | None
    finished_at: Micros | None

    @property
    def is_open(self) -> bool:
        """Whether something of it is still to be done."""
        return self.state not in ("finished", "failed")


def _receipt(row: Mapping[str, Any]) -> Receipt:
    return Receipt(
        id=row["id"], kind=row["kind"], state=row["state"], verify=bool(row["verify"]),
        counts=json.loads(row["counts"]),
        verification=json.loads(row["verification"]) if row["verification"] else None, note=row["note"],
        waits_for=row["waits_for"],
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), requested_at=row["requested_at"],
        erased_at=row["erased_at"], tried_at=row["tried_at"], finished_at=row["finished_at"],
    )  # fmt: skip


def add(tx: Writer, *, erasure_id: str, kind: ErasureKind, verify: bool, actor: Actor, at: Micros) -> None:
    """Keep that an erasure was asked for."""
    tx.execute(
        """
        INSERT INTO erasure (id, kind, state, verify, actor_kind, actor_id, requested_at)
        VALUES (?, ?, 'waiting', ?, ?, ?, ?)
        """,
        (erasure_id, kind, verify, actor.kind, actor.id, at),
    )


def get(db: Reader, erasure_id: str) -> Receipt:
    """Return a receipt.

    Raises:
        NotFound: there is none of that id.
    """
    row = db.execute("SELECT * FROM erasure WHERE id = ?", (erasure_id,)).fetchone()
    if row is None:
        raise NotFound(f"No erasure {erasure_id!r}.", field="id")
    return _receipt(row)


def listing(db: Reader, *, limit: int, asked_by: Actor | None = None) -> tuple[Receipt, ...]:
    """Return the newest receipts first; of `asked_by` alone, or of whoever asked."""
    rows = db.execute(
        """
        SELECT * FROM erasure WHERE ?1 IS NULL OR (actor_kind, actor_id) = (?1, ?2)
        ORDER BY requested_at DESC, id DESC LIMIT ?3
        """,
        (asked_by.kind if asked_by else None, asked_by.id if asked_by else None, limit),
    ).fetchall()
    return tuple(map(_receipt, rows))


def purging(db: Reader) -> tuple[Receipt, ...]:
    """Return the erasures whose rows are gone and whose files are not clean yet, oldest first."""
    rows = db.execute("SELECT * FROM erasure WHERE state = 'purging' ORDER BY erased_at, id").fetchall()
    return tuple(map(_receipt, rows))


def done(db: Reader) -> int:
    """Return how many erasures have removed their rows."""
    return int(db.execute("SELECT count(*) FROM erasure WHERE erased_at IS NOT NULL").fetchone()[0])


def count(tx: Writer, erasure_id: str, more: Mapping[str, int]) -> None:
    """Add to the counts of a receipt; what is 0 is left out."""
    (text,) = tx.execute("SELECT counts FROM erasure WHERE id = ?", (erasure_id,)).fetchone()
    counts = json.loads(text)
    for name, number in more.items():
        if number:
            counts[name] = counts.get(name, 0) + number
    tx.execute("UPDATE erasure SET counts = ? WHERE id = ?", (json.dumps(counts, sort_keys=True), erasure_id))


def set_erasing(tx: Writer, erasure_id: str) -> None:
    """Mark that rows are being erased."""
    tx.execute("UPDATE erasure SET state = 'erasing' WHERE id = ?", (erasure_id,))


def set_purging(tx: Writer, erasure_id: str, *, at: Micros) -> None:
    """Mark that the rows are gone and the files are next."""
    tx.execute("UPDATE erasure SET state = 'purging', erased_at = ? WHERE id = ?", (at, erasure_id))


def set_failed(tx: Writer, erasure_id: str, *, reason: str, at: Micros) -> None:
    """Mark that the rows could not be erased; it has to be asked for again."""
    tx.execute(
        "UPDATE erasure SET state = 'failed', waits_for = ?, finished_at = ? WHERE id = ?", (reason, at, erasure_id)
    )


def set_waiting_for(tx: Writer, erasure_id: str, *, what: str, at: Micros) -> None:
    """Mark that the files were tried and are not clean yet."""
    tx.execute("UPDATE erasure SET waits_for = ?, tried_at = ? WHERE id = ?", (what, at, erasure_id))


def set_finished(
    tx: Writer, erasure_id: str, *, verification: Mapping[str, Any] | None, note: str | None, at: Micros
) -> None:
    """Mark that nothing is left to be done, or nothing that could be: a note says what."""
    tx.execute(
        """
        UPDATE erasure SET state = 'finished', verification = ?, note = ?, waits_for = NULL, tried_at = ?,
               finished_at = ?
        WHERE id = ?
        """,
        (json.dumps(verification) if verification is not None else None, note, at, at, erasure_id),
    )


def ensure_key(store: Store, tenant: str) -> bytes:
    """Return the key of a tenant's hashes, made at its first erasure and kept in `control.db`."""
    with store.control_write() as tx:
        tx.execute(
            "INSERT OR IGNORE INTO erasure_key (tenant_id, key) VALUES (?, ?)",
            (tenant, secrets.token_bytes(_KEY_BYTES)),
        )
    return key_of(store, tenant)


def key_of(store: Store, tenant: str) -> bytes:
    """Return the key of a tenant's hashes.

    Raises:
        StoreError: there is none although something was erased: `control.db` is older than the tenant's file.
    """
    with store.control_read() as db:
        row = db.execute("SELECT key FROM erasure_key WHERE tenant_id = ?", (tenant,)).fetchone()
    if row is None:
        raise StoreError("The key of this tenant's erasures is gone from control.db; restore a newer copy of it.")
    return bytes(row["key"])


def digest(key: bytes, kind: str, *parts: str | None) -> bytes:
    """Return the keyed hash that stands for an erased thing.

    Args:
        key: the tenant's.
        kind: subject, document, memory, space, conversation or statement.
        *parts: what names it.
    """
    named = json.dumps([kind, *parts], ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hmac.new(key, named, hashlib.sha256).digest()


def bury(tx: Writer, kind: str, hashed: bytes, *, erasure_id: str, at: Micros) -> None:
    """Keep that a thing was erased; the newest erasure of it counts."""
    tx.execute(
        """
        INSERT INTO erased (kind, hash, erasure_id, at) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET erasure_id = excluded.erasure_id, at = excluded.at
        """,
        (kind, hashed, erasure_id, at),
    )


def any_erased(db: Reader, kind: str) -> bool:
    """Tell whether anything of a kind was erased; most tenants never erase, and then no key has to be read."""
    return db.execute("SELECT 1 FROM erased WHERE kind = ? LIMIT 1", (kind,)).fetchone() is not None


def erased_at(store: Store, db: Reader, tenant: str, kind: str, *parts: str | None) -> Micros | None:
    """Return when a thing was erased last; None when it never was.

    Args:
        store: holds the key, which is read only when anything of this kind was erased.
        db: the tenant's file.
        tenant: whose.
        kind: as in `digest`.
        *parts: as in `digest`.
    """
    if not any_erased(db, kind):
        return None
    return _when(db, key_of(store, tenant), kind, parts)


def erased_within(
    store: Store, db: Reader, tenant: str, kind: str, names: Mapping[str, Micros], *parts: str | None
) -> Micros | None:
    """Return when a thing of a space was erased last, under any name that the space had then; None when it never was.

    Args:
        store: as in `erased_at`.
        db: the tenant's file.
        tenant: whose.
        kind: conversation or statement.
        names: of the space, and until when it was called so.
        *parts: what names the thing in the space.
    """
    if not any_erased(db, kind):
        return None
    key = key_of(store, tenant)
    found = ((_when(db, key, kind, (name, *parts)), until) for name, until in names.items())
    return max((at for at, until in found if at is not None and at <= until), default=None)


def _when(db: Reader, key: bytes, kind: str, parts: Sequence[str | None]) -> Micros | None:
    hashed = digest(key, kind, *parts)
    row = db.execute("SELECT at FROM erased WHERE kind = ? AND hash = ?", (kind, hashed)).fetchone()
    return int(row["at"]) if row else None
