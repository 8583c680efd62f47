"""Recognises a message that only repeats what is known: search results pasted back, line by line, without our marks.

`memory.recalled` knows recalled text by its form, without a store. What has no form of its own, such as a fact that
nobody is named for, can only be known by what it says.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from memory.fillers import states_something
from memory.sentences import sentences
from memory.statements import equality_key

# What a list, a citation, a score or a profile's mark of doubt puts in front of a line, and around a JSON text.
_LEAD = regex.compile(
    r"^[ \t>]*(?:(?:[*•-]|\[\d{1,3}\]|\d{1,3}[.)]|[01]?\.\d+)[ \t]+)?(?:\[(?:Disputed|Unjudged)\][ \t]*)?[\"“]?"
)
_TAIL = regex.compile(r"[\"”],?$")
# "Here is what I know about you:"
_HEADING = regex.compile(r"[^\n.!?]{1,120}[:：]\s*")
_SPOKEN = regex.compile(r"([^\n:]{1,200}): (\S.*)")


def only_repeats(quote: str, is_known: Callable[[str], bool]) -> bool:
    """Tell whether every line of a quote says what a memory says, with or without who said it in front.

    Args:
        quote: part of a message, verbatim.
        is_known: whether a live memory has this equality key.

    Returns:
        True only if nothing is left that is not known; lines that state nothing, and those that only lead to others, do
        not count.
    """
    lines = [line.strip() for line in quote.splitlines() if states_something(line)]
    told = [line for line in lines if not _HEADING.fullmatch(line)]
    return bool(told) and all(_is_known(_bare(line), is_known) for line in told)


def _bare(line: str) -> str:
    bare = _LEAD.sub("", line)
    return _TAIL.sub("", bare) if bare.endswith(('"', "”", '",', "”,")) and bare.count('"') % 2 else bare


def _is_known(line: str, is_known: Callable[[str], bool]) -> bool:
    if any(map(is_known, _keys(line))):
        return True
    parts = [line[start:end] for start, end in sentences(line)]
    return len(parts) > 1 and all(any(map(is_known, _keys(part))) for part in parts)


def _keys(text: str) -> list[str]:
    """Return the equality keys of a text, taken whole and as "who: what"."""
    spoken = _SPOKEN.fullmatch(text.strip())
    return [equality_key(text, None), *([equality_key(spoken[2], spoken[1])] if spoken else [])]
