"""How a packed context is written: Markdown for a prompt, or JSON for a program. Both say that it was recalled.

In Markdown an item is cited by its number, which the answer lists with ids: "[12] " is 3 tokens of the embedded model's
tokenizer, an id such as `mem_01KB3ZJ5W6RXX0N4T2Q7M8V9AB` is 26, more than most facts. In JSON the ids stand beside the
texts, for a program that hands on what it chooses; a short fact takes about three times the tokens there.

A caller's own system text stands in front of the marks in Markdown: it was not recalled.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory.packing import Filled, Form, Item
from memory.recalled import HEADINGS, fence
from memory.recalled_json import RECALLED_FIELD
from memory.temporal import readable_date, to_iso

SYSTEM = "system"
SECTIONS = (SYSTEM, *HEADINGS)
# Characters of a day in ISO 8601.
_DAY = 10


class Markdown:
    """Lines under headings between the marks of recalled context."""

    def frame(self) -> str:
        """Return the marks."""
        return fence("")

    def heading(self, section: str) -> str:
        """Return the line in front of a section's items."""
        return HEADINGS.get(section, "")

    def item(self, section: str, item: Item, number: int) -> str:
        """Return an item with its number and day; a system text as it is."""
        day = f"[{readable_date(item.at, item.zone)}] " if item.at is not None else ""
        return item.text if section == SYSTEM else f"[{number}] {day}{item.text}"

    def whole(self, sections: Sequence[Filled]) -> str:
        """Return the context."""
        numbers = itertools.count(1)
        lines: list[str] = []
        for section in sections:
            if section.items and section.name != SYSTEM:
                lines.append(self.heading(section.name))
                lines += [self.item(section.name, item, next(numbers)) for item in section.items]
        own = [item.text for section in sections if section.name == SYSTEM for item in section.items]
        return "\n\n".join([*own, *([fence("\n".join(lines))] if lines else [])])


class Json:
    """One object; its tokens are those of its text without spaces and escapes."""

    def frame(self) -> str:
        """Return an object without sections."""
        return self._text({RECALLED_FIELD: True})

    def heading(self, section: str) -> str:
        """Return a section without items."""
        return f'"{section}":[],'

    def item(self, section: str, item: Item, number: int) -> str:
        """Return an item as an object; a system text as a string."""
        return self._text(item.text if section == SYSTEM else shown(item)) + ","

    def whole(self, sections: Sequence[Filled]) -> str:
        """Return the context as text."""
        return self._text(json_object(sections))

    def _text(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_object(sections: Sequence[Filled]) -> dict[str, Any]:
    """Return a context as a JSON object: a list for each section that has items, and the system text as it is.

    Args:
        sections: in the order they are shown.
    """
    value: dict[str, Any] = {RECALLED_FIELD: True}
    for section in sections:
        if section.items:
            items = [shown(item) for item in section.items]
            value[section.name] = items[0]["text"] if section.name == SYSTEM else items
    return value


def shown(item: Item) -> dict[str, Any]:
    """Return an item as JSON, with the day it is of; a whole time would be three times as many tokens."""
    day = {} if item.at is None else {"date": to_iso(item.at, item.zone)[:_DAY]}
    return {"id": item.id, **day, "text": item.text}


FORMS: Mapping[str, Form] = {"markdown": Markdown(), "json": Json()}
