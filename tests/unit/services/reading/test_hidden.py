"""Text that the rules of a page's style sheets hide, and what only looks like that."""

import time

import pytest

from services.reading import readers
from services.reading.html import to_markdown
from services.reading.limits import ReadingLimits
from services.reading.refusals import CannotRead
from tests.office_files import epub

SENTENCE = "The crane at berth four lifts fifty five tonnes while the wind is below nine metres per second. "


def read(css, body, head=""):
    page = f"<html><head><style>{css}</style>{head}</head><body><article><h1>Cranes</h1><p>{SENTENCE}</p>{body}"
    return to_markdown(f"{page}<p>After it.</p></article></body></html>".encode(), declared_charset=None).text


@pytest.mark.parametrize(
    "declarations",
    [
        "display:none", "DISPLAY : NONE", "display:none!important", "disp\\6c ay:n\\6f ne", "display:/**/none",
        "display:none;display:nonsense", "font-size:0;font-size:banana", "opacity:0;opacity:banana",
        "position:absolute;left:-9999px;left:banana", "text-indent:-9999px;text-indent:banana",
        "margin:0;padding:0;height:0;overflow:hidden", "margin-left:-9999px;padding:0",
        "visibility:hidden", "visibility:collapse", "font-size:0", "font-size:0.0em",
        "font-size:1px", "font:0/0 a", "opacity:0", "opacity:0%", "opacity:.001", "position:absolute;left:-9999px",
        "position:fixed;top:-200vh", "position:relative;left:-999em", "position:absolute;right:-10000px",
        "position:absolute;left:9999px", "position:absolute;inset:-9999px auto auto", "margin-left:-9999px",
        "text-indent:-9999px", "text-indent:-100em", "transform:translateX(-9999px)", "transform:scale(0)",
        "position:absolute;clip:rect(0,0,0,0)", "position:absolute;clip:rect(1px 1px 1px 1px)", "clip-path:inset(50%)",
        "clip-path:circle(0)", "position:absolute;width:1px;height:1px;overflow:hidden", "height:0;overflow:hidden",
        "max-height:0;overflow:hidden", "content-visibility:hidden",
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["rule", "attribute"])
def test_text_with_such_a_look_is_not_kept(declarations, where):
    if where == "rule":
        text = read(f".x{{{declarations}}}", "<div class='x'>HID <b>HID</b></div>")
    else:
        text = read("", f"<div style='{declarations}'>HID <b>HID</b></div>")

    assert "HID" not in text
    assert "fifty five tonnes" in text
    assert text.endswith("After it.")


@pytest.mark.parametrize(
    "rule",
    [
        "p.x",
        "#y",
        ".x",
        "body p.x",
        "article > .x",
        "h1 ~ p.x",
        "h1 + p + p",
        "[data-z]",
        "p[CLASS~=q]",
        "[data-z='1']",
        "p:nth-of-type(2)",
        "p:not(:first-of-type):not(:last-child)",
        "*.x",
        "P.x",
        ".a, .x",
        ":is(.a, .x)",
        "article:has(.x) .x",
        "p:not(:hover).x",
    ],
)
def test_a_rule_is_found_by_whatever_selects_it(rule):
    text = read(f"{rule} {{ display: none }}", "<p class='q x' id='y' data-z='1'>HID</p>")

    assert "HID" not in text
    assert text.endswith("After it.")


@pytest.mark.parametrize(
    "css",
    [
        "@media screen { .x { display: none } }",
        "@media (min-width: 600px) { .x { display: none } }",
        "@media (600px <= width) { .x { display: none } }",
        "@media not print { .x { display: none } }",
        "@media print, screen and (max-width: 99999px) { .x { display: none } }",
        "@supports (display: grid) { .x { display: none } }",
        "@scope (.q) { .x { display: none } }",
        "@container side (min-width: 300px) { .x { display: none } }",
        ".x { display: none } @supports (nonsense: very) { .x { display: block } }",
        ".x { display: none } @starting-style { .x { display: block } }",
        ".x { display: none } @container (min-width: 99999px) { .x { display: block } }",
        ".x { display: none } @scope (.nowhere) { .x { display: block } }",
        "@layer a { .x { display: none } }",
        ".q { & .x { display: none } }",
        ".q { .x { display: none } }",
        ".x { @media screen { display: none } }",
        "<!-- .x { display: none } -->",
        "@import 'a.css'; @charset 'utf-8'; .x { display: none }",
        ".x { display: block } .x { display: none }",
        ".x { display: none !important } #y { display: block }",
        ".q .x { display: none } .x { display: block }",
        ".x { color: red; } .z::before { content: '}' } .x{display:none}",
    ],
)
def test_a_rule_holds_wherever_it_stands(css):
    assert "HID" not in read(css, "<div class='q'><p class='x' id='y'>HID</p></div>")


@pytest.mark.parametrize(
    "css",
    [
        "@media print { .x { display: none } }",
        "@starting-style { .x { opacity: 0 } }",
        "@scope (.card) { .x { display: none } }",
        "@container (max-width: 300px) { .x { display: none } }",
        "@supports not (display: grid) { .x { display: none } }",
        "@media (max-width: 600px) { .x { display: none } }",
        "@media (width < 600px) { .x { display: none } }",
        "@media not all { .x { display: none } }",
        "@media (prefers-color-scheme: dark) { .x { display: none } }",
        "@font-face { display: none }",
        ".x { display: none } .x { display: block }",
        ".x { display: none } #y { display: block }",
        ".x { display: none } .x { display: block !important } #y { display: none }",
        ".x:hover { display: none }",
        ".x::before { display: none }",
        "/* .x { display: none } */",
        ".other { display: none }",
        ".x > b { display: none }",
        ".x { font-size: 2px }",
        ".x { opacity: 0.2 }",
        ".x { left: -9999px }",
        ".x { position: absolute; left: -20px }",
        ".x { margin: 0 -9999px; padding: 0 9999px }",
        ".x { text-indent: -2em }",
        ".x { transform: translate(-50%, -50%) }",
        ".x { opacity: 0; animation: fade 1s forwards }",
        ".x { opacity: 0; transition: opacity .3s }",
        ".x { max-height: 0; overflow: hidden; transition: max-height 1s }",
        ".x { height: 0; padding-top: 56%; overflow: hidden }",
        ".x { overflow: hidden; width: 0; flex: 1 }",
        ".x { clip-path: inset(0 0 10px 0) }",
        ".x { visibility: visible }",
        ".x { display: none; display: flex } .x { display: wrong }",
        ".q { visibility: hidden } .x { visibility: visible }",
        ".q { font-size: 0 } .x { font-size: 16px }",
        ".q { font: 0/0 a } .x { font: 12px serif }",
        ".x { text-indent: -9999px; text-indent: 0 }",
        ".q:nonsense-here, .x { display: none }",
    ],
)
def test_text_that_shows_is_kept(css):
    assert "SHOWN" in read(css, "<div class='q'><p class='x' id='y'>SHOWN</p></div>")


def test_what_an_element_hides_by_its_font_may_show_in_another():
    text = read(".row{font-size:0} .row b{font-size:16px}", "<div class='row'>HID <b>SHOWN</b> HID <i>HID</i></div>")

    assert "SHOWN" in text
    assert "HID" not in text


def test_the_attribute_wins_over_a_rule_unless_the_rule_is_important():
    assert "SHOWN" in read(".x{display:none}", "<p class='x' style='display:block'>SHOWN</p>")
    assert "HID" not in read(".x{display:none!important}", "<p class='x' style='display:block'>HID</p>")


@pytest.mark.parametrize(
    "sheet",
    [
        "<style media='print'>.x{display:none}</style>",
        "<noscript><style>.x{display:none}</style></noscript>",
        "<style type='text/less'>.x{display:none}</style>",
        "<template><style>.x{display:none}</style></template>",
    ],
)
def test_a_sheet_that_does_not_hold_hides_nothing(sheet):
    assert "SHOWN" in read("", "<p class='x'>SHOWN</p>", head=sheet)


def test_a_sheet_in_the_body_or_in_a_drawing_hides_too():
    assert "HID" not in read("", "<p class='x'>HID</p><style>.x{display:none}</style>")
    assert "HID" not in read("", "<svg><style>.x{display:none}</style></svg><p class='x'>HID</p>")


def test_what_scripts_show_is_read_where_there_are_scripts():
    faded = "<p style='opacity:0'>FADED</p>"

    assert "FADED" in read("", faded, head="<script>show()</script>")
    assert "FADED" not in read("", faded)


def test_a_page_whose_styles_hide_all_of_it_says_so():
    page = f"<style>article{{display:none}}</style><article><p>{SENTENCE}</p></article>"

    with pytest.raises(CannotRead, match="styles"):
        to_markdown(page.encode(), declared_charset=None)


def test_a_large_page_with_large_sheets_is_read_in_time():
    css = "".join(f".a{n} .b{n} > p:nth-child(2), .c{n} .d{n} {{ display: none; color: #fff }}" for n in range(4_000))
    body = "".join(f"<p class='c{n}'>Line {n} of the log.<b class='d{n}'>HID</b></p>" for n in range(4_000))
    began = time.process_time()
    text = read(f"{css} .c0 ~ .c2000 {{ display: none }}", body)

    assert "Line 3999 of the log." in text
    assert "Line 2000 of" not in text
    assert "HID" not in text
    assert time.process_time() - began < 10


def test_rules_of_a_mail_and_of_a_chapter_hide_too():
    css = "<style>.pre { display: none; font-size: 1px }</style>"
    mail = f"From: a@example.org\nSubject: Cranes\nContent-Type: text/html\n\n<html><head>{css}</head><body>"
    found = readers.read(
        f"{mail}<div class='pre'>HID</div><p>{SENTENCE}</p>".encode(), "a.eml", None, None, ReadingLimits()
    )
    book = readers.read(epub([f"{css}<p class='pre'>HID</p><p>{SENTENCE}</p>"]), "a.epub", None, None, ReadingLimits())

    for text in (found.text, book.text):
        assert "HID" not in text
        assert "fifty five" in text
