"""Opens a zip container that may be a trap: its counts are checked before it is unpacked, its XML before a parser.

The sizes that are counted bind: `zipfile` unpacks no more of an entry than its record says.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import Final

from services.reading.limits import MOST_ENTRIES, MOST_RATIO, MOST_UNPACKED_BYTES
from services.reading.refusals import CannotRead

# A part of this size does no harm, however well it packs: rows of equal cells do.
_HARMLESS_BYTES = 20 * 1024**2
_XML_ENDINGS = (".xml", ".rels", ".vml", ".opf", ".ncx")
_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.I)
# What may stand in front of a document type: instructions and comments.
_ASIDE = re.compile(r"<\?.*?\?>|<!--.*?-->", re.S)
_ROOT = re.compile(r"<[A-Za-z_]")
# A declaration stands in front of the root element; a part whose root begins later was made to hide one.
_HEAD_BYTES = 64 * 1024
DTD_REFUSED: Final = "The file holds a DTD or entity declarations, which are not allowed: they can reach other files."
ENCRYPTED: Final = "The file is protected with a password. Remove the password and send it again."


def open_archive(body: bytes) -> zipfile.ZipFile:
    """Return a container whose counts are within bounds.

    Args:
        body: the file.

    Raises:
        CannotRead: it is damaged, protected, or would unpack to too much.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(body))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
        raise CannotRead("The file is damaged: its container cannot be opened. Save it again and send that.") from error
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise CannotRead(f"The file has {len(entries)} parts; {MOST_ENTRIES} are allowed.")
    total = 0
    for entry in entries:
        if entry.flag_bits & 1:
            raise CannotRead(ENCRYPTED)
        total += entry.file_size
        packed = max(entry.compress_size, 1)
        if entry.file_size > _HARMLESS_BYTES and entry.file_size > packed * MOST_RATIO:
            raise CannotRead("A part of the file unpacks to more than a document's would; it was not opened.")
    if total > MOST_UNPACKED_BYTES:
        most = MOST_UNPACKED_BYTES // 1024**2
        raise CannotRead(f"The file unpacks to more than {most} MB; it was not opened. Split it and send the parts.")
    return archive


def open_office(body: bytes) -> zipfile.ZipFile:
    """Return a container of office XML, in which no part declares a document type: the formats forbid it.

    Raises:
        CannotRead: it is damaged, a trap, or declares one.
    """
    archive = open_archive(body)
    for entry in archive.infolist():
        if entry.filename.lower().endswith(_XML_ENDINGS):
            with archive.open(entry) as part:
                refuse_declarations(part.read(_HEAD_BYTES))
    return archive


def refuse_declarations(head: bytes) -> None:
    """Refuse XML that declares a document type or entities, or is written so that this cannot be seen.

    Args:
        head: how the XML begins.

    Raises:
        CannotRead: it declares one.
    """
    # Without the zeros of UTF-16 and UTF-32 the declaration stands there in ASCII.
    text = _ASIDE.sub("", head.replace(b"\x00", b"").decode("latin-1"))
    if _DECLARATION.search(text) or (head.strip() and not _ROOT.search(text)):
        raise CannotRead(DTD_REFUSED)


def part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a part of a container.

    Raises:
        CannotRead: it is missing or damaged.
    """
    try:
        return archive.read(name)
    except (KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise CannotRead(f"The file is damaged: its part {name[:100]!r} cannot be read.") from error
