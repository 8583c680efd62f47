"""Takes out of a page what its attributes and styles hide: where nobody looks, somebody may speak to a model.

What is left is what shows: text in the colour of its background, behind something else, or hidden by a sheet that the
page links to is not found.
"""

from __future__ import annotations

from typing import Any, Final

from services.reading.looks import Inherited, hides, inherited
from services.reading.style_rules import StyleRules

# Scripts show a page whose whole is hidden until they have run.
_FRAME: Final = ("html", "head", "body")


def drop_hidden(page: Any) -> int:
    """Take out of a page what is hidden; what stands behind it stays.

    Args:
        page: the root, as it was parsed: rules look at what stands before and around an element.

    Returns:
        How many elements were hidden, not counting what is in them.
    """
    rules = StyleRules(page)
    has_scripts = page.find(".//script") is not None
    gone, silent = [], []
    waiting = [(rules.root(page), Inherited())]
    while waiting:
        one, outer = waiting.pop()
        element, styles = one.etree_element, rules.declared(one)
        inner = Inherited() if element.tag in _FRAME else inherited(styles, outer)
        if element.tag not in _FRAME and (_is_marked(element) or hides(styles, may_fade_in=has_scripts)):
            gone.append(element)
            continue
        if not inner.shows_text:
            silent.append(element)
        waiting += [(child, inner) for child in one.iter_children()]
    for element in silent:
        _silence(element)
    for element in gone:
        if element.getparent() is not None:
            element.drop_tree()
    return len(gone) + len(silent)


def _is_marked(element: Any) -> bool:
    return (
        element.get("hidden") is not None
        or (element.get("aria-hidden") or "").lower() == "true"
        or element.get("popover") is not None
        or (element.tag == "dialog" and element.get("open") is None)
    )


def _silence(element: Any) -> None:
    """Take out an element's own text; what is in it may have a look of its own that shows it."""
    element.text = None
    for child in element:
        child.tail = None
