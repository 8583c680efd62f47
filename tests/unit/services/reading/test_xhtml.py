"""XHTML: its entities, its sections of characters, and what is made to unfold or to reach other files."""

import time

import pytest

from services.reading import readers
from services.reading.entities import unfolded
from services.reading.limits import ReadingLimits
from services.reading.refusals import CannotRead

STRICT = 'html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"'
XMLNS = "xmlns='http://www.w3.org/1999/xhtml'"


def read(subset, body, name="a.xhtml", *, head="<?xml version='1.0' encoding='utf-8'?>\n", doctype=STRICT):
    declared = f"<!DOCTYPE {doctype} [{subset}]>" if subset is not None else f"<!DOCTYPE {doctype}>"
    page = f"{head}{declared}<html {XMLNS}><head><title/></head><body>{body}</body></html>"
    return readers.read(page.encode(), name, None, None, ReadingLimits()).text


@pytest.mark.parametrize("head", ["", "<?xml version='1.0'?>"])
@pytest.mark.parametrize("name", ["a.xhtml", "a.html", None])
def test_entities_that_the_page_declares_are_written_out(head, name):
    subset = """<!-- <!ENTITY firm "Old"> --><!ENTITY firm "Nordhavn &amp; Co"><!ENTITY firm 'Second'>
        <!ENTITY where '&firm;, Oslo'><!ENTITY dash "&#8212;">"""

    assert read(subset, "<p>&where; &dash; berth&nbsp;4 &lt;b&gt;</p>", name, head=head) == (
        "Nordhavn & Co, Oslo \u2014 berth\u00a04 <b>"
    )


def test_entities_of_the_document_type_need_no_declaration():
    assert (
        read(None, "<p>caf&eacute; &mdash; &euro;5 &amp; &apos;x&apos; &lt;tag&gt;</p>") == "café \u2014 €5 & 'x' <tag>"
    )


def test_sections_of_characters_are_text_and_what_stands_in_them_is_no_entity():
    listing, empty = "<p><![CDATA[if a < b && c]]></p>", "<div/><script src='x.js'/>"
    body = f"{listing}<p>one<br/>two</p>{empty}<p><![CDATA[&nbsp;]]></p><p>end</p>"

    assert read(None, body) == "if a < b && c\n\none\ntwo\n\n&nbsp;\n\nend"


def test_elements_with_a_prefix_are_elements():
    page = "<?xml version='1.0'?><h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:body><h:h1>Berths</h:h1></h:body></h:html>"

    assert readers.read(page.encode(), "a.xhtml", None, None, ReadingLimits()).text == "# Berths"


def test_what_an_entity_holds_is_read_as_markup():
    subset = "<!ENTITY warn '<p>Mind <b>the wind</b>.</p><p style=\"display:none\">HID</p>'>"

    assert read(subset, "<div>&warn;</div>") == "Mind **the wind**."


def test_an_entity_that_names_a_file_stays_a_name():
    assert (
        read('<!ENTITY x SYSTEM "file:///etc/passwd">', "<p>It says &x; and &unknown;.</p>")
        == "It says &x; and &unknown;."
    )


def test_what_is_not_well_formed_is_read_as_html():
    assert read('<!ENTITY firm "Nordhavn">', "<p>one<p>&firm;<br>two") == "one\n\nNordhavn\ntwo"


@pytest.mark.parametrize(
    "subset",
    [
        '<!ENTITY e0 "LAUGH">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10)),
        '<!ENTITY e0 "">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10)),
        '<!ENTITY e9 "&other;"><!ENTITY other "&e9;">', '<!ENTITY e9 "&e9;">', f'<!ENTITY e9 "{"x" * 50_000}">',
    ],
)  # fmt: skip
def test_entities_that_unfold_without_reason_are_refused(subset):
    with pytest.raises(CannotRead, match="unfold"):
        read(subset, "<p>" + "&e9; " * 25 + "</p>")


@pytest.mark.parametrize("piece", ["<!--", "<![CDATA[", "<!DOCTYPE["])
def test_what_is_never_ended_is_looked_through_once(piece):
    def seconds(count):
        began = time.process_time()
        unfolded(f"<html>{piece * count}")
        return time.process_time() - began

    few, many = 2_000, 16_000
    assert min(seconds(many) for _ in range(3)) < 0.05 + 3 * many / few * min(seconds(few) for _ in range(3))
