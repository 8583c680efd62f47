"""What a line is called and what it names: everything that has to be in the same file, and of the same space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from store.transfer_lines import Read
from store.transfer_plan import NAMED_BY, NUMBERED, Part, refers

REVISION = "revision"
# What was asked for directly was done by a request and not by a job; requests do not travel.
_REQUEST = "req_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What one field of a line names."""

    field: str  # of the line
    kind: str  # table of what it names
    name: str
    ahead: bool = False  # whether a later line may tell of it


def own_name(read: Read) -> tuple[str, str] | None:
    """Return by which kind and name other lines refer to a line; None when none does."""
    part, values, told = read.part, read.values, read.told
    if part.name == "row":
        return f"{values['kind']} row", _in_space(told["row"], told["space"])
    if part.name == "bucket":
        return "bucket", _in_space(values["key"], told["space"])
    if part.table == REVISION:
        return REVISION, _revision(values["document_id"], values["revision"])
    column = NAMED_BY.get(part.table)
    return None if column is None else (part.table, str(values[column]))


def references(read: Read) -> Iterator[Reference]:
    """Yield what a line names beside its own space."""
    part, values, told = read.part, read.values, read.told
    ahead = part.table == "job"
    for column, kind in refers(part).items():
        if _is_row(kind, values.get(column)):
            yield Reference(field=column, kind=kind, name=values[column], ahead=ahead)
    for column in NUMBERED.get(part.table, ()):
        document = values.get("id" if part.table == "document" else "document_id")
        if document and values.get(column) is not None:
            name = _revision(document, values[column])
            yield Reference(field=column, kind=REVISION, name=name, ahead=part.table in ("job", "document"))
    if "row" in told and part.name != "row":
        yield Reference(field="row", kind=f"{part.name} row", name=_in_space(told["row"], told["space"]))
    if "candidate" in told:
        yield Reference(field="candidate", kind="candidate", name=told["candidate"])
    if "bucket" in told:
        yield Reference(field="bucket", kind="bucket", name=_in_space(told["bucket"], told["space"]))
    for number, window in enumerate(read.windows):
        if _is_row("job", window.get("job_id")):
            yield Reference(field=f"windows.{number}.job_id", kind="job", name=window["job_id"])


def names_itself(part: Part, reference: Reference) -> bool:
    """Tell whether a reference may be to the line that it stands in: the first version of a memory is its own root."""
    return part.table == "memory" and reference.field == "root_id"


def _is_row(kind: str, name: str | None) -> bool:
    # The empty id is that of no job.
    return bool(name) and not (kind == "job" and str(name).startswith(_REQUEST))


def _in_space(name: str | int, space: str) -> str:
    # No name of a space begins with a control character.
    return f"{name}\x00{space}"


def _revision(document: str, number: int) -> str:
    return f"{document}\x00{number}"
