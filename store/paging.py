"""Pages of a listing: by cursor (stable while rows are added) or by page number."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from memory.errors import InvalidInput
from memory.records import Page
from store.connection import Reader

Row = TypeVar("Row")


# What SQLite keeps as an integer.
WHOLE = range(-(2**63), 2**63)


def encode_cursor(column: str, value: int, key: str) -> str:
    """Return an opaque cursor that names the last row of a page and what the listing is sorted by."""
    return base64.urlsafe_b64encode(json.dumps([column, value, key]).encode()).decode().rstrip("=")


def decode_cursor(column: str, cursor: str) -> tuple[int, str]:
    """Read a cursor of a listing that is sorted by `column`.

    Raises:
        InvalidInput: it is not one of ours, or that of another listing.
    """
    try:
        of, value, key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise InvalidInput("The cursor is not one this server gave out.", field="cursor") from error
    if of != column or type(value) is not int or value not in WHOLE or type(key) is not str or not key.isascii():
        raise InvalidInput("The cursor is not one this server gave out for this listing.", field="cursor")
    return value, key


def keyset(
    db: Reader,
    select: str,
    table: str,
    where: Sequence[str],
    arguments: Sequence[Any],
    *,
    column: str,
    key: str,
    order: str,
    limit: int,
    page: int | None = None,
    cursor: str | None = None,
    make: Callable[[Mapping[str, Any]], Row],
) -> Page[Row]:
    """Run a listing ordered by (column, key).

    Args:
        db: the store.
        select: the SELECT ... FROM part.
        table: the table that is counted.
        where: conditions joined by AND.
        arguments: their values.
        column: the integer column to sort by.
        key: the unique column that breaks ties.
        order: asc or desc.
        limit: rows a page.
        page: 1-based page number; ignored with a cursor.
        cursor: from the page before.
        make: turns a row into a record.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    conditions = " AND ".join(where)
    (total,) = db.execute(f"SELECT count(*) FROM {table} WHERE {conditions}", tuple(arguments)).fetchone()
    direction, comparison = ("ASC", ">") if order == "asc" else ("DESC", "<")
    offset = 0 if cursor else ((page or 1) - 1) * limit
    values = list(arguments)
    if cursor:
        conditions += f" AND ({column}, {key}) {comparison} (?, ?)"
        values += decode_cursor(column, cursor)
    rows = db.execute(
        f"{select} WHERE {conditions} ORDER BY {column} {direction}, {key} {direction} LIMIT ? OFFSET ?",
        (*values, limit + 1, offset),
    ).fetchall()
    shown = rows[:limit]
    more = len(rows) > limit
    bare = (column.split(".")[-1], key.split(".")[-1])
    after = encode_cursor(column, shown[-1][bare[0]], str(shown[-1][bare[1]])) if more else None
    return Page(rows=tuple(make(row) for row in shown), total=total, limit=limit, next_cursor=after)
