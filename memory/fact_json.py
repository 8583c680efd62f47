"""Reads the facts out of a model's answer: whole JSON, or the whole items of one that is cut, fenced or in prose."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import regex

# Inside a JSON text the quotation marks are escaped, so that a document's words cannot be taken for this.
_LIST = regex.compile(r'"facts"\s*:\s*\[')
_BARE_LIST = regex.compile(r"\[\s*(?=[\]{])")
# As many lists are looked at as a model may speak of before it writes one.
_MOST_STARTS = 8
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """What an answer holds."""

    items: tuple[Any, ...]  # each was whole JSON in the answer
    complete: bool  # the list was closed, so nothing is missing
    found: bool  # there was a list of facts at all


def read_items(answer: str) -> Items:
    """Return the items of an answer's list of facts, those before a break when it is broken.

    Args:
        answer: as the model wrote it.

    Returns:
        Only what is whole JSON in the answer; nothing is repaired.
    """
    whole = _whole(answer)
    if whole is not None:
        return Items(items=tuple(whole), complete=True, found=True)
    starts = list(islice(_LIST.finditer(answer), _MOST_STARTS)) or list(islice(_BARE_LIST.finditer(answer), 1))
    lists = [_list(answer, start.end()) for start in starts]
    # Prose may speak of an empty list before the real one.
    return next(
        (one for one in lists if one.items), lists[0] if lists else Items(items=(), complete=False, found=False)
    )


def _list(answer: str, start: int) -> Items:
    items: list[Any] = []
    at = _next(answer, start)
    while answer[at : at + 1] == "{":
        try:
            item, at = _DECODER.raw_decode(answer, at)
        except (ValueError, RecursionError):
            break
        items.append(item)
        at = _next(answer, at)
    return Items(items=tuple(items), complete=answer[at : at + 1] == "]", found=True)


def _next(answer: str, at: int) -> int:
    """Return the offset of the next character that is neither white space nor a comma."""
    while at < len(answer) and (answer[at].isspace() or answer[at] == ","):
        at += 1
    return at


def _whole(answer: str) -> list[Any] | None:
    try:
        read = json.loads(answer.strip())
    except (ValueError, RecursionError):
        return None
    facts = read.get("facts") if isinstance(read, Mapping) else read
    return facts if isinstance(facts, list) else None
