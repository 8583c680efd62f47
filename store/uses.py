"""When keys and members were last used, in control.db."""

from __future__ import annotations

from collections.abc import Mapping

from memory.records import Micros
from store.connection import Writer

# By the prefix of an id: whose table it is.
TABLES: Mapping[str, str] = {"key": "api_key", "adm": "admin_key", "mbr": "member"}


def mark(tx: Writer, used: Mapping[str, Micros]) -> None:
    """Keep when each was last used; an older time than the known one changes nothing.

    Args:
        tx: of control.db.
        used: by id of a key, an admin key or a member.
    """
    for name, at in used.items():
        table = TABLES[name.partition("_")[0]]
        tx.execute(f"UPDATE {table} SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?", (at, name))
