"""Packs a context: whole items of several sections into a budget of tokens, in order of worth.

* **Order of worth, not worth for each token.** A section's items come best first and are tried in that order. Dividing
  worth by length would put every short fact before the one passage that answers, so length only decides whether an item
  still fits. One that does not is left out whole, and the next is tried: a single item larger than the budget costs
  nobody else a place.
* **No section starves another.** Each has a share of the budget that is its own as long as it has items: a first round
  takes every section's best items within its share. What is left over then goes, item by item, to the section that has
  used the smallest part of its share. A section that comes first (a system text) is not weighed against the others.
* **Nothing twice.** Of items that say the same, the one that is tried first is taken.
* **Never over the budget.** Costs are counted item by item with the form's headings and marks. Then the finished text
  is counted as a whole, and what was taken last is given back until it fits, whatever the tokenizer does at the seams.

The tokenizer must not make one token of two words, as none does: a text with more words than there is room for is left
out without being counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memory.ports import CountTokens
from memory.records import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What is packed whole or not at all."""

    id: str  # mem_..., chk_..., ep_... or that of a note
    text: str  # without number and date
    says: str | None = None  # equal for items that say the same; None: like no other
    at: Micros | None = None  # when it was said or written
    zone: str | None = None
    space: str | None = None
    similarity: float | None = None  # to the question, 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Items of one kind, best first."""

    name: str
    items: tuple[Item, ...]
    share: float  # of the budget, against the shares of the others; more than 0
    first: bool = False  # takes its place before the others, without a share
    backwards: bool = False  # shown last item first: the newest is worth most and is read last
    more: bool = False  # there are items that were not looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A section with what was packed of it."""

    name: str
    items: tuple[Item, ...] = ()  # in the order they are shown


class Form(Protocol):
    """How a context is written."""

    def frame(self) -> str:
        """Return what stands around the sections."""
        ...

    def heading(self, section: str) -> str:
        """Return what stands in front of a section's items; empty for one that needs no frame either."""
        ...

    def item(self, section: str, item: Item, number: int) -> str:
        """Return an item as it is shown under a number."""
        ...

    def whole(self, sections: Sequence[Filled]) -> str:
        """Return the context; items are numbered from 1 in the order they are shown."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A context and what became of every section."""

    text: str  # empty when nothing fits
    tokens: int  # of the text
    sections: tuple[Filled, ...]  # all that were handed in, in their order
    left_out: Mapping[str, int]  # items that were not packed, by section; repeated ones do not count
    more: tuple[str, ...] = ()  # sections with items that were not looked at

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return bool(self.more) or any(self.left_out.values())


def pack(sections: Sequence[Section], *, budget: int, count: CountTokens, form: Form) -> Packed:
    """Fill a budget with whole items.

    Args:
        sections: in the order they are shown, names all different; of items that say the same, the earlier section's
            has the better chance.
        budget: most tokens of the text, 0 or more; any size.
        count: the tokenizer.
        form: how it is written.

    Returns:
        The context, never over the budget.
    """
    tray = _Tray(sections=sections, count=count, form=form, room=budget)
    tray.fill()
    text = form.whole(tray.filled()) if tray.taken else ""
    while (tokens := count(text)) > budget:
        tray.give_back(tokens - budget)
        text = form.whole(tray.filled()) if tray.taken else ""
    return Packed(
        text=text, tokens=tokens, sections=tray.filled(), left_out=tray.left_out(),
        more=tuple(one.name for one in sections if one.more),
    )  # fmt: skip


@dataclass(kw_only=True)
class _Tray:
    """What is being packed."""

    sections: Sequence[Section]
    count: CountTokens
    form: Form
    room: int  # tokens that are left
    taken: list[tuple[Section, int, int]] = field(default_factory=list)  # section, place and cost, in order of taking
    said: set[str] = field(default_factory=set)
    tried: dict[str, int] = field(default_factory=dict)  # by section: its next item
    used: dict[str, int] = field(default_factory=dict)  # by section: tokens
    framed: bool = False

    def __post_init__(self) -> None:
        """Begin with every section's best."""
        self.tried = dict.fromkeys((one.name for one in self.sections), 0)
        self.used = dict(self.tried)
        self._number = sum(len(one.items) for one in self.sections)  # no item gets a longer one

    def fill(self) -> None:
        """Take what fits: the first sections, then everybody's share, then what is left over."""
        for section in self.sections:
            while section.first and self._next(section) is not None:
                self._try(section, self.room)
        weighed = [one for one in self.sections if not one.first and one.items]
        whole, room = sum(one.share for one in weighed), self.room
        for section in weighed:
            # An item over the share waits for the second round, and what is worth less waits behind it.
            while self._next(section) is not None and self._try(
                section, int(room * section.share / whole) - self.used[section.name], skip=False
            ):
                pass
        while weighed:
            section = min(weighed, key=lambda one: self.used[one.name] / one.share)
            if self._next(section) is None:
                weighed.remove(section)
            else:
                self._try(section, self.room)

    def _next(self, section: Section) -> Item | None:
        """Return the next item of a section that nothing taken says already."""
        for place in range(self.tried[section.name], len(section.items)):
            item = section.items[place]
            self.tried[section.name] = place
            if item.says is None or item.says not in self.said:
                return item
        self.tried[section.name] = len(section.items)
        return None

    def _try(self, section: Section, room: int, *, skip: bool = True) -> bool:
        """Take the next item if it is within some room; else pass it over, unless it is to be tried again."""
        item = section.items[self.tried[section.name]]
        room = min(room, self.room)
        cost = self._cost(section, item) if len(item.text.split()) <= room else room + 1
        fits = cost <= room
        if fits:
            self._take(section, item, cost)
        if fits or skip:
            self.tried[section.name] += 1
        return fits

    def _cost(self, section: Section, item: Item) -> int:
        cost = self.count(self.form.item(section.name, item, self._number))
        if not section.first and not self.framed:
            cost += self.count(self.form.frame())
        return cost if self.used[section.name] else cost + self.count(self.form.heading(section.name))

    def _take(self, section: Section, item: Item, cost: int) -> None:
        self.taken.append((section, self.tried[section.name], cost))
        self.room -= cost
        self.used[section.name] += cost
        self.framed = self.framed or not section.first
        if item.says is not None:
            self.said.add(item.says)

    def give_back(self, tokens: int) -> None:
        """Take out what was taken last, at least one item and as many as cost so many tokens."""
        while tokens > 0 and self.taken:
            section, place, cost = self.taken.pop()
            tokens -= max(1, cost)
            self.said.discard(section.items[place].says or "")

    def filled(self) -> tuple[Filled, ...]:
        """Return every section with what was taken, in the order it is shown."""
        return tuple(
            Filled(name=one.name, items=tuple(one.items[place] for place in self._places(one))) for one in self.sections
        )

    def _places(self, section: Section) -> list[int]:
        return sorted((place for one, place, _ in self.taken if one is section), reverse=section.backwards)

    def left_out(self) -> dict[str, int]:
        """Count the items that were not taken; of those that say the same one counts, and none if it was taken."""
        said: set[str | None] = set(self.said)
        counts: dict[str, int] = {}
        for section in self.sections:
            kept = set(self._places(section))
            counts[section.name] = 0
            for place, item in enumerate(section.items):
                if place not in kept and item.says not in said:
                    counts[section.name] += 1
                    said |= {item.says} - {None}
        return counts
