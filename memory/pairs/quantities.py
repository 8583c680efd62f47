"""Values of statements, and whether they are the same: numbers, measures, times of day, weekdays and months."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

from memory.pairs.quantity_words import SUMMED

# Nine thirty, as many write it.
DOTTED_TIME = regex.compile(r"(\p{Nd}{1,2})\.([0-5]\p{Nd})")


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value: a bare number, a measure, a time of day, a weekday or a month."""

    kind: str  # "" for a bare number, else the dimension, "clock", "weekday" or "month"
    amount: float  # in the smallest unit of its kind; minutes since midnight for a clock
    said: str  # the number as written, without grouping: "3.10" is not "3.1" when it counts nothing
    loose: bool = False  # it may be left out, or be meant twelve hours later

    def equals(self, other: Quantity) -> bool:
        """Tell whether two values can be the same."""
        if self.kind == other.kind:
            return _equal_of_kind(self, other)
        if "clock" in (self.kind, other.kind):
            clock, number = (self, other) if self.kind == "clock" else (other, self)
            return number.kind == "" and _shows(clock, number)
        if "" in (self.kind, other.kind):
            return self.said == other.said or self.amount == other.amount
        return False

    def is_written_as(self, other: Quantity) -> bool:
        """Tell whether two values are surely the same: eight is not 20:00, and the name Mai is not the month of May."""
        if self.kind in ("weekday", "month") or other.kind in ("weekday", "month"):
            long, short = sorted((self.said, other.said), key=len, reverse=True)
            spelled = long == short or (len(short) == 3 and long.startswith(short)) or not short.isascii()
            return spelled and (self.kind, self.amount) == (other.kind, other.amount)
        if {self.kind, other.kind} == {"", "clock"}:
            clock, number = (self, other) if self.kind == "clock" else (other, self)
            return not number.loose and _shows(clock, number) and clock.amount < 720
        if self.kind == "":
            return other.kind == "" and self.said == other.said and self.loose == other.loose
        return (self.kind, self.amount) == (other.kind, other.amount)


def same_quantities(old: Iterable[Quantity], new: Iterable[Quantity]) -> bool:
    """Tell whether every value of either side is one of the other's."""
    before, after = list(old), list(new)
    missing, added = other_quantities(before, after)
    strict = any(not one.loose or one.kind == "clock" for one in (*missing, *added))
    return (not strict and not (missing and added)) or _same_sum(before, after)


def _same_sum(before: Sequence[Quantity], after: Sequence[Quantity]) -> bool:
    """Tell whether two measures are one, told in several parts by one side: "an hour and a half", "90 minutes"."""
    kinds = {one.kind for one in (*before, *after)}
    if len(kinds) != 1 or not kinds < SUMMED or len(before) == len(after):
        return False
    return sum(one.amount for one in before) == sum(one.amount for one in after)


def other_quantities(old: Sequence[Quantity], new: Sequence[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    """Return the values of either side that the other does not have."""
    missing = [one for one in old if not any(one.equals(other) for other in new)]
    added = [one for one in new if not any(one.equals(other) for other in old)]
    return missing, added


def same_kinds(old: Iterable[Quantity], new: Iterable[Quantity]) -> bool:
    """Tell whether either side has a value that can be compared with one of the other's."""
    before, after = {one.kind for one in old}, {one.kind for one in new}
    return bool(before & after) or "" in before | after


def _equal_of_kind(one: Quantity, other: Quantity) -> bool:
    if one.kind == "":
        return one.said == other.said
    named = one.said.isalpha() and other.said.isalpha()  # noon is not midnight
    if one.kind == "clock" and (one.loose or other.loose) and not named:
        return one.amount % 720 == other.amount % 720
    return one.amount == other.amount


def _shows(clock: Quantity, number: Quantity) -> bool:
    """Tell whether a bare number can be that time of day: "ten" for 22:00, "9.30" for 9:30."""
    dotted = DOTTED_TIME.fullmatch(number.said)
    minute = int(dotted[1]) * 60 + int(dotted[2]) if dotted else number.amount * 60
    return bool(minute % 720 == clock.amount % 720)
