"""Reads the lines of an export back: what a line may hold, by the columns of this file's tables.

Trust boundary: a line is a stranger's. Names, types and references are checked here, before anything is written; what
only the tables themselves can tell, such as a reference to nothing, is refused when it is inserted.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import InvalidInput
from store import transfer_rules
from store.connection import Reader
from store.transfer_plan import BUCKET, CANDIDATE, LAST_ROW, PARTS, ROW, SPACE, Part
from store.transfer_shapes import SHAPES

# What stands for a column that another file numbers otherwise.
_STANDS_FOR = {SPACE: "space", ROW: "row", CANDIDATE: "candidate", BUCKET: "bucket"}
_WINDOW = "validity"
# What SQLite keeps as an integer.
_WHOLE = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a table."""

    type: str  # INTEGER, REAL, TEXT or BLOB
    required: bool  # NOT NULL and without a default


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A line that was checked."""

    part: Part
    values: Mapping[str, Any]  # by column, as they are kept
    told: Mapping[str, Any]  # what stands for columns: space, row, candidate, bucket
    windows: tuple[Mapping[str, Any], ...] = ()  # of a search row
    vector: bytes | None = None  # of a search row


class Lines:
    """Knows the tables of one file."""

    def __init__(self, db: Reader) -> None:
        """Read which columns there are.

        Args:
            db: the store that is imported into.
        """
        self._parts = {part.name: part for part in PARTS}
        self._columns = {part.table: _columns(db, part.table) for part in PARTS}
        self._columns[_WINDOW] = _columns(db, _WINDOW)

    def read(self, line: Mapping[str, Any]) -> Read:
        """Check a line.

        Args:
            line: an object of an export, neither its first nor its last.

        Raises:
            InvalidInput: it cannot be one; the sentence says why.
        """
        name = line.get("line")
        part = self._parts.get(name) if isinstance(name, str) else None
        if part is None:
            raise InvalidInput("is of no kind that this version knows", field="line")
        columns = {one: kind for one, kind in self._columns[part.table].items() if one not in part.left_out}
        told = _told(part, columns, line)
        extra = {"line", *told, *part.passed_over} | ({"windows", "vector"} if part.name == "row" else set())
        sent = {one: value for one, value in line.items() if one not in extra}
        values = _values(part.table, columns, sent, part.json)
        if part.name != "row":
            return Read(part=part, values=values, told=told)
        windows = line.get("windows")
        if not isinstance(windows, list) or not all(isinstance(one, Mapping) for one in windows):
            raise InvalidInput("`windows` must be a list of objects", field="windows")
        kinds = {one: kind for one, kind in self._columns[_WINDOW].items() if one not in ("id", ROW)}
        checked = tuple(_window({**kinds, **_OPEN_ENDS}, one, number) for number, one in enumerate(windows))
        vector = _bytes("vector", line["vector"]) if line.get("vector") is not None else None
        return Read(part=part, values=values, told=told, windows=checked, vector=vector)


def _window(columns: Mapping[str, Column], sent: Mapping[str, Any], number: int) -> dict[str, Any]:
    try:
        return _values(_WINDOW, columns, sent, frozenset())
    except InvalidInput as error:
        raise InvalidInput(error.message, field=f"windows.{number}.{error.details['field']}") from error


_OPEN_ENDS = {name: Column(type="INTEGER", required=False) for name in ("valid_from", "valid_to")}


def _columns(db: Reader, table: str) -> dict[str, Column]:
    rows = db.execute('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', (table,)).fetchall()
    return {
        row["name"]: Column(
            type=row["type"].upper(), required=bool(row["notnull"] or row["pk"]) and row["dflt_value"] is None
        )
        for row in rows
    }


def _told(part: Part, columns: Mapping[str, Column], line: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands for the columns that every file numbers for itself."""
    wanted = {_STANDS_FOR[name]: kind.required for name, kind in columns.items() if name in _STANDS_FOR}
    wanted |= {_STANDS_FOR.get(name, name): True for name in (*part.added, *part.stands_alone)}
    told: dict[str, Any] = {}
    for name, required in wanted.items():
        value = line.get(name)
        if value is None:
            if required:
                raise InvalidInput(f"lacks `{name}`", field=name)
            continue
        if not (_is_number(value) if name == "row" else isinstance(value, str)):
            raise InvalidInput(f"`{name}` is not of its kind", field=name)
        told[name] = value
    return told


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 < value <= LAST_ROW


def _values(
    table: str, columns: Mapping[str, Column], sent: Mapping[str, Any], as_json: frozenset[str]
) -> dict[str, Any]:
    unknown = next((name for name in sent if name not in columns or name in _STANDS_FOR), None)
    if unknown is not None:
        raise InvalidInput(f"`{unknown[:100]}` is not known here; a newer version may have written it", field="line")
    values = {}
    for name, column in columns.items():
        value = sent.get(name)
        if value is None:
            if column.required and name not in _STANDS_FOR:
                raise InvalidInput(f"lacks `{name}`", field=name)
            continue
        kept = value if name in as_json else _value(name, column, value)
        if not SHAPES[table][name].fits(kept):
            raise InvalidInput(f"needs {SHAPES[table][name].what} in `{name}`", field=name)
        values[name] = json.dumps(kept) if name in as_json else kept
    wrong = transfer_rules.broken(table, values)
    if wrong is not None:
        raise InvalidInput(wrong[1], field=wrong[0])
    return values


def _value(name: str, column: Column, value: Any) -> Any:
    if column.type == "BLOB":
        return _bytes(name, value)
    fits = {
        "INTEGER": type(value) is int and value in _WHOLE,
        "REAL": type(value) in (int, float),
        "TEXT": isinstance(value, str),
    }
    if not fits.get(column.type, False):
        raise InvalidInput(f"`{name}` is not of its kind", field=name)
    return value


def _bytes(name: str, value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise InvalidInput(f"`{name}` is not base64", field=name) from error
