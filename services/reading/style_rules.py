"""The rules of a page's own style sheets: which declarations hold for which element, as a browser decides it.

A sheet is what stands in `style` elements. What a page links to is not fetched, and custom properties are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import cssselect2  # type: ignore[import-untyped]
import tinycss2  # type: ignore[import-untyped]

from services.reading import media
from services.reading.looks import LOOKED_AT, Declared, is_valid

# A page shows what is under them only where scripts do not run, or never.
_ELSEWHERE: Final = ("noscript", "template")
# What pages ask for with `@supports`; a browser of today has it.
_SUPPORTED: Final = frozenset(
    "display position object-fit aspect-ratio backdrop-filter -webkit-backdrop-filter filter clip-path mask-image "
    "-webkit-mask-image grid-template-columns grid-template-rows grid-area gap inset overflow overscroll-behavior "
    "scroll-behavior -webkit-overflow-scrolling color background-clip -webkit-background-clip font-variation-settings "
    "width height min-height padding margin transform animation transition columns column-count hyphens writing-mode "
    "text-wrap accent-color content-visibility contain".split()
)
_PROPERTY = re.compile(r"\(\s*([\w-]+)\s*:")
_IN_BRACKETS = re.compile(r"\((.*?)\)", re.S)
# Shorthands and old names of what is looked at.
_NAMED: Final[Mapping[str, str]] = {
    "font": "font-size", "overflow-y": "overflow", "-webkit-transform": "transform", "-webkit-clip-path": "clip-path",
    "-webkit-animation": "animation", "-webkit-animation-name": "animation", "animation-name": "animation",
    "-webkit-transition": "transition", "transition-property": "transition", "-webkit-opacity": "opacity",
}  # fmt: skip
# As deep as people nest rules; what is deeper was made to cost time.
_DEEPEST = 20


class _Element(cssselect2.ElementWrapper):  # type: ignore[misc]
    """An element whose siblings before it are walked one by one: the library's own way recurses over all of them."""

    @property
    def previous_siblings(self) -> Iterator[Any]:
        one = self.previous
        while one is not None:
            yield one
            one = one.previous


class StyleRules:
    """The rules of one page."""

    def __init__(self, page: Any) -> None:
        """Read the style sheets of a page.

        Args:
            page: the root element, with its `style` elements.
        """
        self._matcher = cssselect2.Matcher()
        self._named = _names_in(page)
        for sheet in page.iter("style"):
            if _counts(sheet):
                self._add(tinycss2.parse_stylesheet(sheet.text or "", True, True), "", 0)

    def root(self, page: Any) -> Any:
        """Return the root as `declared` takes elements; its `iter_children` gives the others."""
        return _Element.from_html_root(page)

    def declared(self, element: Any) -> Declared:
        """Return what holds for an element: of the sheets, and of its own attribute `style`.

        Args:
            element: of `root`.
        """
        found: Declared = {}
        for _, _, pseudo_element, declarations in self._matcher.match(element):
            if pseudo_element is None:
                _take(found, declarations, own=False)
        style = element.etree_element.get("style")
        if style:
            _take(found, _declarations(style), own=True)
        return found

    def _add(self, rules: Iterable[Any], outer: str, depth: int) -> None:
        if depth > _DEEPEST:
            return
        for rule in rules:
            if rule.type == "qualified-rule":
                self._add_rule(rule, outer, depth)
            elif rule.type == "at-rule" and rule.content is not None and _holds(rule):
                self._add_framed(rule.content, _scoped(rule) or outer, depth + 1)

    def _add_framed(self, content: Any, outer: str, depth: int) -> None:
        """Add what stands in a frame: rules, and inside of a rule declarations too."""
        if not outer:
            self._add(tinycss2.parse_rule_list(content, True, True), "", depth)
            return
        inner = tinycss2.parse_blocks_contents(content, True, True)
        self._add_declarations(outer, inner)
        self._add(inner, outer, depth)

    def _add_rule(self, rule: Any, outer: str, depth: int) -> None:
        selector = _within(outer, tinycss2.serialize(rule.prelude))
        inner = tinycss2.parse_blocks_contents(rule.content, True, True)
        self._add_declarations(selector, inner)
        self._add(inner, selector, depth + 1)

    def _add_declarations(self, selector: str, inner: Iterable[Any]) -> None:
        declarations = _kept(inner)
        if not declarations or not selector:
            return
        tokens = tinycss2.parse_component_value_list(selector, True)
        try:
            compiled = cssselect2.compile_selector_list(tokens)
        except (cssselect2.SelectorError, NotImplementedError, SyntaxError):
            return  # a browser leaves out the rule of a selector that it does not know, too
        for one, needed in zip(compiled, _needed(tokens), strict=True):
            if needed <= self._named:
                self._matcher.add_selector(one, declarations)


def _counts(sheet: Any) -> bool:
    kind = (sheet.get("type") or "text/css").split(";")[0].strip().lower()
    elsewhere = any(one.tag in _ELSEWHERE for one in sheet.iterancestors())
    return kind == "text/css" and not elsewhere and media.holds(sheet.get("media") or "")


def _holds(rule: Any) -> bool:
    """Whether the rules in a frame hold; those of a frame that is not known here do neither hide nor show."""
    asked = tinycss2.serialize(rule.prelude)
    match rule.lower_at_keyword:
        case "media":
            return media.holds(asked)
        case "container":
            # Of the window's size, which is the most that a container has; its name does not matter.
            return media.holds(asked[asked.find("(") :] if "(" in asked else "")
        case "supports":
            return _is_supported(asked)
        case "layer" | "scope":
            return True
        case _:
            return False


def _is_supported(asked: str) -> bool:
    named = _PROPERTY.findall(asked.lower())
    is_known = bool(named) and set(named) <= _SUPPORTED
    return is_known and not asked.strip().lower().startswith("not")


def _scoped(rule: Any) -> str | None:
    """Return the selector of the elements that `@scope` is about; None for another frame, or where it names none."""
    if rule.lower_at_keyword != "scope":
        return None
    found = _IN_BRACKETS.search(tinycss2.serialize(rule.prelude))
    return found[1].strip() if found else None


def _names_in(page: Any) -> frozenset[str]:
    """Return each class with a dot before it, and each id with a `#`, that a page has."""
    elements = [one for one in page.iter() if isinstance(one.tag, str)]
    classes = (f".{name}" for one in elements for name in (one.get("class") or "").split())
    return frozenset((*classes, *(f"#{one.get('id')}" for one in elements if one.get("id"))))


def _needed(tokens: Iterable[Any]) -> list[frozenset[str]]:
    """Return for each selector of a list the classes and ids without which it selects nothing.

    Most rules of a large sheet are for other pages; each of them that ends in the name of a tag would be tried for
    every such element.
    """
    needed: list[set[str]] = [set()]
    before = None
    for one in tokens:
        if one == ",":
            needed.append(set())
        elif one.type == "ident" and before == ".":
            needed[-1].add(f".{one.value}")
        elif one.type == "hash":
            needed[-1].add(f"#{one.value}")
        before = one
    return list(map(frozenset, needed))


def _within(outer: str, selector: str) -> str:
    """Return the selector of a rule that stands inside another one."""
    if not outer:
        return selector
    return selector.replace("&", f":is({outer})") if "&" in selector else f":is({outer}) {selector}"


@lru_cache(maxsize=1024)
def _declarations(style: str) -> tuple[Any, ...]:
    return _kept(tinycss2.parse_blocks_contents(style, True, True))


def _kept(parsed: Iterable[Any]) -> tuple[Any, ...]:
    """Return the declarations that matter here: name, whether it is important, values."""
    declarations = [one for one in parsed if one.type == "declaration"]
    named = [(_NAMED.get(one.lower_name, one.lower_name), bool(one.important), _values(one)) for one in declarations]
    return tuple(one for one in named if one[0] in LOOKED_AT and is_valid(one[0], one[2]))


def _values(declaration: Any) -> tuple[Any, ...]:
    return tuple(one for one in declaration.value if one.type not in ("whitespace", "comment"))


def _take(found: Declared, declarations: Iterable[Any], *, own: bool) -> None:
    for name, important, values in declarations:
        rank = 2 * important + own
        if name not in found or found[name][0] <= rank:
            found[name] = (rank, values)
