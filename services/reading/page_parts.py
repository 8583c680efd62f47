"""The parts of a page that are no part of what it says: what nobody sees, and what stands around an article."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from services.reading.hidden import drop_hidden

# Never shown as text, or only as a control.
_UNSEEN: Final = (
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "frame", "object", "embed", "audio", "video",
    "map", "input", "button", "select", "textarea", "datalist", "link", "meta", "base",
)  # fmt: skip
_AROUND: Final = ("nav", "footer", "dialog")
_ROLES: Final = ("navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar")
# Of words in a class or id, whole ones: `share` and not `shared-memory`.
_BOXES = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|newsletter|breadcrumbs?|sidebar|skip-?link|social-?(?:share|links|media)"
    r"|share-?(?:buttons|links|bar)|related-(?:posts|articles)|advert(?:isement)?|comments|comment-?(?:list|section)"
    r"|disqus|toc|table-?of-?contents|mw-editsection|navbox)(?:$|[\s_-])",
    re.I,
)
# Boxes beside the text that belong to it: notes and warnings of manuals.
_NOTES = re.compile(r"note|tip|hint|warn|caution|danger|important|admonition|callout|info", re.I)
# A box around most of a page is its frame, whatever it is called.
_MOST_OF_PAGE = 0.5


def drop_unseen(page: Any) -> int:
    """Take out of a page what a reader does not see; what stands behind it stays.

    Args:
        page: the root; scripts, styles, controls and hidden elements are gone afterwards, and inline styles with them.

    Returns:
        How many elements were hidden.
    """
    hidden = drop_hidden(page)
    for element in list(page.iter(*_UNSEEN)):
        element.drop_tree()
    for element in page.iter():
        element.attrib.pop("style", None)
    return hidden


def drop_around_article(place: Any) -> None:
    """Take out of an article's element what is there for moving on, not for reading.

    Args:
        place: the smallest element that holds the article.
    """
    most = len(place.text_content()) * _MOST_OF_PAGE
    for element in list(_boxes(place)):
        if element.getparent() is not None and len(element.text_content()) < most:
            element.drop_tree()


def _boxes(place: Any) -> Iterator[Any]:
    for element in place.iterdescendants():
        if isinstance(element.tag, str) and _is_around(element):
            yield element


def _is_around(element: Any) -> bool:
    named = f"{element.get('class') or ''} {element.get('id') or ''}"
    if element.tag in _AROUND or element.get("role") in _ROLES:
        return True
    if element.tag == "aside":
        return element.get("role") != "note" and not _NOTES.search(named)
    if element.tag == "header":
        return element.find(".//h1") is None and element.find(".//h2") is None
    return bool(_BOXES.search(named))
