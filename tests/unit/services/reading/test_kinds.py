import time

import pytest

from services.reading.kinds import (
    CSV,
    DOCX,
    EPUB,
    HTML,
    JSON,
    MAIL,
    MARKDOWN,
    PDF,
    PPTX,
    SVG,
    TEXT,
    XHTML,
    XLSX,
    kind_of,
    suffix_of,
)
from services.reading.refusals import CannotRead
from tests.office_files import docx, epub, paragraph, pptx, xlsx, zipped

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 64


@pytest.mark.parametrize(
    ("body", "name", "declared", "kind"),
    [
        (b"# Crane", "a.MD", None, MARKDOWN),
        (b"# Crane", "\u6b63\u6587.md", None, MARKDOWN),
        (b"a,b", "a.csv", None, CSV),
        (b"a,b", "noending", "text/csv; charset=utf-8", CSV),
        (b"{}", "a", "application/json", JSON),
        (b"hello", "a.unknown", "application/octet-stream", TEXT),
        (b"hello", None, None, TEXT),
    ],
)
def test_where_the_content_is_not_certain_the_name_decides_and_then_what_was_declared(body, name, declared, kind):
    assert kind_of(body, name, declared) == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7\n...", PDF),
        (b"\x00\x01 printed\n%PDF-1.4\n", PDF),
        (docx(paragraph("x")), DOCX),
        (xlsx({"a": [[1]]}), XLSX),
        (pptx([("a", ["b"], "")]), PPTX),
        (epub(["<p>x</p>"]), EPUB),
        (b"\xef\xbb\xbf <!DOCTYPE html><html>", HTML),
        (b"<!-- x --><html lang='de'>", HTML),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>", XHTML),
        (b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'>", SVG),
        (b"Received: from a\nFrom: a@example.org\nSubject: x\n\nhello", MAIL),
    ],
)
def test_content_wins_over_the_name_where_it_is_certain(body, kind):
    assert kind_of(body, "notes.txt", "text/plain") == kind


def test_source_code_that_begins_like_a_page_stays_source_code():
    assert kind_of(b"<!DOCTYPE html><?php echo 1 ?>", "page.php", None).language == "php"
    assert kind_of(b"From: x", "a.py", None).reader == "code"
    assert kind_of(b"# <html> is a tag", "a.txt", None) == TEXT


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n...", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP image"),
        (b"\x00\x00\x00\x18ftypmp42", "a film"),
        (b"\x7fELF\x02\x01", "a program"),
        (b"{\\rtf1\\ansi", "Save it as DOCX"),
        (OLE, "old Office version"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
        (OLE + "__substg1.0_".encode("utf-16-le"), "Save it as EML"),
        (zipped({"a.txt": "x"}), "unpack it"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "x"}), "OpenDocument"),
        (b"PK\x03\x04 and nothing more", "damaged"),
    ],
)
def test_what_no_reader_is_for_is_refused_with_what_to_do(body, reason):
    with pytest.raises(CannotRead, match=reason):
        kind_of(body, "a.md", None)


def test_many_comments_cost_no_more_than_their_number():
    began = time.process_time()
    assert kind_of(b"<!--a-->" * 2000 + b"<p>", "a.txt", None) == TEXT
    assert kind_of(b"<!--" * 4000, "a.txt", None) == TEXT
    assert time.process_time() - began < 1


def test_text_that_begins_with_the_letters_of_an_image_is_text():
    assert kind_of(b"BMW sells cars", "a.txt", None) == TEXT
    assert kind_of(b"GIF8 is how they begin", "a.txt", None) == TEXT
    assert kind_of(b"ID3 tags explained", "a.txt", None) == TEXT


def test_an_ending_is_what_stands_behind_the_last_dot():
    assert [suffix_of(name) for name in ("a.tar.GZ", ".md", "README", "", None)] == ["gz", "md", "", "", ""]
