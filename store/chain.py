"""The hash chain of the ledger: each entry is tied to the one before it, so that nothing can be changed or left out.

An entry has two hashes. The text hash is salted and covers what was said: name, content, time and metadata. The chain
hash covers the chain hash before it, the text hash, and what an erasure leaves: session, seq, id, kind, role and the
time of recording. An erasure takes words and salt and keeps both hashes: the chain stays whole, and nobody can guess
the words from the hash.

Entries of earlier versions have a text hash of 32 bytes that covers less; a newer one begins with `MARK`, and the chain
hash covers that too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory.records import Micros
from store.connection import Reader

# Before the text hash of an entry whose hashes cover every field.
MARK = b"\x02"
DIGEST_BYTES = hashlib.sha256().digest_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What an erasure takes of an entry."""

    name: str | None
    content: str
    occurred_at: Micros | None
    zone: str | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What stays of an entry when its words are erased."""

    session_id: str
    seq: int  # 0-based
    id: str  # ep_...
    kind: str
    role: str
    recorded_at: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A place where a chain does not hold."""

    session_id: str
    seq: int
    reason: str


def text_hash(salt: bytes, words: Words) -> bytes:
    """Return the salted hash of what was said.

    Args:
        salt: 16 random bytes of the entry's own.
        words: its erasable part; metadata counts by its values, not by the order of its names.
    """
    said = [words.name, words.content, words.occurred_at, words.zone, words.metadata]
    return MARK + hashlib.sha256(salt + _canonical(said)).digest()


def chain_hash(previous: bytes, place: Place, text: bytes) -> bytes:
    """Return the hash that ties an entry to the one before it.

    Args:
        previous: chain hash of the entry before; empty for the first.
        place: what an erasure leaves of the entry.
        text: its text hash.
    """
    stays = [place.session_id, place.seq, place.id, place.kind, place.role, place.recorded_at]
    return hashlib.sha256(previous + text + _canonical(stays)).digest()


def _canonical(value: Any) -> bytes:
    spelled = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return spelled.encode("utf-8", "surrogatepass")


def breaks(db: Reader, session_id: str | None = None) -> Iterator[Break]:
    """Yield every place where a chain does not hold, or from which entries are missing.

    Args:
        db: the store; rows are read one by one, whatever there is of them.
        session_id: of one session; None: of all.
    """
    yield from _linked(db, session_id)
    yield from _cut(db, session_id)


def _linked(db: Reader, session_id: str | None) -> Iterator[Break]:
    rows = db.execute(
        "SELECT * FROM episode WHERE ? IS NULL OR session_id = ? ORDER BY session_id, seq", (session_id, session_id)
    )
    session, expected, previous = "", 0, b""
    for row in rows:
        if row["session_id"] != session:
            session, expected, previous = row["session_id"], 0, b""
        if row["seq"] != expected:
            missing = "entry" if row["seq"] == expected + 1 else f"entry, up to seq {row['seq'] - 1},"
            yield Break(session_id=session, seq=expected, reason=f"the {missing} is missing")
        else:
            reason = wrong(row, previous)
            if reason is not None:
                yield Break(session_id=session, seq=expected, reason=reason)
        expected, previous = row["seq"] + 1, bytes(row["chain_hash"])


def _cut(db: Reader, session_id: str | None) -> Iterator[Break]:
    """Yield the sessions of which the newest entries are missing: the watermark says how many there were."""
    rows = db.execute(
        """
        SELECT id, watermark, (SELECT count(*) FROM episode WHERE session_id = session.id) AS kept FROM session
        WHERE (? IS NULL OR id = ?) AND watermark > kept ORDER BY id
        """,
        (session_id, session_id),
    )
    for row in rows:
        reason = f"{row['watermark']} entries were appended and {row['kept']} are there"
        yield Break(session_id=row["id"], seq=row["kept"], reason=reason)


def wrong(row: Mapping[str, Any], previous: bytes) -> str | None:
    """Say what is wrong with an entry.

    Args:
        row: its columns, as they are kept.
        previous: the chain hash of the entry before; empty for the first.

    Returns:
        A reason; None when it follows from the entry before.
    """
    text, salt = bytes(row["text_hash"]), bytes(row["salt"])
    # Of an erased entry, which has no salt any more, the hash was kept.
    if salt and text != _text_hash(row, salt, text):
        return "what it says is not what was appended"
    if bytes(row["chain_hash"]) != _chain_hash(row, previous, text):
        return "its hash does not follow from the entry before"
    return None


def _text_hash(row: Mapping[str, Any], salt: bytes, kept: bytes) -> bytes:
    if len(kept) == DIGEST_BYTES:
        said = json.dumps([row["role"], row["name"], row["content"]], ensure_ascii=False)
        return hashlib.sha256(salt + said.encode("utf-8", "surrogatepass")).digest()
    words = Words(
        name=row["name"], content=row["content"], occurred_at=row["occurred_at"], zone=row["zone"],
        metadata=json.loads(row["metadata"]),
    )  # fmt: skip
    return text_hash(salt, words)


def _chain_hash(row: Mapping[str, Any], previous: bytes, text: bytes) -> bytes:
    if len(text) == DIGEST_BYTES:
        return hashlib.sha256(previous + row["seq"].to_bytes(8, "big") + text).digest()
    place = Place(
        session_id=row["session_id"], seq=row["seq"], id=row["id"], kind=row["kind"], role=row["role"],
        recorded_at=row["recorded_at"],
    )  # fmt: skip
    return chain_hash(previous, place, text)
