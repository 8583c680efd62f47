"""The text of a revision that was sent as a file or a page: fetched and read when the document is prepared."""

from __future__ import annotations

from dataclasses import dataclass

from memory.errors import InvalidInput
from memory.records import Micros
from memory.settings import Settings
from memory.temporal import parse_instant
from services.host import Host
from services.reading.extracted import Extracted
from services.reading.limits import ReadingLimits
from services.reading.process import extract
from store import sources
from store.connection import Writer
from store.sources import StoredSource

# A warning is a line of a person's list; what is more is counted.
MOST_WARNINGS = 5
READER = "reading/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """What a source was found to say; nothing of it is kept yet."""

    document_id: str
    revision: int
    found: Extracted

    def keep(self, tx: Writer) -> None:
        """Put the text into the revision and say how it was read."""
        found = self.found
        sources.set_read(
            tx, self.document_id, self.revision, text=found.text, title=found.title, media_type=found.media_type,
            extracted_by=READER, warning=joined(found.warnings), dated=_dated(found.date),
        )  # fmt: skip


def read(host: Host, tenant: str, document_id: str, number: int) -> Sourced | None:
    """Read what a revision was sent as.

    Args:
        host: the adapters.
        tenant: whose.
        document_id: the document.
        number: the revision.

    Returns:
        What it says; None when the revision was sent as text, or its source has been read.

    Raises:
        Unreadable: there is no text in it that could be read.
        ReaderKilled: its reader was ended from outside.
    """
    with host.store.read(tenant) as db:
        source = sources.find(db, document_id, number, body=True)
    if source is None or source.extracted_by is not None:
        return None
    with host.store.write(tenant) as tx:
        sources.set_reading(tx, document_id, number, at=host.clock())
    return Sourced(document_id=document_id, revision=number, found=_read_file(host.settings, source))


def _read_file(settings: Settings, source: StoredSource) -> Extracted:
    media_type, _, parameters = (source.media_type or "").partition(";")
    charset = parameters.partition("charset=")[2].strip(" \"'") or None
    return extract(source.body or b"", source.name, media_type or None, limits_of(settings), charset=charset)


def _dated(date: str | None) -> tuple[Micros, str | None] | None:
    """Return the moment a source says it is from; None when it does not or means no moment."""
    try:
        return parse_instant(date, field="date") if date else None
    except InvalidInput:
        return None


def limits_of(settings: Settings) -> ReadingLimits:
    """Return what reading a file may cost."""
    return ReadingLimits(
        seconds=settings.read_seconds, memory_bytes=settings.read_memory_bytes, chars=settings.max_document_chars
    )


def joined(warnings: tuple[str, ...]) -> str | None:
    """Return warnings as one text; None when there is none."""
    more = len(warnings) - MOST_WARNINGS
    rest = (f"And {more} more of this kind.",) if more > 0 else ()
    return " ".join((*warnings[:MOST_WARNINGS], *rest)) or None
