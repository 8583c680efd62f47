"""A page of the web to the Markdown of its article: what a reader sees of it, without menus, banners and hidden text.

Trafilatura says which part of a page is the article. What it found is looked for in the page, and the smallest element
that holds it is written as Markdown whole, because an extractor's own text loses what makes chunks: the language of a
fence, the header of a table, the level of a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import trafilatura
from lxml import html as lxml_html  # type: ignore[import-untyped]

from services.reading import markup
from services.reading.charsets import decode_html
from services.reading.entities import has_declarations
from services.reading.extracted import Extracted
from services.reading.page_parts import drop_around_article, drop_unseen
from services.reading.page_shapes import settle_shapes
from services.reading.page_tree import parsed
from services.reading.refusals import CannotRead

# A line of an article that says where it is; shorter ones stand in menus too.
_TELLING_CHARACTERS = 20
# Lines that are looked for; so many, evenly spread, find the place as well as all of them.
_SAMPLED_LINES = 150
# A part that holds so much of the article is the article; the rest was a caption or a stray box.
_SHARE_OF_ARTICLE = 0.9
# When no more than this is left of an article without its boxes, the boxes are what the page is about.
_LEAST_SHARE = 0.1
# What a frame of a page has no child of.
_TEXT = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "blockquote", "dl", "hgroup"))
_NO_WORDS = re.compile(r"\W+")
_FIRST_LEVEL = re.compile(r"^# \S", re.M)
ONLY_SCRIPTS = "This page has no text of its own: scripts make it in a browser. Save it from there and send the file."
NO_TEXT = "There is no text in this page."
ALL_HIDDEN = "The page's own styles hide all of its text. Open it, and send what you see as text."


def to_markdown(html: bytes, *, declared_charset: str | None, is_xml: bool = False) -> Extracted:
    """Return the article of a page as Markdown.

    Args:
        html: the page's bytes.
        declared_charset: as the HTTP header or the upload says; the bytes and the page itself may know better.
        is_xml: it is XHTML, and read as that.

    Returns:
        The text, the page's title, and warnings.

    Raises:
        CannotRead: there is no text in it, or its entities unfold to more than it has reason for.
    """
    text, warnings = decode_html(html, declared_charset)
    page = parsed(text, is_xml=is_xml or has_declarations(text))
    if page is None:
        raise CannotRead(NO_TEXT)
    title = _title(page)
    has_scripts = page.find(".//script") is not None
    hidden = drop_unseen(page)
    settle_shapes(page)
    article = _written(page)
    if not article:
        raise CannotRead(ONLY_SCRIPTS if has_scripts else ALL_HIDDEN if hidden else NO_TEXT)
    if title and not _FIRST_LEVEL.search(article):
        article = f"# {title}\n\n{article}"
    return Extracted(text=article, title=title, warnings=warnings, media_type="text/html")


def _title(page: Any) -> str | None:
    found = page.find(".//head/title")
    if found is None:
        found = page.find(".//h1")
    return " ".join(found.text_content().split()) or None if found is not None else None


def _written(page: Any) -> str:
    """Return the article of a page, or all that it shows when no article is found in it."""
    body = page.find("body")
    body = page if body is None else body
    lines = _telling_lines(page)
    place = _place(body, lines) if lines else body
    article = deepcopy(place)
    drop_around_article(article)
    if len(_plain(article)) < len(_plain(place)) * _LEAST_SHARE:
        article = place
    return markup.written(lxml_html.tostring(article, encoding="unicode"))


def _telling_lines(page: Any) -> list[str]:
    """Return lines of the article, reduced to their letters and digits."""
    found = trafilatura.extract(page, output_format="txt", include_comments=False, favor_recall=True) or ""
    lines = [one for line in found.splitlines() if len(one := _NO_WORDS.sub("", line)) >= _TELLING_CHARACTERS]
    return lines[:: max(1, len(lines) // _SAMPLED_LINES)]


def _place(body: Any, lines: list[str]) -> Any:
    """Return the smallest element that holds the article."""
    place, needed = body, _SHARE_OF_ARTICLE * _held(_plain(body), lines)
    while needed and not _has_own_text(place) and (inner := next(_holding(place, lines, needed), None)) is not None:
        place = inner
    return place


def _has_own_text(place: Any) -> bool:
    """Whether an element is more than a frame: what it says itself belongs to the article, its first heading too."""
    return any(child.tag in _TEXT for child in place)


def _holding(place: Any, lines: list[str], needed: float) -> Iterator[Any]:
    least = sum(map(len, lines)) * _SHARE_OF_ARTICLE / 2
    for child in place:
        if isinstance(child.tag, str):
            plain = _plain(child)
            if len(plain) >= least and _held(plain, lines) >= needed:
                yield child


def _held(plain: str, lines: list[str]) -> int:
    return sum(line in plain for line in lines)


def _plain(element: Any) -> str:
    return _NO_WORDS.sub("", element.text_content())
