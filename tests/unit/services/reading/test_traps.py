"""Files that were made to do harm (SECURITY-11): each is refused quickly, with its reason, and reaches nothing."""

import socket
import struct
import threading
import time
import zipfile
from pathlib import Path

import pytest

from memory.errors import Unreadable
from services.reading.limits import MOST_ENTRIES, MOST_UNPACKED_BYTES, ReadingLimits
from services.reading.process import extract
from tests.office_files import W, docx, epub, paragraph, xlsx, zipped

LIMITS = ReadingLimits()
LAUGHS = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.fixture
def canary():
    """An address that must not be contacted, and the contacts there were."""
    contacts = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        going = threading.Event()

        def listen():
            while not going.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                contacts.append(connection.getpeername())
                connection.close()

        listener = threading.Thread(target=listen)
        listener.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/x", contacts
        going.set()
        listener.join()


def refused(body, name, match, *, seconds=2.0):
    began = time.process_time(), time.monotonic()
    with pytest.raises(Unreadable, match=match):
        extract(body, name, None, LIMITS)
    # A loaded machine makes the clock run on; a trap that works takes far longer.
    assert time.monotonic() - began[1] < seconds * 5


@pytest.mark.parametrize("prologue", [
    LAUGHS,
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">',
    "<!-- " + "x" * 100_000 + " -->" + LAUGHS,
    "<!-- <w:document --> " + " " * 70_000 + LAUGHS,
])  # fmt: skip
def test_a_word_file_that_declares_a_document_type_is_refused(prologue):
    refused(docx(paragraph("x &amp;"), prologue=prologue), "a.docx", "DTD")


def test_it_is_refused_in_every_part_and_encoding():
    wide = f'<?xml version="1.0" encoding="UTF-16"?>{LAUGHS}<w:styles xmlns:w="{W}"/>'.encode("utf-16")
    refused(docx(paragraph("x"), **{"word/styles.xml": wide}), "a.docx", "DTD")
    ebcdic = f'<?xml version="1.0" encoding="cp037"?>{LAUGHS}<w:styles/>'.encode("cp037")
    refused(docx(paragraph("x"), **{"word/styles.xml": ebcdic}), "a.docx", "DTD")
    sheet = zipped({**parts_of(xlsx({"a": [[1]]})), "xl/sharedStrings.xml": f"{LAUGHS}<sst>&b;</sst>"})
    refused(sheet, "a.xlsx", "DTD")


def parts_of(body):
    import io

    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_nothing_outside_is_contacted_or_read(canary):
    url, contacts = canary
    entity = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{url}"><!ENTITY y SYSTEM "file:///etc/hostname">]>'
    refused(docx(paragraph("&x;&y;"), prologue=entity), "a.docx", "DTD")
    refused(f"{entity}<svg xmlns='http://www.w3.org/2000/svg'><text>&x;</text></svg>".encode(), "a.svg", "DTD")
    refused(
        zipped({**parts_of(epub(["<p>x</p>"])), "META-INF/container.xml": f"{entity}<a>&x;</a>"}), "a.epub", "entit"
    )
    page = f"""<?xml version="1.0"?>{entity}<html><head><base href="{url}"/><link rel="stylesheet" href="{url}"/></head>
        <body><p>The pump stands in the northern hall and is oiled each week. &x; &y;</p><iframe src="{url}"></iframe>
        <img src="{url}"/></body></html>""".replace("<!DOCTYPE r", "<!DOCTYPE html")
    found = extract(page.encode(), "a.xhtml", None, LIMITS)
    assert "northern hall" in found.text
    assert Path("/etc/hostname").read_text().strip() not in found.text
    assert "<!ENTITY" not in found.text
    assert contacts == []


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked():
    refused(docx(paragraph("x"), **{"word/bomb.xml": " " * (40 * 1024**2)}), "a.docx", "unpacks to more")


def test_many_parts_that_are_each_harmless_are_counted_together():
    import random

    noise = random.Random(6).randbytes(200_000)
    one = (noise + b"\x00" * 20_000_000)[:20_000_000]
    parts = {f"word/{n}.bin": one for n in range(MOST_UNPACKED_BYTES // len(one) + 1)}
    refused(docx(paragraph("x"), **parts), "a.docx", "unpacks to more than 300 MB", seconds=10)


def test_an_archive_with_too_many_parts_is_refused():
    refused(docx(paragraph("x"), **{f"word/{n}.bin": "" for n in range(MOST_ENTRIES)}), "a.docx", "parts")


def test_a_record_that_lies_about_a_size_gets_no_more_than_it_says():
    body = bytearray(docx(paragraph("x" * 100_000)))
    # given a directory that calls the text of 100 kB 10 bytes
    at = body.rfind(b"word/document.xml") - 46
    assert body[at : at + 4] == b"PK\x01\x02"
    struct.pack_into("<I", body, at + 24, 10)
    refused(bytes(body), "a.docx", "damaged|DTD")


def test_a_protected_part_is_named():
    body = bytearray(docx(paragraph("x")))
    at = body.find(b"PK\x01\x02")
    struct.pack_into("<H", body, at + 8, 1)
    refused(bytes(body), "a.docx", "password")


@pytest.mark.parametrize("name", ["a.html", "a.json", "a.svg", "a.eml", "a.md", "a.csv"])
def test_deep_nesting_ends_the_reading_and_nothing_else(name):
    bodies = {
        "a.html": b"<html>" + b"<div>" * 50_000 + b"The pump is oiled each week." + b"</div>" * 50_000,
        "a.json": b"[" * 200_000 + b"]" * 200_000,
        "a.svg": b"<svg xmlns='http://www.w3.org/2000/svg'>" + b"<g>" * 50_000 + b"<text>x</text>" + b"</g>" * 50_000
        + b"</svg>",
        "a.eml": b"From: a@b\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 2_000,
        "a.md": b"> " * 50_000 + b"x",
        "a.csv": b'"' * 500_001,
    }  # fmt: skip
    try:
        found = extract(bodies[name], name, None, ReadingLimits(seconds=10))
    except Unreadable as error:
        assert error.message  # noqa: PT017 - either end is right, a crash or a hang is not
    else:
        assert found.text
