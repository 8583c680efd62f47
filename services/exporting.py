"""Export: a tenant, or some of its spaces, as JSON lines that another file can be made of.

The first line says what follows and by which version it was written, the last one how many lines there were and their
hash, so that what was cut off is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from memory.errors import StateConflict, TooLarge
from memory.records import Scope
from memory.temporal import to_iso
from services.host import Host
from store import exporting, merges, spaces
from store.connection import Reader

FORMAT = 1
# What the disk keeps for everybody else; an export must not be what fills it.
LEAST_FREE_BYTES = 256 * 1024 * 1024
# JSON lets these stand in a text, and many who read lines take them for the end of one.
_ENDS_OF_LINES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "\x85\u2028\u2029"}
# How often it is looked.
_LOOK_AFTER_LINES = 5_000


def write(scope: Scope, host: Host, keep: Callable[[bytes], Any], *, vectors: bool, whole: bool) -> Mapping[str, int]:
    """Write an export, line by line, from one snapshot of the store.

    Args:
        scope: whose; of a user or agent only what is theirs or nobody's.
        host: the adapters.
        keep: is handed each line, with its line feed.
        vectors: whether search rows have their vectors with them; else an import makes them anew.
        whole: whether what belongs to the tenant and to no space is told too.

    Returns:
        How many lines there are, by kind.

    Raises:
        TooLarge: the disk has no room for it.
        StateConflict: spaces of it are being merged.
    """
    hashed, counts = hashlib.sha256(), Counter[str]()

    def put(line: Mapping[str, Any]) -> None:
        raw = json.dumps(line, ensure_ascii=False, separators=(",", ":")).translate(_ENDS_OF_LINES).encode() + b"\n"
        hashed.update(raw)
        keep(raw)

    with host.store.read(scope.tenant) as db:
        _require_not_merged(scope, db)
        put(_header(scope, host, db, vectors=vectors, whole=whole))
        for number, line in enumerate(exporting.lines(scope, db, vectors=vectors, whole=whole)):
            if number % _LOOK_AFTER_LINES == 0 and host.store.free_bytes() < LEAST_FREE_BYTES:
                raise TooLarge("The server's disk has no room for this export.", field="container_tags")
            counts[line["line"]] += 1
            put(line)
    put({"line": "end", "lines": counts.total(), "counts": dict(counts), "sha256": hashed.hexdigest()})
    return dict(counts)


def _require_not_merged(scope: Scope, db: Reader) -> None:
    """Refuse what is between two spaces: what a row rests on is still in the one or in the other already."""
    merge = merges.under_way(db, list(spaces.find(scope, db).values()))
    if merge is not None:
        raise StateConflict("These spaces are being merged; export them when that has ended.", id=merge)


def _header(scope: Scope, host: Host, db: Reader, *, vectors: bool, whole: bool) -> dict[str, Any]:
    return {
        "line": "header", "format": FORMAT, "exported_at": to_iso(host.clock()),
        "spaces": sorted(spaces.find(scope, db)), "whole": whole, "vectors": vectors, "embedding": exporting.model(db),
        "open_jobs": exporting.open_jobs(scope, db),
    }  # fmt: skip
