"""When what the rows of a space speak of was: read at the first question that names a time, kept fresh from then on.

A memory has up to three times: when it was said, a date that its words state ("I moved yesterday (2023-05-07)"), and
from when it holds, which is the begin of its window and read off the snapshot. A chunk has its document's date, and
without one that of its arrival.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.errors import InvalidInput
from memory.records import Micros
from memory.stated_dates import Written, written_dates
from memory.temporal import parse_instant
from memory.time_arm import NEVER
from store.connection import Reader
from store.segment_rows import space_range

Longs = npt.NDArray[np.int64]

# The digits of a year are looked for by SQLite, so that few texts are read.
MEMORY_TIMES = """
    SELECT row_id, said_at, said_zone, CASE WHEN statement GLOB '*[12][0-9][0-9][0-9]*' THEN statement END AS statement
    FROM memory
"""
CHUNK_TIMES = """
    SELECT row_id, coalesce(document_date, document.created_at) AS said_at, NULL AS said_zone, NULL AS statement
    FROM chunk JOIN document ON document.id = chunk.document_id
"""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowTimes:
    """Times of the n rows of a space, int64 microseconds; `NEVER` where there is none."""

    said: Longs  # (n,)
    first: Longs  # (n,), begin of the date that the words state
    after: Longs  # (n,), its end, exclusive

    @classmethod
    def empty(cls) -> RowTimes:
        """Return the times of no rows."""
        none = np.empty(0, dtype=np.int64)
        return cls(said=none, first=none, after=none)

    @property
    def nbytes(self) -> int:
        """Bytes taken."""
        return self.said.nbytes + self.first.nbytes + self.after.nbytes

    def with_rows(self, row_ids: Longs, read: Iterable[Any]) -> RowTimes:
        """Return the times after a change; these stay as they are for whoever holds them.

        Args:
            row_ids: (n,), of all rows there are now, ascending.
            read: rows of `times_of_space` or `times_by_row`: those that are new or have other times.
        """
        count = len(row_ids)
        said, first, after = (np.full(count, NEVER, dtype=np.int64) for _ in range(3))
        for new, old in ((said, self.said), (first, self.first), (after, self.after)):
            new[: len(old)] = old
        for row in read:
            slot = int(np.searchsorted(row_ids, row["row_id"]))
            if slot < count and row_ids[slot] == row["row_id"]:
                said[slot] = NEVER if row["said_at"] is None else row["said_at"]
                first[slot], after[slot] = _stated(row["statement"], row["said_zone"]) or (NEVER, NEVER)
        return RowTimes(said=said, first=first, after=after)


def times_of_space(db: Reader, space_id: int) -> Iterator[Any]:
    """Yield the times of every row of a space."""
    for select in (MEMORY_TIMES, CHUNK_TIMES):
        yield from db.execute(f"{select} WHERE row_id BETWEEN ? AND ?", space_range(space_id)).fetchall()


def times_by_row(db: Reader, ids: Sequence[int]) -> Iterator[Any]:
    """Yield the times of these rows."""
    for select in (MEMORY_TIMES, CHUNK_TIMES):
        yield from db.execute(f"{select} WHERE row_id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),))


def _stated(statement: str | None, zone: str | None) -> tuple[Micros, Micros] | None:
    """Return the first date that a statement names, as a stretch of time in the zone it was said in."""
    found = written_dates(statement) if statement else []
    if not found:
        return None
    # "(2023-05-01/2023-05-07)" is a week.
    joined = len(found) > 1 and (statement or "")[found[0].end : found[1].start] == "/"
    try:
        return _instant(found[0].first, zone), _instant(_end(found[1] if joined else found[0]), zone)
    except (InvalidInput, OverflowError, ValueError):
        return None  # at the end of the calendar


def _end(written: Written) -> date:
    """Return the day behind a written date's last."""
    if written.day is not None:
        return written.first + _DAY
    month = (written.month or 12) % 12 + 1
    return date(written.year + (month == 1), month, 1)


def _instant(day: date, zone: str | None) -> Micros:
    return parse_instant(f"{day.isoformat()}T00:00:00{zone or ''}")[0]
