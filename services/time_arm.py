"""The arm "time" over a space: the rows whose times lie in what the question names, by date or by an event.

"Before the move" is looked up: the phrase is a query of its own among the rows that the question may see, by vectors
and full text. Its best row stands for the event if it is clearly about it; else the event is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from memory.lexical import score_terms
from memory.question_time import TimeRange, around
from memory.question_time_anchors import Anchor, AnchorRelation
from memory.records import BEGINNING, Micros
from memory.retrieval import WEIGHTS, fuse
from memory.time_arm import NEVER, closeness
from services.asked import Asked
from store.row_times import RowTimes

Floats = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]

# An event's row has at least this relevance to its words and meets half of them by weight. Of 63 questions of a
# conversation benchmark that name an event 58 find one so, which gains 3.3/2.3/3.2 points in the top 5/10/15; 0.5 finds
# 54 and gains 2.8/0.7/1.6, 0.6 finds 39 and gains nothing.
CLEAR_RELEVANCE = 0.4
CLEAR_COVERAGE = 0.5
# What is told of the time before or after an event is mostly told with it, so that its own day is in.
_WITH_EVENT: Mapping[AnchorRelation, AnchorRelation] = {"before": "until", "after": "since"}
# A row found by its words is less sure to be the event than a date is to be the date.
EVENT_WORTH = 0.5
_DAY: Micros = 86_400_000_000
# How far an event's time reaches: people say "after the move" of the weeks around it.
_EVENT_SCALE: Micros = 7 * _DAY


class ByTime:
    """How close the times of rows are to those of the question."""

    def __init__(self, times: RowTimes, begins: Longs, ranges: Sequence[TimeRange]) -> None:
        """Take the times.

        Args:
            times: of the n rows of a space.
            begins: int64 (n,), from when on each holds; BEGINNING where nothing says so.
            ranges: what the question names.
        """
        self._times, self._begins, self._ranges = times, begins, ranges

    def over(self, pool: Slots) -> Floats:
        """Return the closeness of each row, of its closest time; see `Arm`."""
        times, begins = self._times, self._begins[pool]
        said = times.said[pool]
        # Most memories hold from when they were said on: these need one look.
        others = np.where(begins == said, NEVER, np.where(begins == BEGINNING, NEVER, begins))
        found = closeness(said, said + 1, self._ranges)
        np.maximum(found, closeness(others, others + 1, self._ranges), out=found)
        return np.maximum(found, closeness(times.first[pool], times.after[pool], self._ranges))

    def best(self, eligible: Mask, most: int) -> Slots:
        """Return the eligible rows whose time is closest; see `Arm`."""
        slots = np.flatnonzero(eligible)
        values = self.over(slots)
        kept = np.flatnonzero(values > 0)
        order = np.lexsort((kept, -values[kept]))[:most]
        return slots[kept[order]]


def by_time(asked: Asked) -> ByTime | None:
    """Return the arm when the question names a time, by date or by an event that a row of the space tells of."""
    times = asked.snapshot.times
    if times is None or not asked.question.times:
        return None
    question = asked.question
    begins = asked.snapshot.windows.begins(len(asked.snapshot), question.as_of, question.known_at)
    ranges = (*question.times.ranges, *_anchored(asked, times, begins))
    return ByTime(times, begins, ranges) if ranges else None


def _anchored(asked: Asked, times: RowTimes, begins: Longs) -> Iterator[TimeRange]:
    """Yield the ranges of the events that are found among the rows that the question may see."""
    for number, anchor in enumerate(asked.question.times.anchors):
        vectors = asked.meaning.phrases
        slot = _event(asked, anchor, None if vectors is None else vectors[number])
        if slot is not None:
            span = _span(times, begins, slot)
            if span is not None:
                event = TimeRange(first=span[0], after=span[1], scale=_EVENT_SCALE, worth=EVENT_WORTH)
                yield around(event, _WITH_EVENT.get(anchor.relation, anchor.relation))


def _event(asked: Asked, anchor: Anchor, vector: Floats | None) -> int | None:
    """Return the slot of the row that tells of an event; None when no row clearly does."""
    snapshot, visible = asked.snapshot, asked.view.visible
    lexical = score_terms(snapshot.query_postings(anchor.phrase, visible), visible, asked.view.lengths)
    # Of the rows that meet none of the words only the nearest can be the best.
    slots = np.flatnonzero(visible & (lexical.coverage > 0))
    if vector is not None:
        slots = np.union1d(slots, snapshot.nearest(vector, visible, 1)[0])
    if not len(slots):
        return None
    arms = {"lexical": lexical.coverage[slots]}
    if vector is not None:
        arms["vectors"] = np.clip(snapshot.compared.cosines(vector, slots), 0.0, 1.0)
    relevance = fuse(arms, {"vectors": WEIGHTS.vectors, "lexical": WEIGHTS.lexical})
    best = int(np.argmax(relevance))
    clear = relevance[best] >= CLEAR_RELEVANCE and arms["lexical"][best] >= CLEAR_COVERAGE
    return int(slots[best]) if clear else None


def _span(times: RowTimes, begins: Longs, slot: int) -> tuple[Micros, Micros] | None:
    """Return when the event of a row was: the date that it states, else its day."""
    if times.first[slot] != NEVER:
        return int(times.first[slot]), int(times.after[slot])
    moment = int(times.said[slot] if begins[slot] == BEGINNING else begins[slot])
    day = moment - moment % _DAY
    return None if moment == NEVER else (day, day + _DAY)
