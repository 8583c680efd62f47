import json

import pytest

from services.reading import readers
from services.reading.encodings import decode
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean, fence, table
from services.reading.refusals import CannotRead
from tests.office_files import eml, epub, zipped

GERMAN = "Größe 12 µm – „Norden“, schöne Straße"


def read(body, name, declared=None, charset=None):
    return readers.read(body, name, declared, charset, ReadingLimits())


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"), (GERMAN, "utf-8-sig"), (GERMAN, "utf-16"), (GERMAN, "utf-32"), (GERMAN, "cp1252"),
        ("Size twelve micrometres", "utf-16-le"), ("Size twelve micrometres", "utf-16-be"),
        ("Кран стоит в северном цехе, предел сорок килограммов.", "koi8-r"),
        ("Кран стоит в северном цехе, предел сорок килограммов.", "cp1251"),
        ("クレーンは倉庫の北側にあります。荷重は五十五キログラムです。", "shift_jis"),
        ("起重机在仓库的北边。限重是五十五公斤。钥匙放在蓝色柜子里。", "gb18030"),
    ],
)  # fmt: skip
def test_text_of_any_encoding_is_read(text, encoding):
    assert read(text.encode(encoding), "a.txt").text == text


def test_a_guess_is_said_to_be_one_and_what_is_declared_is_believed_where_it_can_be():
    assert "cp1252" in decode(GERMAN.encode("cp1252"))[1][0]
    assert decode("Кран".encode("cp866"), "cp866") == ("Кран", ())
    assert decode("Größe".encode(), "latin-1") == ("Größe", ())
    assert decode("schön –".encode("cp1252"), "iso-8859-1") == ("schön –", ())
    assert decode(b"plain", "no-such-charset") == ("plain", ())


def test_a_little_dirt_makes_it_no_other_encoding():
    german = ("Größe, schöne Straße, Türen und Übergänge. " * 10).encode()
    text, warnings = decode(german[:101] + b"\xff" + german[101:])
    assert text.count("ö") == german.decode().count("ö")
    assert warnings == ("1 characters are broken: they are no valid UTF-8.",)
    assert decode(german[:-1] + "ü".encode()[:1])[0].startswith("Größe")
    log = b"line of a log\n" * 100
    assert read(log + b"\x00\x00" + log, "a.log").text == (log + log).decode()


def test_bytes_that_are_no_text_are_refused():
    for body in (bytes(range(256)) * 40, b"\x00\x01\x02" * 1000, b"abc\x00def" * 10):
        with pytest.raises(CannotRead, match="no text"):
            read(body, "a.txt")


def test_characters_that_cannot_be_kept_are_dropped_and_line_ends_made_one():
    assert clean("a\x0bb\x1f\r\nc\rd\ufffe") == "ab\nc\nd"
    assert read(b"a\x07b", "a.txt").text == "ab"


def test_half_a_surrogate_pair_in_any_field_is_dropped():
    found = read(b'[{"a": "x\\ud800y", "b\\u0000": "\\udfff"}]', "a.json")
    assert found.text.encode() == b"| a | b |\n| --- | --- |\n| xy |  |"
    mail = read(
        b"From: a@example.org\nSubject: caf\xe9 \xff\nMIME-Version: 1.0\n\nText \x00here. " + b"More words. " * 50,
        "a.eml",
    )
    assert (mail.title or "").encode()
    assert "\x00" not in mail.text


def test_a_fence_is_longer_than_any_in_it():
    assert fence("```\nx\n```", "md") == "````md\n```\nx\n```\n````"


def test_source_code_is_a_fence_with_its_language():
    found = read(b"def a():\r\n    return '# no heading'\n", "a.py")
    assert found.text == "```python\ndef a():\n    return '# no heading'\n```"


def test_a_table_of_separated_values_whatever_parts_them():
    expected = "| Halle | Last |\n| --- | --- |\n| A | 40 kg |\n| B | 5\\|5, ca. |"
    assert read('Halle;Last\r\nA;"40\nkg"\r\nB;5|5, ca.\r\n'.encode("cp1252"), "a.csv").text == expected
    assert read(b'Halle\tLast\nA\t40 kg\nB\t"5|5, ca."\n', "a.tsv").text == expected
    assert read(b'sep=|\nHalle|Last\nA|40 kg\nB|"5|5, ca."\n', "a.csv").text == expected
    assert read(b"one\ntwo\n", "a.csv").text == "| one |\n| --- |\n| two |"


def test_a_long_table_is_bounded_and_says_so():
    found = read(b"a,b\n" + b"1,2\n" * 60_000, "a.csv")
    assert found.text.count("\n") == 50_000
    assert found.warnings == ("Only the first 50000 rows were read.",)


def test_flat_records_are_a_table_and_other_json_stays_as_it_is_written():
    assert read(b'[{"a":1,"b":"x"},{"a":2.50,"c":null}]', "a.json").text == table(
        [["a", "b", "c"], ["1", "x", ""], ["2.5", "", ""]]
    )
    assert read(b'{"a":1}\n{"a":2}\n', "a.jsonl").text == "| a |\n| --- |\n| 1 |\n| 2 |"
    assert read(b'{"a": {"b": 1}}', "a.json").text == '```json\n{"a": {"b": 1}}\n```'
    long = json.dumps({"words": ["some words"] * 100})
    assert max(map(len, read(long.encode(), "a.json").text.splitlines())) < 100
    broken = read(b'{"a":', "a.json")
    assert broken.text == '```\n{"a":\n```'
    assert "no valid JSON" in broken.warnings[0]


def test_a_notebook_is_its_text_code_and_prints():
    book = {"cells": [
        {"cell_type": "markdown", "source": ["# Cranes\n", "About."]},
        {"cell_type": "code", "source": "print(1)", "outputs": [{"text": ["1\n"]}, {"data": {"image/png": "iVBOR"}}]},
    ], "metadata": {"kernelspec": {"language": "python"}}}  # fmt: skip
    assert read(json.dumps(book).encode(), "a.ipynb").text == (
        "# Cranes\nAbout.\n\n```python\nprint(1)\n```\n\n```\n1\n```"
    )
    assert "```json" in read(b'{"no": ["cells"]}', "a.ipynb").text


def test_a_mail_has_its_fields_its_text_and_the_names_of_what_was_attached():
    body = eml("Grüße vom Kran", "Der Kran steht in Halle 4.", attached={"plan.pdf": b"%PDF", "häuser.txt": b"x"})
    found = read(body, "a.eml")
    assert found.text == (
        "# Grüße vom Kran\n\n- From: Ana Ünal <ana@example.org>\n- To: Bo <bo@example.org>\n"
        "- Date: Mon, 04 May 2026 09:30:00 +0200\n\nDer Kran steht in Halle 4.\n\nAttachments:\n\n- plan.pdf\n"
        "- häuser.txt"
    )
    assert found.title == "Grüße vom Kran"
    assert found.warnings == ("2 attachments were not read: plan.pdf, häuser.txt.",)


def test_the_html_of_a_mail_is_read_without_what_is_hidden():
    tracked = "https://t.example/?" + "x" * 200
    html = (
        '<p>Der <b>Kran</b></p><div style="display: none">HIDDEN-77</div><style>p{color:red}</style>'
        f'<ul><li>a<li>b</ul><a href="https://example.org/a">here</a><a href="{tracked}">there</a>'
    )
    text = read(eml("x", "", html=html), "a.eml").text
    assert text.endswith("Der **Kran**\n\n- a\n- b\n\n[here](https://example.org/a)there")
    assert "HIDDEN-77" not in text


def test_a_forwarded_mail_is_read_and_a_broken_header_does_no_harm():
    inner = eml("Inner", "The limit is 55 kg.")
    outer = (
        b"From: a@example.org\nSubject: Fwd\nDate: not a date\nTo: <<>,\nMIME-Version: 1.0\n"
        b"Content-Type: multipart/mixed; boundary=q\n\n--q\nContent-Type: text/plain\n\nSee below.\n"
        b"--q\nContent-Type: message/rfc822\n\n" + inner + b"\n--q--\n"
    )
    text = read(outer, "a.eml").text
    assert "See below." in text
    assert "## Inner" in text
    assert "The limit is 55 kg." in text


def test_a_book_has_its_chapters_in_order_and_keeps_tables_and_code():
    found = read(epub([
        "<h1>One</h1><p>It was &amp; <em>dark</em>.</p><p style='visibility:hidden'>HIDDEN-77</p>",
        "<h1>Two</h1><table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2</td></tr></table><pre>x = 1\n  y</pre>",
    ]), "a.epub")  # fmt: skip
    assert found.text == (
        "# One\n\nIt was & *dark*.\n\n# Two\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |\n\n```\nx = 1\n  y\n```"
    )
    assert (found.title, found.pages) == ("A Book", 2)


def test_a_locked_book_is_said_to_be_locked():
    package = '<package xmlns="http://www.idpf.org/2007/opf"><manifest/><spine/></package>'
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "b.opf": package}
    with pytest.raises(CannotRead, match="password"):
        read(zipped({**parts, "META-INF/encryption.xml": "<x/>"}), "a.epub")


def test_a_drawing_gives_its_words_and_no_scripts():
    body = (
        b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://127.0.0.1:9/svg11.dtd">'
        b'<svg xmlns="http://www.w3.org/2000/svg"><title>Pump</title><desc>How it works</desc>'
        b'<text><tspan>Valve</tspan> 7</text><script>alert("SCRIPT-1")</script></svg>'
    )
    assert read(body, "a.svg").text == "# Pump\n\nHow it works\n\nValve 7"


def test_an_empty_file_of_any_kind_has_no_text():
    for name in ("a.txt", "a.py", "a.csv", "a.json"):
        with pytest.raises(CannotRead, match="no text"):
            read(b" \n ", name)
