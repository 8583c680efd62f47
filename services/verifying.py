"""Proves an erasure: no file of ours holds a byte sequence of an erased text that no remaining row says."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memory.fragments import found_in, needles, unpacked
from services.host import Host
from store import wording
from store.connection import Reader
from store.erasure import Receipt
from store.erasure_plan import text_columns

# Read at a time; a piece is far shorter than the overlap.
_BLOCK = 4 * 1024**2
_OVERLAP = 1024
LOST = "The erasure went on in another process, which did not know the texts; ask for it again with the same target."


def verify(host: Host, tenant: str, receipt: Receipt) -> Mapping[str, Any] | None:
    """Compare every file of the data folder with the texts that an erasure has taken away.

    Files of other tenants are left out: they may say the same. The pieces of text are forgotten afterwards.

    Args:
        host: holds the pieces; the store's files must have been compacted.
        tenant: whose erasure.
        receipt: of the erasure.

    Returns:
        None when nobody asked for it; else `looked_for` (pieces), `files`, `bytes`, `found` (pieces that were left
        behind) with `places` (names of files), and `still_said` (pieces that remaining rows say). Without pieces it is
        `not_possible`, and why.
    """
    if not receipt.verify:
        return None
    pieces = host.erased_texts.pop(receipt.id, None)
    if pieces is None:
        return {"not_possible": LOST}
    sought = needles(pieces)
    folder = Path(host.settings.data_dir)
    try:
        seen, scanned = _scanned(folder, tenant, sought)
    except OSError as error:
        return {"not_possible": f"A file of the data folder cannot be read: {error.strerror}."}
    with host.store.read(tenant) as db:
        said = still_said(db, list(seen))
    left = {one: places for one, places in seen.items() if one not in said}
    return {
        "looked_for": len(sought), **scanned, "found": len(left), "still_said": len(said),
        "places": sorted({place for places in left.values() for place in places}),
    }  # fmt: skip


def _scanned(folder: Path, tenant: str, sought: Sequence[bytes]) -> tuple[dict[bytes, set[str]], dict[str, int]]:
    """Return in which files each piece is, and how much was looked through."""
    seen: dict[bytes, set[str]] = {}
    scanned = {"files": 0, "bytes": 0}
    for path in files(folder, tenant):
        scanned["files"] += 1
        for block in _blocks(path):
            scanned["bytes"] += len(block)
            for one in found_in(block, sought) | found_in(unpacked(block), sought):
                seen.setdefault(one, set()).add(str(path.relative_to(folder)))
    return seen, scanned


def files(data_dir: Path, tenant: str) -> Iterator[Path]:
    """Yield the files of a data folder but those of other tenants, sockets and locks left out.

    Args:
        data_dir: the data folder.
        tenant: whose files are wanted.
    """
    for folder, _, names in sorted(os.walk(data_dir)):
        for name in sorted(names):
            path = Path(folder) / name
            owner = name.partition(".")[0]
            if path.parent.name in ("tenants", "backups") and owner not in (tenant, "control"):
                continue
            try:
                regular = stat.S_ISREG(path.stat().st_mode)
            except FileNotFoundError:
                continue  # the broker removes the files that it has replaced
            if regular:
                yield path


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks that overlap."""
    tail = b""
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield tail + block
                tail = block[-_OVERLAP:]
    except FileNotFoundError:
        return


def still_said(db: Reader, pieces: Sequence[bytes]) -> set[bytes]:
    """Return those pieces that some row says in a column that may hold text.

    A memory whose words no source says is no witness: it would vouch for what should have gone with its source.

    Args:
        db: the tenant's file.
        pieces: UTF-8 or JSON-escaped.
    """
    left = set(pieces)
    unsaid = wording.unsaid(db) if pieces else []
    skipped = {"memory": [one["id"] for one in unsaid], "search_row": [one["row_id"] for one in unsaid]}
    for table, columns in text_columns(db).items():
        for block in _said(db, table, columns, skipped.get(table, ())):
            if not left:
                break
            left -= found_in(block, list(left))
    return set(pieces) - left


def _said(db: Reader, table: str, columns: Sequence[str], skipped: Sequence[object]) -> Iterator[bytes]:
    """Yield the values of some columns, many rows at a time; no piece has a line break in it."""
    named = f" WHERE id NOT IN (SELECT value FROM json_each('{json.dumps(skipped)}'))" if skipped else ""
    values: list[bytes] = []
    size = 0
    for row in db.execute(f"SELECT {', '.join(columns)} FROM {table}{named}"):
        values += map(_bytes, row)
        size += sum(map(len, values[-len(columns) :]))
        if size >= _BLOCK:
            yield b"\n".join(values)
            values, size = [], 0
    yield b"\n".join(values)


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
