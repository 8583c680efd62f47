"""What was sent to be imported lies in a file until the writer has made rows of it: here it is received and checked."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from memory.errors import Erased, InvalidInput, StateConflict, TooLarge
from memory.values import container_tag
from services.exporting import FORMAT
from services.host import Host
from store import chain, erasure, importing
from store.connection import Reader
from store.transfer_lines import Lines, Read
from store.transfer_plan import references

FOLDER = "imports"
# The file of the largest upload, in base64, is the longest line that an export writes.
LINE_BYTES = 128 * 1024 * 1024
PIECE_BYTES = 1024 * 1024
# Ids are looked for in the store so many at a time.
BATCH = 500
# Only with one of these in the raw text can a string hold a NUL or half a surrogate pair, which the store cannot keep.
_ESCAPES = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a file holds."""

    spaces: tuple[str, ...]
    model: Mapping[str, Any] | None  # `model` and `dimension` of its vectors
    lines: int  # the first and the last among them
    place: int  # where the line after the first begins
    counts: Mapping[str, int]  # by kind


def path_of(host: Host, tenant: str, import_id: str) -> Path:
    """Return where the file of an import lies."""
    return Path(host.settings.data_dir) / FOLDER / f"{tenant}.{import_id}.jsonl"


def receive(path: Path, stream: IO[bytes], *, most: int) -> str:
    """Write what is sent to a file, and to the disk.

    Args:
        path: of the file.
        stream: what is sent.
        most: bytes.

    Returns:
        The hex sha256 of it.

    Raises:
        TooLarge: more is sent.
    """
    hashed = hashlib.sha256()
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while piece := stream.read(PIECE_BYTES):
            if file.tell() + len(piece) > most:
                raise TooLarge(f"An import has at most {most} bytes; import one space after the other.", field="body")
            hashed.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return hashed.hexdigest()


def check(
    host: Host, db: Reader, tenant: str, file: IO[bytes], admit: Callable[[Sequence[str], bool], None]
) -> Manifest:
    """Read a file to its end and say what it holds.

    Args:
        host: the adapters.
        db: the store that it is to be imported into.
        tenant: whose.
        file: at its beginning.
        admit: is told its spaces and whether it is of a whole tenant, before anything else is looked at; raises to
            refuse it.

    Raises:
        InvalidInput: it is no export, was cut off or changed, or is of a newer version; the details name the line.
        StateConflict: something of it is in the store already.
        Erased: something of it was erased here.
    """
    return _Checking(host, db, tenant, file).manifest(admit)


def lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield lines with their line feeds.

    Raises:
        InvalidInput: one is longer than any line of an export.
    """
    while raw := file.readline(LINE_BYTES):
        if not raw.endswith(b"\n") and len(raw) == LINE_BYTES:
            raise InvalidInput(f"A line is longer than {LINE_BYTES} bytes.", field="body")
        yield raw


def parse(raw: bytes, number: int) -> dict[str, Any]:
    """Return a line as an object.

    Args:
        raw: UTF-8.
        number: of the line, 1-based, for the message.

    Raises:
        InvalidInput: it is none.
    """
    try:
        line = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
        if not isinstance(line, dict):
            raise InvalidInput(f"Line {number} is not a JSON object.", field="body", line=number)
        if _ESCAPES.search(raw):
            json.dumps(line, ensure_ascii=False).encode("utf-8")
            if b"\\u0000" in raw:
                raise InvalidInput(f"Line {number} holds a NUL character.", field="body", line=number)
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"Line {number} is not valid JSON.", field="body", line=number) from error
    return line


def _no_number(text: str) -> float:
    raise ValueError(text)


class _Checking:
    """One pass over a file."""

    def __init__(self, host: Host, db: Reader, tenant: str, file: IO[bytes]) -> None:
        self._host, self._db, self._tenant = host, db, tenant
        self._lines, self._known = lines(file), Lines(db)
        self._hash, self._counts = hashlib.sha256(), Counter[str]()
        # What lines are called and what they name; none of it may be in the store, or a line would reach into a space
        # that is there already.
        self._ids: dict[str, set[str]] = {table: set() for table in importing.NAMED_BY}
        self._number, self._whole = 0, False
        # Session, next seq and hash of the chain that is being read.
        self._chain: tuple[str, int, bytes] = ("", 0, b"")

    def manifest(self, admit: Callable[[Sequence[str], bool], None]) -> Manifest:
        raw, header = self._next()
        spaces = self._header(header)
        self._whole = bool(header.get("whole"))
        admit(spaces, self._whole)
        self._hash.update(raw)
        place = len(raw)
        raw, line = self._next()
        while line.get("line") != "end":
            self._line(line, spaces)
            self._hash.update(raw)
            raw, line = self._next()
        self._end(line)
        for table in self._ids:
            self._look(table)
        return Manifest(
            spaces=spaces, model=_model(header), lines=self._number, place=place, counts=dict(self._counts)
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
        names = line.get("spaces")
        if not isinstance(names, list) or len(set(map(str, names))) != len(names):
            raise InvalidInput("The header must name the spaces, each once.", field="body", line=1)
        return tuple(container_tag(name, field="body") for name in names)

    def _line(self, line: Mapping[str, Any], spaces: tuple[str, ...]) -> None:
        try:
            read = self._known.read(line)
        except InvalidInput as error:
            raise InvalidInput(f"Line {self._number} {error.message}.", field="body", line=self._number) from error
        named = read.values.get("name") if read.part.name == "space" else read.told.get("space")
        if named is not None and named not in spaces:
            message = f"Line {self._number} is of a space that the header does not name."
            raise InvalidInput(message, field="body", line=self._number)
        if read.part.whole and not self._whole:
            message = f"Line {self._number} is of a whole tenant, and the header says that this is of some spaces."
            raise InvalidInput(message, field="body", line=self._number)
        self._counts[read.part.name] += 1
        if read.part.name == "episode":
            self._require_chained(read.values)
        self._require_not_erased(read)
        if read.part.table in self._ids:
            self._name(read.part.table, str(read.values[importing.NAMED_BY[read.part.table]]))
        for table, named in references(read.part, read.values):
            self._name(table, named)
        if "candidate" in read.told:
            self._name("candidate", str(read.told["candidate"]))

    def _name(self, table: str, one: str) -> None:
        self._ids[table].add(one)
        if len(self._ids[table]) >= BATCH:
            self._look(table)

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
        if there:
            message = f"The {table} {there[0]} is here already; an import keeps ids, so import into an empty tenant."
            raise StateConflict(message, id=there[0])

    def _require_not_erased(self, read: Read) -> None:
        names: Mapping[str, tuple[Any, ...]] = {
            "document": ("document", read.values.get("id")),
            "memory": ("memory", read.values.get("root_id")),
            "session": ("conversation", read.told.get("space"), read.values.get("conversation_id")),
        }
        if read.part.name not in names:
            return
        kind, *parts = names[read.part.name]
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
