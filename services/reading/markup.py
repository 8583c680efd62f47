"""HTML of a document's own (a chapter, a message, what a word processor wrote) to Markdown, all of it.

For pages of the web, of which only the article is wanted, there is `services.reading.html`.
"""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup, Tag
from lxml import html as lxml_html  # type: ignore[import-untyped]
from markdownify import MarkdownConverter

from services.reading.markdown import tidy
from services.reading.page_parts import drop_unseen
from services.reading.page_tree import parsed

# What is never shown as text.
_NOT_SHOWN = ("head", "math", "img")
_WEB = ("http://", "https://")
# Longer ones are made to count who follows them.
_LONGEST_LINK = 120


# How pages and books name the language of a listing, on it or on what is around it.
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?)[-\s]\s*([A-Za-z][\w+#]*)(?:$|[\s;])"
)
_NO_LANGUAGES = ("none", "text", "plain", "plaintext", "default", "notranslate", "highlight")


class _Converter(MarkdownConverter):
    """Keeps short links to the web only, and a bar in a cell from ending the cell."""

    def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
        href = str(el.get("href") or "")
        leads = href.startswith(_WEB) and len(href) <= _LONGEST_LINK
        return str(super().convert_a(el, text, parent_tags)) if leads else text  # type: ignore[misc]

    def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(super().convert_td(el, text.replace("|", "\\|"), parent_tags))  # type: ignore[misc]

    def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
        return str(super().convert_th(el, text.replace("|", "\\|"), parent_tags))  # type: ignore[misc]


def to_markdown(html: str, *, is_xml: bool = False) -> str:
    """Return HTML as Markdown, without what is hidden.

    Args:
        html: a whole page or a part of one.
        is_xml: it is XHTML, and read as that.

    Raises:
        CannotRead: its entities unfold to more than it has reason for.
    """
    page = parsed(html, is_xml=is_xml)
    if page is None:
        return ""
    drop_unseen(page)
    return written(lxml_html.tostring(page, encoding="unicode"))


def written(html: str) -> str:
    """Return HTML as Markdown.

    Args:
        html: what is left of a page without what is hidden and without scripts and comments.
    """
    soup = BeautifulSoup(html, "lxml")
    for one in soup.find_all(_NOT_SHOWN):
        if not one.decomposed:
            one.decompose()
    converter = _Converter(
        heading_style="ATX", bullets="-", escape_asterisks=False, escape_underscores=False, escape_misc=False,
        table_infer_header=True, strip=["font", "span"], code_language_callback=_language_of,
    )  # fmt: skip
    return tidy(converter.convert_soup(soup))


def _language_of(listing: Tag) -> str | None:
    """Return the language of a listing, as classes say it."""
    outer = [one for one in listing.parents if isinstance(one, Tag)][:2]
    for one in (listing.find("code"), listing, *outer):
        named = " ".join(one.get_attribute_list("class")) if isinstance(one, Tag) and one.has_attr("class") else ""
        for found in _LANGUAGE.finditer(named):
            if found[1].lower() not in _NO_LANGUAGES:
                return found[1].lower()
    return None


def title_of(html: str) -> str | None:
    """Return the title of a page; None when it has none."""
    found = re.search(r"<title[^>]*>(.*?)</title>", html[: 64 * 1024], re.I | re.S)
    text = " ".join(BeautifulSoup(found[1], "lxml").get_text().split()) if found else ""
    return text or None
