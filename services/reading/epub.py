"""Books in EPUB: the chapters in the order of the book."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from services.reading import markup
from services.reading.archive import ENCRYPTED, open_archive, part
from services.reading.encodings import decode
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import tidy
from services.reading.refusals import CannotRead

_CHAPTERS = ("application/xhtml+xml", "text/html")
_RIGHTS = ("META-INF/rights.xml", "META-INF/encryption.xml")


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a book; see `readers.read`."""
    archive = open_archive(body)
    names = set(archive.namelist())
    container = _xml(part(archive, "META-INF/container.xml"))
    package_path = next((one.get("full-path", "") for one in container.iter() if _tag(one) == "rootfile"), "")
    package = _xml(part(archive, package_path))
    items = {one.get("id"): one for one in package.iter() if _tag(one) == "item"}
    order = [items.get(one.get("idref")) for one in package.iter() if _tag(one) == "itemref"]
    texts, missing, chars = [], 0, 0
    for item in order:
        if item is None or item.get("media-type") not in _CHAPTERS or "nav" in (item.get("properties") or "").split():
            continue
        path = posixpath.normpath(posixpath.join(posixpath.dirname(package_path), unquote(item.get("href") or "")))
        if path not in names:
            missing += 1
            continue
        texts.append(markup.to_markdown(decode(part(archive, path))[0], is_xml=True))
        chars += len(texts[-1])
        if chars > limits.chars:
            break
    text = tidy("\n\n".join(filter(None, texts)))
    if not text and names & set(_RIGHTS):
        raise CannotRead(ENCRYPTED)
    warnings = (f"{missing} chapters are missing in the file.",) if missing else ()
    return Extracted(text=text, title=_title(package), warnings=warnings, pages=len(texts))


def _xml(raw: bytes) -> Element:
    try:
        found: Element = fromstring(raw, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        raise CannotRead("The book declares entities, which are not allowed: they can reach other files.") from error
    except ParseError as error:
        raise CannotRead("The book is damaged: its table of parts is no valid XML.") from error
    return found


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _title(package: Element) -> str | None:
    named = (" ".join((one.text or "").split()) for one in package.iter() if _tag(one) == "title")
    return next(filter(None, named), None)
