"""Makes small real files of the formats that are read, for the tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Any

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/numbering.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"/>
<Override PartName="/word/styles.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>
</Types>"""
_RELS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>
</Relationships>"""
_DOCUMENT_RELS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering"
 Target="numbering.xml"/>
<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
 Target="styles.xml"/></Relationships>"""
_NUMBERING = f"""<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"""
_STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>"""


def zipped(parts: Mapping[str, str | bytes], *, stored: Sequence[str] = ()) -> bytes:
    """Return a zip file of some parts; those of `stored` are not packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            how = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, compress_type=how)
    return out.getvalue()


def paragraph(text: str, *, style: str | None = None, list_: tuple[int, int] | None = None) -> str:
    """Return a Word paragraph; `list_` is (numbering, level)."""
    marks = f'<w:pStyle w:val="{style}"/>' if style else ""
    if list_:
        marks += f'<w:numPr><w:ilvl w:val="{list_[1]}"/><w:numId w:val="{list_[0]}"/></w:numPr>'
    return f"<w:p><w:pPr>{marks}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def word_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a Word table."""
    cells = ("".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def docx(*blocks: str, prologue: str = "", **more: str) -> bytes:
    """Return a Word document of some blocks."""
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?>{prologue}<w:document xmlns:w="{W}"><w:body>{"".join(blocks)}'
        "</w:body></w:document>"
    )
    parts = {
        "[Content_Types].xml": _TYPES, "_rels/.rels": _RELS, "word/document.xml": document,
        "word/_rels/document.xml.rels": _DOCUMENT_RELS, "word/numbering.xml": _NUMBERING, "word/styles.xml": _STYLES,
    }  # fmt: skip
    return zipped({**parts, **more})


def xlsx(sheets: Mapping[str, Sequence[Sequence[Any]]], *, formats: Mapping[str, str] | None = None) -> bytes:
    """Return a workbook of some sheets; `formats` are number formats by cell of the first sheet."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    for place, written in (formats or {}).items():
        book.worksheets[0][place].number_format = written
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pptx(slides: Sequence[tuple[str, Sequence[str], str]]) -> bytes:
    """Return a presentation of slides of (title, points, notes)."""
    from pptx import Presentation

    show = Presentation()
    for title, points, notes in slides:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(points)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


def epub(chapters: Sequence[str], *, title: str = "A Book") -> bytes:
    """Return a book of XHTML bodies."""
    items = "".join(
        f'<item id="c{n}" href="c%20{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">'
        f"<metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    head = (
        '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head>'
    )
    texts = {f"OEBPS/c {n}.xhtml": f"{head}<body>{body}</body></html>" for n, body in enumerate(chapters)}
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/book.opf": package}
    return zipped({**parts, **texts}, stored=("mimetype",))


def eml(subject: str, text: str, *, html: str | None = None, attached: Mapping[str, bytes] | None = None) -> bytes:
    """Return an e-mail."""
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Ana Ünal <ana@example.org>"
    message["To"] = "Bo <bo@example.org>"
    message["Date"] = "Mon, 04 May 2026 09:30:00 +0200"
    message["Message-ID"] = "<1@example.org>"
    message.set_content(text)
    if html is not None:
        message.add_alternative(html, subtype="html")
    for name, body in (attached or {}).items():
        message.add_attachment(body, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def pdf(pages: Sequence[Sequence[tuple[float, str]]]) -> bytes:
    """Return a PDF of pages of lines (size, text), one below the other; a page without lines has a rectangle."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        y, drawn = 780.0, []
        for size, text in lines:
            y -= size * 1.3
            escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            drawn.append(f"BT /F1 {size} Tf 1 0 0 1 50 {y:.1f} Tm ({escaped}) Tj ET")
        stream = "\n".join(drawn) or "50 50 200 200 re f"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{one}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF".encode()
