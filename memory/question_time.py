"""Reads the times that a question names: dates and ranges ("in May", "since 2021", "last spring", "vor drei Wochen").

A question is read more boldly than a statement (`memory.relative_dates`): what has two readings gets the likelier one,
because a time only raises the rows that lie in it and takes from none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import regex

from memory.question_time_anchors import Anchor, AnchorRelation, find_anchors
from memory.question_time_named import LEAD_CHARS, Named, lead_of, named_times
from memory.question_time_spells import Spell
from memory.question_time_words import BEHIND, OPENING, PART_BEHIND, TO, UNIT_DAYS
from memory.records import BEGINNING, FOREVER, Micros
from memory.relative_words import UNITS
from memory.temporal import to_iso

# Nobody asks for a time behind so many characters; what follows is a pasted text.
READ_CHARS = 1000
# A month without a year can be that of any year, but the last one is meant more often.
EARLIER_YEAR = 0.5
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_DAY: Micros = timedelta(days=1) // _MICROSECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """A stretch of time that a question names."""

    first: Micros
    after: Micros  # exclusive, later than `first`
    scale: Micros  # the length of what was named, at least a day: how near to it a row must lie
    worth: float = 1.0  # 0..1, how surely it is meant


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTime:
    """What a question says about time."""

    ranges: tuple[TimeRange, ...] = ()
    anchors: tuple[Anchor, ...] = ()  # events that stand for a time, to be looked up

    def __bool__(self) -> bool:
        """Return whether it says anything."""
        return bool(self.ranges or self.anchors)


def read_question(text: str, now: Micros, zone: str | None = None) -> QuestionTime:
    """Find the times that a question names.

    English, German, French, Spanish, Chinese and Japanese are read. Seasons are those of the northern half of the
    earth; weeks begin on Monday. The offset is taken to hold at every named time: where the clocks were put forward or
    back since, a bound is an hour off.

    Args:
        text: the question; its first 1,000 characters are read.
        now: what "last spring" counts from, microseconds UTC.
        zone: the asker's offset, e.g. "+02:00", in which days and months begin; None: UTC.

    Returns:
        Half-open ranges in UTC and the events that stand for a time, both in the order of the text; empty for none.
    """
    head = text[:READ_CHARS]
    moment = datetime.fromisoformat(to_iso(now, zone))
    local, shift = moment.replace(tzinfo=None), (moment.utcoffset() or timedelta()) // _MICROSECOND
    ranges: list[TimeRange] = []
    spans: list[tuple[int, int]] = []
    for one, end in _paired(head, named_times(head, local)):
        if end is not None:
            ranges.append(_between(one, end, shift))
            spans.append((one.start, end.end))
        else:
            ranges += _ranges(head, one, shift)
            spans.append((one.start, one.end))
    return QuestionTime(ranges=tuple(ranges), anchors=find_anchors(head, spans))


def around(named: TimeRange, relation: AnchorRelation) -> TimeRange:
    """Return what lies so to a time.

    Args:
        named: the time.
        relation: how; "during" for the time itself.
    """
    bounds = {
        "before": (BEGINNING, named.first), "until": (BEGINNING, named.after), "since": (named.first, FOREVER),
        "after": (named.after, FOREVER), "during": (named.first, named.after),
    }  # fmt: skip
    first, after = bounds[relation]
    return replace(named, first=first, after=after)


def _paired(text: str, named: Sequence[Named]) -> Iterator[tuple[Named, Named | None]]:
    """Yield the times that are meant, with the end of the range where they begin one.

    Words that mean a time only behind another ("may", "fall") are dropped where there is none.
    """
    waiting: Named | None = None
    for one in named:
        if waiting is not None and _joins(text, waiting, one):
            yield waiting, one
            waiting = None
            continue
        lead = lead_of(text, one.start)
        if waiting is not None and waiting.start < lead.start:
            yield waiting, None
        waiting = one if one.sure or lead.said else None
    if waiting is not None:
        yield waiting, None


def _joins(text: str, one: Named, end: Named) -> bool:
    """Tell whether two named times are the ends of a range."""
    found = TO.fullmatch(text, one.end, end.start)
    if found is None:
        return False
    return bool(found["sure"]) or OPENING.search(text[: one.start], max(0, one.start - LEAD_CHARS)) is not None


def _between(one: Named, end: Named, shift: Micros) -> TimeRange:
    """Return what lies from the begin of one time to the end of another; the year of either stands for both."""
    first, last = one.spells[0], end.spells[0]
    if len(one.spells) == 1:
        # "From March 2023 to June": the June after it.
        last = min((spell for spell in end.spells if spell.after > first.first), default=first)
    else:
        first = max((spell for spell in one.spells if spell.first < last.after), default=last)
    return _range(first.first, last.after, min(first, last, key=Spell.length), shift)


def _ranges(text: str, one: Named, shift: Micros) -> list[TimeRange]:
    """Turn what a named time can mean into ranges, with the words before and behind it."""
    lead = lead_of(text, one.start).said
    behind, part = BEHIND.match(text, one.end), PART_BEHIND.match(text, one.end)
    spells = _part(one.spells, lead, _groups(part))
    relation = _relation(lead) or _relation(_groups(behind))
    ranges = [
        _range(spell.first, spell.after, spell, shift, worth=EARLIER_YEAR if place else 1.0)
        for place, spell in enumerate(spells)
    ]
    if relation is None:
        return ranges
    return [_beside(ranges[0], relation, lead["near"]) if "near" in lead else around(ranges[0], relation)]


def _beside(named: TimeRange, relation: AnchorRelation, near: str) -> TimeRange:
    """Return what lies right before or after a time: "the week before 9 June", "the Friday after Easter"."""
    days = UNIT_DAYS[UNITS.get(near.casefold(), "week")]
    length = round(days * _DAY)
    if relation == "before":
        return replace(named, first=named.first - length, after=named.first, scale=length)
    return replace(named, first=named.after, after=named.after + length, scale=length)


def _part(spells: Sequence[Spell], *said: Mapping[str, str | None]) -> Sequence[Spell]:
    """Cut a period down to its first, middle or last third where "early", "mid" or "late" is said of it."""
    for third in range(3):
        if any(one.get(f"part{third}") for one in said):
            return [spell.third(third) for spell in spells]
    return spells


def _relation(said: Mapping[str, str | None]) -> AnchorRelation | None:
    relations: Sequence[AnchorRelation] = ("before", "until", "since", "after")
    return next((relation for relation in relations if said.get(relation)), None)


def _groups(found: regex.Match[str] | None) -> Mapping[str, str | None]:
    return found.groupdict() if found else {}


def _range(first: datetime, after: datetime, named: Spell, shift: Micros, *, worth: float = 1.0) -> TimeRange:
    """Return a range of local times in UTC, as far-reaching as the length of what was named."""
    return TimeRange(
        first=(first - _EPOCH) // _MICROSECOND - shift, after=(after - _EPOCH) // _MICROSECOND - shift,
        scale=max(named.length() // _MICROSECOND, _DAY), worth=worth,
    )  # fmt: skip
