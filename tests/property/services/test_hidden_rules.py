"""Whatever a style sheet holds, a page is read; and a sheet that says nothing of looks hides nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from services.reading.hidden import drop_hidden
from services.reading.page_tree import parsed

SELECTING = st.sampled_from([
    ".x", "#y", "p", "*", " ", ">", "~", "+", ",", ":not(", ":is(", ":has(", ")", "::before", ":hover", "&",
    ":nth-child(2n+1)", "[a='b']", "[", "]", "@media print", "@media (min-width:1px)", "@supports (x)", "@layer a",
])  # fmt: skip
SAYING = st.sampled_from([
    "display:none", "visibility:hidden", "opacity:0", "font:0/0 a", "left:-9999px", "position:absolute", "color:red",
    "clip:rect(0,0,0,0)", "transform:translate(-99999px)", "width:calc(1px + 2em)", "height:1e999px", "--a:b", "top:",
])  # fmt: skip
STRAY = st.sampled_from(
    ["{", "}", ";", "!important", "/*", "*/", "<!--", "-->", "\\", "'", '"', "\0", "url(", "@import 'x';"]
)
SELECTORS = st.lists(SELECTING, min_size=1, max_size=4).map("".join)
LOOKS = st.lists(SAYING, max_size=3).map(";".join)
RULES = st.tuples(SELECTORS, LOOKS).map(lambda rule: f"{rule[0]}{{{rule[1]}}}")
SHEETS = st.lists(RULES | STRAY | SELECTING, max_size=12).map("".join)
PAGE = """<html><head><style>{}</style></head><body><div class='q'><p class='x' id='y' style="{}">A <b>bold</b> word</p>
</div></body></html>"""


@settings(max_examples=300)
@given(sheet=SHEETS, own=LOOKS | SHEETS)
def test_any_sheet_and_any_attribute_can_be_read(sheet, own):
    page = parsed(PAGE.format(sheet, own.replace('"', "")))
    before = "".join(page.find("body").itertext())

    drop_hidden(page)

    left = "".join(page.find("body").itertext())
    assert all(word in before for word in left.split())


@given(selector=SELECTORS)
def test_rules_that_say_nothing_of_looks_hide_nothing(selector):
    page = parsed(PAGE.format(f"{selector}{{ color: red }} p {{ margin: 0 }}", ""))

    assert drop_hidden(page) == 0
