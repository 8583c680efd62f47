"""PDF: the text of its pages; those that are only pictures are named.

pdfium was chosen over pypdf by measurement: docs/decisions/0025-files.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from services.reading.archive import ENCRYPTED
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.pdf_lines import Line, markdown_of
from services.reading.refusals import CannotRead

MOST_PAGES = 10_000
# Numbers of pages that a warning names one by one.
_NAMED_PAGES = 20
_NO_TEXT = (
    "There is no extractable text in this PDF: its pages are scans or pictures. Run text recognition (OCR) over it and "
    "send the result."
)
# Of a page's characters; more of them are the codes of a font that does not say which letters it draws.
_MOST_UNKNOWN = 0.3


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a PDF; see `readers.read`."""
    document = _opened(body)
    pages: list[list[Line]] = []
    scans, broken, strange, chars = [], [], [], 0
    for number in range(1, min(len(document), MOST_PAGES) + 1):
        try:
            page = document[number - 1]
            lines = _lines(page)
            drawn = not lines and _has_objects(page)
        except (pypdfium2.PdfiumError, ValueError):
            broken.append(number)
            continue
        text = "".join(line.text for line in lines)
        if _is_strange(text):
            strange.append(number)
            continue
        if drawn:
            scans.append(number)
        pages.append(lines)
        chars += len(text)
        page.close()
        if chars > limits.chars:
            break
    text = markdown_of(pages)
    if not text and scans:
        raise CannotRead(_NO_TEXT)
    if not text and (broken or strange):
        raise CannotRead("No page of this PDF could be read. Save it again, or run text recognition (OCR) over it.")
    warnings = (
        _about(scans, "has no text and looks like a scan", "have no text and look like scans"),
        _about(broken, "is damaged and was left out", "are damaged and were left out"),
        _about(strange, "has letters of an unknown code and was left out", "have letters of an unknown code, left out"),
        f"Only the first {MOST_PAGES} pages were read." if len(document) > MOST_PAGES else None,
    )
    title = _title(document)
    return Extracted(text=text, title=title, warnings=tuple(filter(None, warnings)), pages=len(document))


def _opened(body: bytes) -> Any:
    try:
        return pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise CannotRead(ENCRYPTED) from error
        raise CannotRead("This PDF is damaged or cut off and cannot be opened. Save it again and send that.") from error


def _title(document: Any) -> str | None:
    try:
        return " ".join(str(document.get_metadata_value("Title")).split()) or None
    except (pypdfium2.PdfiumError, ValueError):
        return None


def _lines(page: Any) -> list[Line]:
    """Return the lines of a page in the order they are written in."""
    text_page = page.get_textpage()
    lines, at = [], 0
    for text in text_page.get_text_range().split("\n"):
        stripped = text.strip("\r \t\x00")
        if stripped:
            lines.append(_line(text_page, stripped, at + len(text) - len(text.lstrip())))
        at += len(text) + 1
    text_page.close()
    return lines


def _line(text_page: Any, text: str, at: int) -> Line:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text_page, at, box):
        return Line(text=text, top=0.0, bottom=0.0)
    return Line(text=text, top=float(box.top), bottom=float(box.bottom))


def _has_objects(page: Any) -> bool:
    return any(True for _ in islice(page.get_objects(max_depth=3), 1))


def _is_strange(text: str) -> bool:
    unknown = sum(1 for one in text if one == "\ufffd" or "\ue000" <= one <= "\uf8ff")
    return unknown > len(text) * _MOST_UNKNOWN


def _about(numbers: Sequence[int], one: str, several: str) -> str | None:
    if not numbers:
        return None
    named = ", ".join(map(str, numbers[:_NAMED_PAGES])) + (" …" if len(numbers) > _NAMED_PAGES else "")
    return f"Page {named} {one}." if len(numbers) == 1 else f"Pages {named} {several}."
