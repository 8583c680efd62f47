"""SVG drawings: their title, description and the words in them."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from services.reading.archive import DTD_REFUSED
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import heading, tidy
from services.reading.refusals import CannotRead

_WORDS = ("title", "desc", "text")


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return the words of a drawing; see `readers.read`."""
    try:
        root: Element = fromstring(body, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        raise CannotRead(DTD_REFUSED) from error
    except (ParseError, ValueError) as error:
        raise CannotRead("The drawing is no valid XML. Save it again and send that.") from error
    found = [(_tag(one), " ".join("".join(one.itertext()).split())) for one in root.iter() if _tag(one) in _WORDS]
    title = next((text for tag, text in found if tag == "title" and text), None)
    lines = [text for tag, text in found if text and (tag, text) != ("title", title)]
    text = "\n\n".join(([heading(1, title)] if title else []) + lines)
    return Extracted(text=tidy(text), title=title)


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
