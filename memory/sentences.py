"""Finds sentences in prose of many languages, in linear time on any input."""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

# A line shorter than this that is followed by a capital ends a sentence: text wrapped by an editor has longer lines.
_SHORT_LINE = 60

_BREAK = regex.compile(
    r"""(?P<stop>[.!?…؟۔।॥։።]+)(?P<quote>["'”’»)\]*_]*)   # stops of scripts that write a space behind them
      | (?P<wide>[。！？｡]+[”』」）】]*)                        # stops that need no space
      | (?P<line>(?:\r\n|\r|\n)\s*)                    # one or more line breaks
    """,
    regex.VERBOSE,
)
_ITEM = re.compile(r"(?:[-+*•–]|\d{1,3}[.)])[ \t]|\||>|#{1,6}[ \t]")
_QUOTE = re.compile(r"[ \t]*>[> \t]*")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*\Z")
_EXTENDS = regex.compile(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]")
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms prof st jr sr vs etc e.g i.e eg ie cf no nr fig approx dept est inc ltd co corp gen col "
    "capt lt sgt rev hon gov sen rep pres mt ave blvd rd vol ed eds pp al ca jan feb mar apr jun jul aug sep "
    "sept oct nov dec mon tue wed thu fri sat sun a.m p.m bzw z.b d.h u.a usw inkl zzgl ggf evtl bspw str hr "
    "fr mme mlle m sra srta sr dra ud".split()
)
_MAY_END = frozenset({"etc", "a.m", "p.m", "al", "inc", "ltd", "co", "corp", "usw", "jr", "sr", "no", "sun", "sat"})


def sentences(text: str) -> list[tuple[int, int]]:
    """Find the sentences of a text.

    Args:
        text: prose, a chat message or a Markdown paragraph.

    Returns:
        Spans (start, end) in order, not overlapping, none blank, without outer white space. A break is put after a stop
        that is followed by white space (abbreviations, initials and decimals do not count), after a full-width stop, at
        a blank line, before a list item, and at the end of a short line that is followed by a capital letter.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in _ends(text):
        _append(spans, text, start, end)
        start = end
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    part = text[start:end]
    lead = len(part) - len(part.lstrip())
    size = len(part.strip())
    if size:
        spans.append((start + lead, start + lead + size))


def _ends(text: str) -> Iterator[int]:
    """Yield the offsets where a sentence ends."""
    start = line_start = 0
    for found in _BREAK.finditer(text):
        end = found.end()
        kind = found.lastgroup if found.lastgroup != "quote" else "stop"
        if kind == "line":
            ends = _line_ends(text, found.start(), end, line_start)
            line_start = end
        else:
            ends = kind == "wide" or _stop_ends(text, start, found.start(), found.end("stop"), end)
        if ends and not _EXTENDS.match(text, end):
            yield end
            start = end


def _line_ends(text: str, line_end: int, following: int, line_start: int) -> bool:
    line_end = line_start + len(text[line_start:line_end].rstrip())
    gap = text[line_end:following]
    quoted = _QUOTE.match(text, following)
    if quoted and _QUOTE.match(text, line_start):
        following = quoted.end()  # a quotation goes on
    if gap.count("\n") + gap.count("\r") - gap.count("\r\n") > 1 or _ITEM.match(text, following):
        return True
    continues = text[following : following + 1].islower()
    if line_end - line_start >= _SHORT_LINE:
        return text[line_end - 1 : line_end] == ":" and not continues
    return text[line_end - 1 : line_end] == ":" or not continues


def _stop_ends(text: str, start: int, stop: int, stop_end: int, end: int) -> bool:
    """Decide whether a run of stops ends the sentence that began at `start`."""
    if end < len(text) and not text[end].isspace():
        return False
    if text[stop:stop_end] != ".":
        return not (text.startswith(("...", "…"), stop) and _next_letter(text, end).islower())
    before = text[max(start, stop - 20) : stop]
    if not before.strip():
        return False
    word = _LAST_WORD.search(before)
    if word is None:
        return not _is_item_number(text, start, stop)
    name = word.group().lower()
    if name in _ABBREVIATIONS:
        return name in _MAY_END and _next_letter(text, end).isupper()
    if "." in name or (len(name) == 1 and name.isascii() and name != "i"):
        return "." in name and _next_letter(text, end).isupper() and len(name) > 3
    return True


def _is_item_number(text: str, start: int, stop: int) -> bool:
    """Return whether the stop belongs to the number of a list item, as in "1. First"."""
    return stop - start < 8 and text[start:stop].strip().isdigit()


def _next_letter(text: str, at: int) -> str:
    return text[at : at + 3].lstrip()[:1]
