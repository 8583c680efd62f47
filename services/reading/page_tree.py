"""Pages as trees of elements: HTML as browsers read it, XHTML as the XML that it is."""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped]
from lxml import html as lxml_html

from services.reading.entities import unfolded

_XML_HEAD = re.compile(r"^\ufeff?\s*<\?xml[^>]*\?>", re.I)
_SAFE: Final = {"remove_comments": True, "remove_pis": True, "no_network": True, "huge_tree": False}


def parsed(text: str, *, is_xml: bool = False) -> Any | None:
    """Return the root element of a page; None when there is nothing in it.

    Args:
        text: the page.
        is_xml: read it as XML: sections of characters and entities of its own count. What is not well-formed is then
            read as HTML after all.

    Raises:
        CannotRead: its entities unfold to more than a page has reason for.
    """
    text = _XML_HEAD.sub("", text.replace("\x00", ""))
    if is_xml:
        text = unfolded(text)
        page = _as_xml(text)
        if page is not None:
            return page
    try:
        return lxml_html.document_fromstring(text, parser=lxml_html.HTMLParser(**_SAFE))
    except (etree.ParserError, etree.XMLSyntaxError):
        return None


def _as_xml(text: str) -> Any | None:
    parser = lxml_html.XHTMLParser(resolve_entities=False, load_dtd=False, strip_cdata=True, **_SAFE)
    try:
        page = etree.fromstring(text.strip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    for element in page.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    return page
