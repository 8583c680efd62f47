"""Word documents: headings, lists and tables as Markdown; comments, headers and footers are left out."""

from __future__ import annotations

import io
import zipfile

import mammoth
from lxml import etree  # type: ignore[import-untyped]

from services.reading import markup
from services.reading.archive import open_office, part
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits

_DOCUMENT = "word/document.xml"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = ("0", "false", "off")
# Names of Word's own styles that mammoth does not know by itself.
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => h2:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Code'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
"""


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a Word document; see `readers.read`."""
    archive = open_office(body)
    pictures = sum(1 for name in archive.namelist() if name.startswith("word/media/"))
    html = mammoth.convert_to_html(
        io.BytesIO(_without_hidden(body, archive)),
        style_map=_STYLES,
        convert_image=mammoth.images.img_element(lambda image: {}),
        ignore_empty_paragraphs=True,
    ).value
    warnings = (f"{pictures} pictures were not read.",) if pictures else ()
    return Extracted(text=markup.to_markdown(html), warnings=warnings)


def _without_hidden(body: bytes, archive: zipfile.ZipFile) -> bytes:
    """Return a Word document without text that Word does not show: instructions to a model like to stand there."""
    document = part(archive, _DOCUMENT)
    if b"vanish" not in document:
        return body
    root = etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))
    for mark in list(root.iter(f"{_W}vanish")):
        run = mark.getparent().getparent()
        if mark.get(f"{_W}val", "1") not in _OFF and run is not None and run.tag == f"{_W}r":
            run.getparent().remove(run)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as kept:
        for name in dict.fromkeys(archive.namelist()):
            kept.writestr(name, etree.tostring(root) if name == _DOCUMENT else part(archive, name))
    return out.getvalue()
