"""Checks an export from its first line to its last before it is accepted: one pass, in bounded memory.

Trust boundary: every line is a stranger's. What a line names has to be in the same file and of the same space, so no
line reaches into what is in the store already; what the file itself tells of must not be there yet.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from memory.errors import Erased, InvalidInput, StateConflict
from memory.values import container_tag
from services.exporting import FORMAT
from services.host import Host
from services.staged_imports import lines, parse
from store import chain, erasure, importing, transfer_rules, vectors
from store.connection import Reader
from store.transfer_lines import Lines, Read
from store.transfer_names import Names, names
from store.transfer_references import Reference, names_itself, own_name, references

# Ids are looked for in the store so many at a time.
BATCH = 500
# They are made and named in one transaction each.
MOST_SPACES = 1_000
# The number of the space of what belongs to the tenant itself.
_TENANT = -1
# A calibration is the tenant's: the export of a space names it without telling of it.
_OF_TENANT = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a file holds."""

    spaces: tuple[str, ...]
    model: Mapping[str, Any] | None  # `model` and `dimension` of its vectors
    lines: int  # the first and the last among them
    place: int  # where the line after the first begins
    counts: Mapping[str, int]  # by kind


def check(
    host: Host,
    db: Reader,
    tenant: str,
    path: Path,
    admit: Callable[[Sequence[str], bool], None],
    *,
    tell: bool,
) -> Manifest:
    """Read a file to its end and say what it holds.

    In memory are a line, 8 MiB of the names of the file, and some batches of ids; the other names are on the disk
    beside the file, about 70 bytes for each line, until it is checked.

    Args:
        host: the adapters.
        db: the store that it is to be imported into.
        tenant: whose.
        path: of the file.
        admit: is told its spaces and whether it is of a whole tenant, before anything else is looked at; raises to
            refuse it.
        tell: whether a refusal may name what is in the store already, in whichever space.

    Raises:
        InvalidInput: it is no export, was cut off or changed, names what it does not tell of, or is of a newer
            version; the details name the line and the field.
        StateConflict: something of it is in the store already.
        Erased: something of it was erased here.
        StoreError: the disk is full.
    """
    with path.open("rb") as file, names(path.with_suffix(".names")) as known:
        return _Checking(host, db, tenant, file, known, tell=tell).manifest(admit)


class _Checking:
    """One pass over a file."""

    def __init__(self, host: Host, db: Reader, tenant: str, file: IO[bytes], known: Names, *, tell: bool) -> None:
        self._host, self._db, self._tenant, self._tell = host, db, tenant, tell
        self._lines, self._tables, self._names = lines(file), Lines(db), known
        self._hash, self._counts = hashlib.sha256(), Counter[str]()
        self._ids: dict[str, set[str]] = {table: set() for table in importing.LOOKED_FOR}  # not looked for yet
        self._number, self._whole, self._dimension = 0, False, 0
        self._spaces: dict[str, int] = {}
        # Session, next seq and hash of the chain that is being read.
        self._chain: tuple[str, int, bytes] = ("", 0, b"")

    def manifest(self, admit: Callable[[Sequence[str], bool], None]) -> Manifest:
        raw, header = self._next()
        spaces = self._header(header)
        self._spaces = {name: number for number, name in enumerate(spaces)}
        self._whole = bool(header.get("whole"))
        model = _model(header)
        self._dimension = model["dimension"] if model else 0
        admit(spaces, self._whole)
        self._hash.update(raw)
        place = len(raw)
        raw, line = self._next()
        while line.get("line") != "end":
            self._line(line)
            self._hash.update(raw)
            raw, line = self._next()
        self._end(line)
        self._require_all_told()
        for table in self._ids:
            self._look(table)
        return Manifest(
            spaces=spaces, model=model, lines=self._number, place=place, counts=dict(self._counts)
        )  # fmt: skip

    def _next(self) -> tuple[bytes, dict[str, Any]]:
        raw = next(self._lines, None)
        if raw is None:
            message = "This is no export." if self._number == 0 else "The export was cut off: its last line is missing."
            raise InvalidInput(message, field="body", line=self._number)
        self._number += 1
        return raw, parse(raw, self._number)

    def _header(self, line: Mapping[str, Any]) -> tuple[str, ...]:
        if line.get("line") != "header" or type(line.get("format")) is not int:
            raise InvalidInput("This is no export of Memlane: its first line is no header.", field="body", line=1)
        if line["format"] != FORMAT:
            message = f"This export has format {line['format']}; this version reads format {FORMAT}."
            raise InvalidInput(message, field="body", line=1)
        told = line.get("spaces")
        if not isinstance(told, list) or len(set(map(str, told))) != len(told):
            raise InvalidInput("The header must name the spaces, each once.", field="body", line=1)
        if len(told) > MOST_SPACES:
            message = f"The header names {len(told):,} spaces; an import takes {MOST_SPACES:,} at once."
            raise InvalidInput(message, field="spaces", line=1, hint="Export some of the spaces at a time.")
        try:
            return tuple(container_tag(name, field="spaces") for name in told)
        except InvalidInput as error:
            raise InvalidInput(error.message, **{**error.details, "line": 1}) from error

    def _line(self, line: Mapping[str, Any]) -> None:
        try:
            read = self._tables.read(line)
        except InvalidInput as error:
            raise self._refusal(error.message, field=str(error.details.get("field", "body"))) from error
        if read.part.whole and not self._whole:
            raise self._refusal("is of a whole tenant, and the header says that this is of some spaces", field="line")
        self._counts[read.part.name] += 1
        space = self._require_told(read)
        self._keep_name(read, space)
        self._require_once(read, space)
        self._require_vector(read)
        if read.part.name == "episode":
            self._require_chained(read.values)
        self._require_not_erased(read)

    def _refusal(self, why: str, *, field: str) -> InvalidInput:
        return InvalidInput(f"Line {self._number} {why}.", field=field, line=self._number)

    def _own_space(self, read: Read) -> int | None:
        """Return the number of the space that a line says it is of; None when it says none."""
        if read.part.whole and read.part.name != "relabelling":
            return _TENANT
        field = "name" if read.part.name == "space" else "space"
        named = read.values.get("name") if read.part.name == "space" else read.told.get("space")
        if named is None:
            return None
        if named not in self._spaces:
            raise self._refusal("is of a space that the header does not name", field=field)
        return self._spaces[named]

    def _require_told(self, read: Read) -> int:
        """Refuse a line that names what this file does not tell of, or what is of another space; returns its space."""
        space, own = self._own_space(read), own_name(read)
        for one in references(read):
            if one.kind == _OF_TENANT and not self._whole:
                continue
            if (one.kind, one.name) == own and names_itself(read.part, one):
                continue
            found = self._names.space_of(one.kind, one.name)
            if found is None:
                self._expect(one, space)
            elif space is None:
                space = found if found != _TENANT else None
            elif found not in (space, _TENANT):
                raise self._refusal(f"names a {one.kind} of another space in `{one.field}`", field=one.field)
        if space is None:
            raise self._refusal("is of no space", field="line")
        return space

    def _expect(self, one: Reference, space: int | None) -> None:
        if not one.ahead or space is None:
            raise self._refusal(f"names a {one.kind} in `{one.field}` that no line before it tells of", field=one.field)
        self._names.expect(one.kind, one.name, space, line=self._number, field=one.field)

    def _require_all_told(self) -> None:
        missing = self._names.missing()
        if missing is not None:
            what = "of another space" if missing.elsewhere else "that no line tells of"
            message = f"Line {missing.line} names a {missing.kind} {what} in `{missing.field}`."
            raise InvalidInput(message, field=missing.field, line=missing.line)

    def _keep_name(self, read: Read, space: int) -> None:
        own = own_name(read)
        if own is None:
            return
        kind, name = own
        if not self._names.add(kind, name, space):
            raise self._refusal(f"tells of a {kind} that a line before it has told of", field="line")
        if kind in self._ids:
            self._ids[kind].add(name)
            if len(self._ids[kind]) >= BATCH:
                self._look(kind)

    def _require_once(self, read: Read, space: int) -> None:
        """Refuse what its table would refuse, because a line before has said it."""
        for field, said in transfer_rules.once(read.part.table, read.values, read.told):
            if not self._names.add("once", said, space):
                raise self._refusal(f"has a `{field}` that a line before it has", field=field)

    def _require_vector(self, read: Read) -> None:
        data = read.vector if read.vector is not None else read.values.get("vector")
        wrong = vectors.strange(data, self._dimension) if data is not None and self._dimension else None
        if wrong is not None:
            raise self._refusal(f"has a vector that cannot be compared: {wrong.rstrip('.')}", field="vector")

    def _require_chained(self, values: Mapping[str, Any]) -> None:
        """Refuse an entry of the ledger that does not follow from the line before."""
        row = {**dict.fromkeys(("name", "occurred_at", "zone")), "metadata": "{}", **values}
        session, seq, previous = self._chain
        if row["session_id"] != session:
            session, seq, previous = row["session_id"], 0, b""
        reason = "an entry before it is missing" if row["seq"] != seq else chain.wrong(row, previous)
        if reason is not None:
            message = f"Line {self._number}: the ledger of session {session} is broken at seq {seq}: {reason}."
            raise InvalidInput(message, field="body", line=self._number)
        self._chain = session, seq + 1, row["chain_hash"]

    def _look(self, table: str) -> None:
        there = importing.known(self._db, table, list(self._ids[table]))
        self._ids[table].clear()
        if not there:
            return
        if not self._tell:
            raise StateConflict(
                "Something of this export is here already; an import keeps ids, so import into an empty tenant."
            )
        message = f"The {table} {there[0]} is here already; an import keeps ids, so import into an empty tenant."
        raise StateConflict(message, id=there[0])

    def _require_not_erased(self, read: Read) -> None:
        told: Mapping[str, tuple[Any, ...]] = {
            "document": ("document", read.values.get("id")),
            "memory": ("memory", read.values.get("root_id")),
            "session": ("conversation", read.told.get("space"), read.values.get("conversation_id")),
        }
        if read.part.name not in told:
            return
        kind, *parts = told[read.part.name]
        if None in parts:
            return
        if erasure.erased_at(self._host.store, self._db, self._tenant, kind, *parts) is not None:
            raise Erased(
                f"The {read.part.name} of line {self._number} was erased here.", field="body", line=self._number
            )

    def _end(self, line: Mapping[str, Any]) -> None:
        if line.get("sha256") != self._hash.hexdigest() or line.get("counts") != dict(self._counts):
            message = "The export was changed or damaged: its lines are not those that its last line tells of."
            raise InvalidInput(message, field="body", line=self._number)
        if next(self._lines, None) is not None:
            raise InvalidInput("Something follows the last line of the export.", field="body", line=self._number + 1)


def _model(header: Mapping[str, Any]) -> Mapping[str, Any] | None:
    told = header.get("embedding")
    if told is None:
        return None
    fits = isinstance(told, Mapping) and isinstance(told.get("model"), str) and type(told.get("dimension")) is int
    if not fits or not 0 < told["dimension"] <= 65_536:
        raise InvalidInput("The header does not say which model made the vectors.", field="body", line=1)
    return {"model": told["model"], "dimension": told["dimension"]}
