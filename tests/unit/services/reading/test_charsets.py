"""Which charset a page is in, when its header, its own word and its bytes disagree."""

import pytest

from services.reading.charsets import decode_html
from services.reading.html import to_markdown
from tests.data.pages import CYRILLIC, MEASURES

GERMAN = "<p>Größe 12 µm – „Nord“ €</p>"
RUSSIAN = "<p>Складской номер 58, ворота открываются в семь часов</p>"
XML = '<?xml version="1.0" encoding="koi8-r"?>'
JAPANESE = "<p>クレーンは五十五トンを持ち上げます。風が強いときは止まります。</p>"


@pytest.mark.parametrize("header", [None, "ISO-8859-1", "windows-1251", "nonsense", "utf-16"])
def test_a_page_in_windows_1251_that_says_so_is_read_as_that(header):
    found = to_markdown(CYRILLIC, declared_charset=header)

    assert found.text.startswith("# Складской номер 58")
    assert not found.warnings


@pytest.mark.parametrize("header", [None, "ISO-8859-1", "windows-1252", "utf-8", "windows-1251"])
def test_a_page_in_utf_8_is_read_as_that_whatever_the_header_says(header):
    text = to_markdown(MEASURES, declared_charset=header).text

    assert "Größe 12 µm – ©" in text
    assert "Nord‑7" in text
    assert "Ã" not in text
    assert "Â" not in text


@pytest.mark.parametrize(
    ("html", "header", "says"),
    [
        (GERMAN.encode("cp1252"), "ISO-8859-1", GERMAN),
        (GERMAN.encode("cp1252"), "us-ascii", GERMAN),
        (RUSSIAN.encode("koi8-r"), "koi8-r", RUSSIAN),
        (b"<meta charset=koi8-r>" + RUSSIAN.encode("cp1251"), "windows-1251", "<meta charset=koi8-r>" + RUSSIAN),
        (b"<meta charset=gb2312>" + "<p>朱镕基</p>".encode("gbk"), None, "<meta charset=gb2312><p>朱镕基</p>"),
        (b"<meta charset=shift_jis>" + "<p>①髙</p>".encode("cp932"), None, "<meta charset=shift_jis><p>①髙</p>"),
        (JAPANESE.encode("iso-2022-jp"), "iso-2022-jp", JAPANESE),
        (XML.encode() + RUSSIAN.encode("koi8-r"), None, XML + RUSSIAN),
        (b"\xef\xbb\xbf" + GERMAN.encode(), "windows-1251", GERMAN),
        (b"\xff\xfe" + GERMAN.encode("utf-16-le"), "utf-8", GERMAN),
        (GERMAN.encode("utf-16-le"), None, GERMAN),
        (GERMAN.encode() * 50 + b"\xff", "utf-8", GERMAN * 50 + "\ufffd"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', None, None),
    ],
)  # fmt: skip
def test_each_way_of_saying_it_is_understood(html, header, says):
    text, warnings = decode_html(html, header)

    assert text == (says if says is not None else html.decode())
    assert not warnings


def test_what_nobody_says_is_guessed_and_said_to_be():
    text, warnings = decode_html(RUSSIAN.encode("cp1251"), None)

    assert "Складской номер" in text
    assert "windows-1251" in warnings[0] or "cp1251" in warnings[0]


def test_a_label_that_breaks_the_text_is_not_believed():
    text, _ = decode_html(JAPANESE.encode("euc_jp"), "utf-8")

    assert "五十五トン" in text
