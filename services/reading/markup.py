"""HTML of a document's own (a chapter, a message, what a word processor wrote) to Markdown, all of it.

For pages of the web, of which only the article is wanted, there is `services.reading.html`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from bs4 import BeautifulSoup, Comment, Tag
from markdownify import MarkdownConverter

from services.reading.markdown import tidy

# What is never shown as text, or only outside the text.
_NOT_SHOWN = ("script", "style", "noscript", "template", "head", "iframe", "object", "embed", "svg", "math", "canvas",
              "audio", "video", "img", "input", "button", "select", "textarea")  # fmt: skip
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0(?:px|pt|em)?\s*(?:;|$)"
    r"|mso-hide\s*:\s*all",
    re.I,
)

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


def to_markdown(html: str) -> str:
    """Return HTML as Markdown, without what is hidden.

    Args:
        html: a whole page or a part of one.
    """
    soup = BeautifulSoup(html, "lxml")
    _drop(soup.find_all(_NOT_SHOWN))
    _drop(one for one in soup.find_all(True) if _is_hidden(one))
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
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


def _drop(elements: Iterable[Any]) -> None:
    for one in elements:
        if not one.decomposed:
            one.decompose()


def _is_hidden(one: Tag) -> bool:
    if one.decomposed or one.attrs is None:
        return False
    style = str(one.attrs.get("style") or "")
    return one.has_attr("hidden") or one.attrs.get("aria-hidden") == "true" or bool(_HIDDEN.search(style))
