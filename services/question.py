"""A search as every space is asked it: the query with what has been understood of it once."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory.ports import Vectors
from memory.question_time import QuestionTime
from memory.records import Micros, SearchQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query as every space is asked it."""

    query: SearchQuery
    as_of: Micros
    known_at: Micros
    depth: int  # how many rows are wanted
    times: QuestionTime = field(default_factory=QuestionTime)  # none when that arm is off


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a model made of a question; nothing when none was asked or none answered."""

    vector: Vectors | None = None  # (dimension,), of the query
    phrases: Vectors | None = None  # (k, dimension), of the events that stand for a time
