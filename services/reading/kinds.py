"""Which reader a file is for: by its content where that is certain, else by its name, else by what was declared."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from services.reading.languages import LANGUAGES
from services.reading.refusals import CannotRead

# Where a PDF's mark may stand; some printers write a line of their own before it.
HEAD_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How a file is read."""

    reader: str  # a name of `services.reading.readers`
    media_type: str
    language: str | None = None  # of source code, as a fence names it


PDF = Kind(reader="pdf", media_type="application/pdf")
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = Kind(reader="docx", media_type=f"{_OFFICE}wordprocessingml.document")
PPTX = Kind(reader="pptx", media_type=f"{_OFFICE}presentationml.presentation")
XLSX = Kind(reader="xlsx", media_type=f"{_OFFICE}spreadsheetml.sheet")
EPUB = Kind(reader="epub", media_type="application/epub+zip")
HTML = Kind(reader="html", media_type="text/html")
XHTML = Kind(reader="html", media_type="application/xhtml+xml")
SVG = Kind(reader="svg", media_type="image/svg+xml")
MAIL = Kind(reader="mail", media_type="message/rfc822")
CSV = Kind(reader="table", media_type="text/csv")
TSV = Kind(reader="table", media_type="text/tab-separated-values")
JSON = Kind(reader="json", media_type="application/json")
JSON_LINES = Kind(reader="json", media_type="application/x-ndjson")
NOTEBOOK = Kind(reader="notebook", media_type="application/x-ipynb+json")
MARKDOWN = Kind(reader="plain", media_type="text/markdown")
TEXT = Kind(reader="plain", media_type="text/plain")

BY_SUFFIX: Final[Mapping[str, Kind]] = {
    "md": MARKDOWN, "markdown": MARKDOWN, "mdown": MARKDOWN, "txt": TEXT, "text": TEXT, "log": TEXT, "rst": TEXT,
    "html": HTML, "htm": HTML, "xhtml": XHTML, "xht": XHTML, "svg": SVG, "eml": MAIL, "csv": CSV, "tsv": TSV,
    "tab": TSV, "json": JSON, "geojson": JSON, "jsonl": JSON_LINES, "ndjson": JSON_LINES, "ipynb": NOTEBOOK,
}  # fmt: skip
BY_MEDIA_TYPE: Final[Mapping[str, Kind]] = {
    one.media_type: one for one in (HTML, XHTML, SVG, MAIL, CSV, TSV, JSON, JSON_LINES, NOTEBOOK, MARKDOWN)
} | {"text/x-markdown": MARKDOWN, "application/jsonl": JSON_LINES, "application/ndjson": JSON_LINES}

# By the first bytes: what such a file is called. There is no text in it that could be read here.
NOT_TEXT: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"BM", "a bitmap image"), (b"II*\x00", "a TIFF image"), (b"MM\x00*", "a TIFF image"), (b"ID3", "a sound file"),
    (b"OggS", "a sound file"), (b"fLaC", "a sound file"), (b"\x1a\x45\xdf\xa3", "a film"), (b"\x7fELF", "a program"),
    (b"\x1f\x8b", "a packed file"), (b"7z\xbc\xaf\x27\x1c", "an archive"), (b"Rar!\x1a\x07", "an archive"),
    (b"\xfd7zXZ\x00", "a packed file"), (b"\x28\xb5\x2f\xfd", "a packed file"), (b"SQLite format 3\x00", "a database"),
    (b"\x00asm", "a program"), (b"wOFF", "a font"), (b"wOF2", "a font"),
)  # fmt: skip
_PRINTABLE = range(0x20, 0x7F)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Comments are passed over possessively: the ways to part a row of them are more than a regex can try.
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*+<(?:!doctype\s+html|html[\s>])", re.I | re.S
)
_SVG_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*+(?:<!doctype\s+svg[^>\[]*(?:\[.*?\]\s*)?>\s*)?"
    rb"(?:<!--.*?-->\s*)*+<(?:svg:)?svg[\s>]", re.I | re.S,
)  # fmt: skip
_MAIL_FIELD = re.compile(
    rb"^(from|to|subject|date|received|return-path|message-id|mime-version|delivered-to):", re.I | re.M
)
# Names of parts that tell what a zip file is.
_OF_ZIP: Final[tuple[tuple[str, Kind], ...]] = (
    ("word/document.xml", DOCX), ("ppt/presentation.xml", PPTX), ("xl/workbook.xml", XLSX),
)  # fmt: skip


def kind_of(body: bytes, name: str | None, media_type: str | None) -> Kind:
    """Return how a file is to be read.

    Args:
        body: the whole file.
        name: its name.
        media_type: as the sender declares it.

    Raises:
        CannotRead: there is no reader for it.
    """
    refuse_not_text(body)
    if b"%PDF-" in body[:HEAD_BYTES]:
        return PDF
    if body.startswith(b"PK\x03\x04"):
        return _of_zip(body)
    if body.startswith(_OLE):
        raise CannotRead(_ole_reason(body))
    if body.startswith(b"{\\rtf"):
        raise CannotRead("This is an RTF file, which is not read here. Save it as DOCX or PDF and send that.")
    return _of_text(body, suffix_of(name), (media_type or "").split(";")[0].strip().lower())


def suffix_of(name: str | None) -> str:
    """Return the ending of a name in lower case, without its dot; "" when it has none."""
    last = (name or "").rpartition(".")
    return last[2].lower() if last[1] else ""


def refuse_not_text(body: bytes) -> None:
    """Refuse what certainly holds no text, by its first bytes.

    Raises:
        CannotRead: it is an image, a film, a program or the like.
    """
    called = next((called for mark, called in NOT_TEXT if body.startswith(mark) and _is_certain(mark, body)), None)
    if body[4:8] == b"ftyp":
        called = "a film, sound file or HEIC image"
    if body.startswith(b"RIFF") and body[8:12] in (b"WAVE", b"AVI ", b"WEBP"):
        called = {b"WAVE": "a sound file", b"AVI ": "a film", b"WEBP": "a WebP image"}[body[8:12]]
    if called is not None:
        raise CannotRead(f"This is {called}; only text can be read. Send what it says as text.")


def _is_certain(mark: bytes, body: bytes) -> bool:
    """Tell whether a mark of few letters could not as well begin a text."""
    return any(byte not in _PRINTABLE for byte in mark) or b"\x00" in body[:64]


def _of_zip(body: bytes) -> Kind:
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = set(archive.namelist())
            mime = archive.open("mimetype").read(100).decode("ascii", "replace").strip() if "mimetype" in names else ""
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, OSError, EOFError) as error:
        raise CannotRead("The file is damaged: its container cannot be opened. Save it again and send that.") from error
    if mime == EPUB.media_type or "META-INF/container.xml" in names:
        return EPUB
    for part, kind in _OF_ZIP:
        if part in names:
            return kind
    if mime.startswith("application/vnd.oasis.opendocument"):
        raise CannotRead("This is an OpenDocument file, which is not read here. Save it as DOCX, XLSX, PPTX or PDF.")
    if "xl/workbook.bin" in names:
        raise CannotRead("This is a binary workbook (XLSB), which is not read here. Save it as XLSX.")
    raise CannotRead("This is a ZIP archive; unpack it and send the files in it one by one.")


def _ole_reason(body: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in body:
        return "The file is protected with a password. Remove the password and send it again."
    if "__substg1.0_".encode("utf-16-le") in body:
        return "This is an Outlook message (MSG), which is not read here. Save it as EML."
    return "This is a file of an old Office version (DOC, XLS or PPT). Save it as DOCX, XLSX or PPTX."


def _of_text(body: bytes, suffix: str, media_type: str) -> Kind:
    named = BY_SUFFIX.get(suffix)
    code = LANGUAGES.get(suffix)
    if named in (None, TEXT, HTML, XHTML, SVG) and code is None:
        certain = _by_start(body)
        if certain is HTML and (named is XHTML or media_type == XHTML.media_type):
            return XHTML
        if certain is not None:
            return certain
    if named is not None:
        return named
    if code is not None:
        return Kind(reader="code", media_type="text/plain", language=code)
    return BY_MEDIA_TYPE.get(media_type, TEXT)


def _by_start(body: bytes) -> Kind | None:
    head = body[: 16 * HEAD_BYTES]
    if _SVG_START.match(head):
        return SVG
    if _HTML_START.match(head):
        return XHTML if head.lstrip().startswith(b"<?xml") else HTML
    header = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    fields = {found.lower() for found in _MAIL_FIELD.findall(header)}
    starts = _MAIL_FIELD.match(header) is not None
    if starts and b"from" in fields and fields & {b"received", b"message-id", b"mime-version", b"return-path"}:
        return MAIL
    return None
