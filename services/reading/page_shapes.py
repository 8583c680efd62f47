"""Shapes of web pages that mean something else than what they are: brought into the form that Markdown has for it."""

from __future__ import annotations

import re
from typing import Any, Final

_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
# What a link to the heading itself says.
_PERMALINK = re.compile(r"[\s¶§#🔗\u200b\u2060]*|permalink|anchor|edit|\[edit\]", re.I)
# Columns that number the lines of a listing.
_LINE_NUMBERS = re.compile(r"(?:^|\s)(?:linenos?|line-?numbers?|gutter|blob-num|hljs-ln-numbers)(?:$|\s)", re.I)
_NUMBERS = re.compile(r"[\d\s.:|]*")
# In a cell of a table of facts there are none of these.
_LAYOUT: Final = ("table", "pre", "article", "section", "main", "form", *_HEADINGS)
_TEX = "application/x-tex"


def settle_shapes(page: Any) -> None:
    """Bring what a page says by its looks into plain elements.

    Args:
        page: the root, without what nobody sees; is changed.
    """
    _write_formulas(page)
    _drop_permalinks(page)
    _drop_line_numbers(page)
    _unfold_layout(page)
    _lift_captions(page)


def _write_formulas(page: Any) -> None:
    """Put a formula's source in its place: its parts in a row mean something else, or nothing."""
    for formula in list(page.iter("math")):
        source = next((one.text for one in formula.iter("annotation") if one.get("encoding") == _TEX), None)
        text = (source or formula.get("alttext") or "").strip() or " ".join(formula.text_content().split())
        tail = formula.tail
        formula.clear()
        formula.tag, formula.text, formula.tail = "span", text, tail


def _drop_permalinks(page: Any) -> None:
    for heading in page.iter(*_HEADINGS):
        for link in list(heading.iter("a", "button", "span")):
            if link.getparent() is not None and _PERMALINK.fullmatch(link.text_content()) and len(link.attrib):
                link.drop_tree()


def _drop_line_numbers(page: Any) -> None:
    for cell in list(page.iter("td", "th", "span", "div")):
        is_named = cell.getparent() is not None and _LINE_NUMBERS.search(cell.get("class") or "")
        if is_named and _NUMBERS.fullmatch(cell.text_content()):
            cell.drop_tree()


def _unfold_layout(page: Any) -> None:
    """Make boxes of tables that only say where things stand, the outermost first."""
    for table in list(page.iter("table")):
        if table.get("role") in ("presentation", "none") or next(table.iterdescendants(*_LAYOUT), None) is not None:
            for part in _own_parts(table):
                part.tag = "div"
            table.tag = "div"


def _own_parts(table: Any) -> list[Any]:
    parts = []
    for child in table:
        if child.tag in ("tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup"):
            parts += [child, *_own_parts(child)]
    return parts


def _lift_captions(page: Any) -> None:
    """Put a table's caption before it, as Markdown has it nowhere."""
    for caption in list(page.iter("caption")):
        table = caption.getparent()
        if table is not None and table.tag == "table" and table.getparent() is not None:
            tail = caption.tail
            table.addprevious(caption)
            caption.tag, caption.tail = "p", tail
