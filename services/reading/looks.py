"""Whether the styles of an element hide its text: from whoever looks at the page, not from who reads its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.reading.media import HEIGHT_PIXELS, WIDTH_PIXELS

# Units in pixels; those of a font as browsers set it at first.
_PIXELS: Final[Mapping[str, float]] = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945, "em": 16.0, "rem": 16.0,
    "ex": 8.0, "ch": 8.0, "vw": WIDTH_PIXELS / 100, "vh": HEIGHT_PIXELS / 100, "%": WIDTH_PIXELS / 100,
}  # fmt: skip
_FONT_PIXELS = 16.0
# A font that nobody reads.
_SMALLEST_FONT_PIXELS = 1.0
# So far to the left or above nothing is on a screen; decoration is moved by less.
_OFF_PIXELS = -999.0
# Beyond the largest screens, and further than a carousel moves its row.
_FAR_PIXELS = 5_000.0
# Boxes for programs that read aloud are one pixel large.
_BOX_PIXELS = 1.0
_FAINTEST = 0.01
_CLIPPED_SHARE = 0.5
_SIDES: Final = ("top", "right", "bottom", "left")
# Another value makes a declaration void, so that an earlier one holds.
_KNOWN: Final[Mapping[str, frozenset[str]]] = {
    "display": frozenset(
        "none inline block inline-block flex inline-flex grid inline-grid contents table inline-table table-row "
        "table-cell table-row-group table-header-group table-footer-group table-column table-column-group "
        "table-caption list-item flow flow-root run-in ruby ruby-base ruby-text math -webkit-box -webkit-inline-box "
        "-webkit-flex -ms-flexbox -ms-grid -moz-box inherit initial unset revert revert-layer".split()
    ),
    "visibility": frozenset("visible hidden collapse inherit initial unset revert revert-layer".split()),
    "position": frozenset("static relative absolute fixed sticky -webkit-sticky inherit initial unset revert".split()),
    "overflow": frozenset("visible hidden clip scroll auto overlay inherit initial unset revert".split()),
}
# Of these a value is a number, a length or one of some words.
_MEASURED: Final = frozenset((
    "opacity", "font-size", "text-indent", "left", "top", "right", "bottom", "inset", "margin", "margin-left",
    "margin-top", "width", "height", "max-height", "padding", "padding-left", "padding-top", "padding-bottom",
    "min-height",
))  # fmt: skip
_MEASURES: Final = ("number", "dimension", "percentage")
_SIZE_WORDS: Final = frozenset(
    "auto none inherit initial unset revert revert-layer min-content max-content fit-content stretch hanging each-line "
    "-webkit-fill-available -moz-available xx-small x-small small medium large x-large xx-large xxx-large smaller "
    "larger math".split()
)
_PLACED: Final = ("absolute", "fixed")
_MOVED: Final = (*_PLACED, "relative", "sticky", "-webkit-sticky")
_CUT: Final = ("hidden", "clip")

# What gives a box a size that its height does not tell.
_SIZED: Final = ("padding", "padding-top", "padding-bottom", "flex", "flex-grow", "min-height")
_PADDED: Final = ("padding", "padding-left", "padding-top")
LOOKED_AT: Final = frozenset((
    *_KNOWN, *_SIZED, *_PADDED, "font-size", "text-indent", "content-visibility", "mso-hide", "opacity", "animation",
    "transition", "left", "top", "right", "bottom", "inset", "margin", "margin-left", "margin-top", "clip", "clip-path",
    "width", "height", "max-height", "transform",
))  # fmt: skip

Values = tuple[Any, ...]  # tokens, without white space
# The values of a property, and the rank of what said so: 1 more for the element's own attribute, 2 for `!important`.
Declared = dict[str, tuple[int, Values]]
Styles = Mapping[str, tuple[int, Values]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """What an element hands down to those in it."""

    visible: bool = True  # by `visibility`
    font_pixels: float = _FONT_PIXELS
    indented_off: bool = False  # by `text-indent`

    @property
    def shows_text(self) -> bool:
        """Whether text that stands in such an element is seen."""
        return self.visible and self.font_pixels > _SMALLEST_FONT_PIXELS and not self.indented_off


def inherited(styles: Styles, outer: Inherited) -> Inherited:
    """Return what an element hands down.

    Args:
        styles: what holds for it.
        outer: what it was handed down itself.
    """
    word = _word(styles, "visibility")
    visible = outer.visible if word in ("", "inherit", "unset") else word not in ("hidden", "collapse")
    indents = _lengths(styles, "text-indent")
    off = indents[0] <= _OFF_PIXELS if indents else outer.indented_off
    font = _font_of(styles["font-size"][1], outer.font_pixels) if "font-size" in styles else outer.font_pixels
    return Inherited(visible=visible, font_pixels=font, indented_off=off)


def hides(styles: Styles, *, may_fade_in: bool) -> bool:
    """Return whether an element and all that is in it is unseen.

    Args:
        styles: what holds for the element.
        may_fade_in: scripts run in the page: an element without opacity of its own attribute is shown by them.
    """
    return (
        _word(styles, "display") == "none"
        or _word(styles, "content-visibility") == "hidden"
        or _word(styles, "mso-hide") == "all"
        or _is_faint(styles, may_fade_in=may_fade_in)
        or _is_off_screen(styles)
        or _is_clipped(styles)
        or _is_folded(styles)
        or _is_moved_away(styles)
    )


def _is_faint(styles: Styles, *, may_fade_in: bool) -> bool:
    rank, values = styles.get("opacity", (0, ()))
    alpha = _share(values[0]) if values else None
    if alpha is None or alpha > _FAINTEST or _is_animated(styles):
        return False
    # An odd rank is the element's own attribute, which is what scripts set.
    return not (may_fade_in and rank % 2)


def _is_animated(styles: Styles) -> bool:
    return any(_word(styles, name) not in ("", "none") for name in ("animation", "transition"))


def _is_off_screen(styles: Styles) -> bool:
    margins = _lengths(styles, "margin", "margin-left", "margin-top")
    # With a padding it is a background that is drawn wider than its text.
    if any(one <= _OFF_PIXELS for one in margins) and not _has_size(styles, _PADDED):
        return True
    position = _word(styles, "position")
    edges = _lengths(styles, "left", "top", "right", "bottom", "inset") if position in _MOVED else []
    return any(one <= _OFF_PIXELS or (one >= _FAR_PIXELS and position in _PLACED) for one in edges)


def _is_clipped(styles: Styles) -> bool:
    sides = [_pixels(one) or 0.0 for one in _numbers(_function(styles, "clip", "rect"))]
    if len(sides) == len(_SIDES) and _word(styles, "position") in _PLACED:
        top, right, bottom, left = sides
        return (right - left) * (bottom - top) <= _BOX_PIXELS
    inset = [_percent(one) for one in _numbers(_function(styles, "clip-path", "inset"))]
    circle = _numbers(_function(styles, "clip-path", "circle"))
    gone = max(inset, default=0.0) >= 1 or (len(inset) == 1 and inset[0] >= _CLIPPED_SHARE)
    return gone or (bool(circle) and circle[0].value == 0)


def _is_folded(styles: Styles) -> bool:
    """Whether a box has no size and cuts off what does not fit; one that unfolds in a movement is read."""
    if _word(styles, "overflow") not in _CUT:
        return False
    is_box = any(one <= _BOX_PIXELS for one in _lengths(styles, "width", "height"))
    if is_box and _word(styles, "position") in _PLACED:
        return True
    is_flat = any(one <= 0 for one in _lengths(styles, "height", "max-height"))
    return is_flat and not _is_animated(styles) and not _has_size(styles, _SIZED)


def _has_size(styles: Styles, names: Sequence[str]) -> bool:
    """Whether one of some properties gives a box a size; what is computed, as of `calc()`, counts as one."""
    tokens = [one for name in names for one in styles.get(name, (0, ()))[1]]
    return any(one.type == "function" or (one.type in _MEASURES and one.value > 0) for one in tokens)


def _is_moved_away(styles: Styles) -> bool:
    for function in styles.get("transform", (0, ()))[1]:
        if function.type != "function":
            continue
        numbers = _numbers(function.arguments)
        if function.lower_name.startswith("scale") and any(one.value == 0 for one in numbers):
            return True
        # A share is one of the element's own size, as carousels move their parts.
        lengths = [_pixels(one) or 0.0 for one in numbers if one.type != "percentage"]
        if function.lower_name.startswith("translate") and min(lengths, default=0.0) <= -_FAR_PIXELS:
            return True
    return False


def _font_of(values: Values, outer: float) -> float:
    """Return the size of a font in pixels; of the shorthand `font` it is the first length."""
    for one in values:
        if one.type == "dimension" and one.lower_unit == "em":
            return float(one.value) * outer
        if one.type == "percentage":
            return float(one.value) * outer / 100
        if one.type == "ident" and one.lower_value in ("inherit", "unset", "larger", "smaller"):
            return outer
        # A number without a unit is a weight, if it is not zero.
        if one.type == "dimension" or (one.type == "number" and one.value == 0):
            pixels = _pixels(one)
            return _FONT_PIXELS if pixels is None else pixels
    return _FONT_PIXELS


def _word(styles: Styles, name: str) -> str:
    values = styles.get(name, (0, ()))[1]
    return next((one.lower_value for one in reversed(values) if one.type == "ident"), "")


def _lengths(styles: Styles, *names: str) -> list[float]:
    tokens = [one for name in names for one in styles.get(name, (0, ()))[1]]
    return [one for one in map(_pixels, tokens) if one is not None]


def _pixels(token: Any) -> float | None:
    if token.type == "number":
        return 0.0 if token.value == 0 else None
    if token.type == "percentage":
        return float(token.value) * _PIXELS["%"]
    if token.type != "dimension":
        return None
    per = _PIXELS.get(token.lower_unit.removeprefix("d").removeprefix("s").removeprefix("l"))
    return None if per is None else float(token.value) * per


def _share(token: Any) -> float | None:
    if token.type == "percentage":
        return float(token.value) / 100
    return float(token.value) if token.type == "number" else None


def _percent(token: Any) -> float:
    return float(token.value) / 100 if token.type == "percentage" else 0.0


def _function(styles: Styles, name: str, called: str) -> Sequence[Any]:
    values = styles.get(name, (0, ()))[1]
    found = (one.arguments for one in values if one.type == "function" and one.lower_name == called)
    return next(found, ())


def _numbers(tokens: Sequence[Any]) -> list[Any]:
    return [one for one in tokens if one.type in ("number", "dimension", "percentage")]


def is_valid(name: str, values: Values) -> bool:
    """Return whether a browser takes a declaration; one that it does not take leaves the earlier one in force.

    Args:
        name: of the property.
        values: its tokens without white space.
    """
    if name in _KNOWN:
        return bool(values) and all(one.type == "ident" and one.lower_value in _KNOWN[name] for one in values)
    # Several values for a font are those of the shorthand: a family is any word.
    if name in _MEASURED and not (name == "font-size" and len(values) > 1):
        return bool(values) and all(
            one.type in (*_MEASURES, "function") or (one.type == "ident" and one.lower_value in _SIZE_WORDS)
            for one in values
        )
    return bool(values)
