"""Files that are sent: taken in with a safe name, and given back as they came."""

from __future__ import annotations

import os
import unicodedata

from memory.errors import InvalidInput, TooLarge, Unreadable
from memory.records import NewSource, Scope
from services.host import Host
from services.reading.kinds import refuse_not_text, suffix_of
from services.reading.refusals import CannotRead
from store import documents, sources
from store.sources import StoredSource

# What file systems allow a name. It is never a path here, but it is given back to those who save it as one.
NAME_CHARACTERS = 255
# As Supermemory calls them, by ending; everything else is text.
TYPES = {"pdf": "pdf", "html": "webpage", "htm": "webpage", "xhtml": "webpage"}


def source_of(host: Host, name: str | None, media_type: str | None, body: bytes) -> NewSource:
    """Return a file as the source of a document.

    Args:
        host: the adapters; the settings say how large it may be.
        name: as it was sent, with or without a path.
        media_type: as it was declared.
        body: the whole file.

    Raises:
        InvalidInput: it has no name or is empty.
        Unreadable: it certainly holds no text.
        TooLarge: it is over the limit.
    """
    known = safe_name(name)
    if not body:
        raise InvalidInput("`file` is empty; send a file that holds something.", field="file")
    if len(body) > host.settings.max_file_bytes:
        raise TooLarge(f"`file` is larger than {host.settings.max_file_bytes} bytes.", field="file")
    try:
        refuse_not_text(body)
    except CannotRead as error:
        raise Unreadable(f"`file` cannot be read. {error}", field="file") from error
    return NewSource(kind="file", name=known, media_type=media_type or None, body=body)


def type_of(source: NewSource) -> str:
    """Return what Supermemory's wire calls a document that comes from a file."""
    if (source.body or b"").startswith(b"%PDF-"):
        return "pdf"
    return TYPES.get(suffix_of(source.name), "text")


def safe_name(name: str | None) -> str:
    """Return a file's own name: composed, without path, control characters, and what is over the limit.

    Args:
        name: as it was sent. What stands before the last slash or backslash is a path of somebody else's machine.

    Raises:
        InvalidInput: nothing is left.
    """
    last = (name or "").replace("\\", "/").rpartition("/")[2]
    kept = "".join(one for one in unicodedata.normalize("NFC", last) if one.isprintable()).strip()
    if not kept.strip(". "):
        raise InvalidInput("`file` has no name; send one such as `report.pdf`.", field="file")
    stem, ending = os.path.splitext(kept)
    return kept if len(kept) <= NAME_CHARACTERS else stem[: NAME_CHARACTERS - len(ending)] + ending


def get_file(scope: Scope, host: Host, ref: str) -> StoredSource:
    """Return the file of the revision that search answers from (of the newest while none does).

    Args:
        scope: whose documents.
        host: the adapters.
        ref: id or customId.

    Raises:
        NotFound: there is no such document in the scope's spaces, or it was sent as text.
        Ambiguous: the customId is used in several of them.
    """
    with host.store.read(scope.tenant) as db:
        found = documents.get(scope, db, ref)
        return sources.get_file(db, found.id, found.live_revision or found.latest_revision)
