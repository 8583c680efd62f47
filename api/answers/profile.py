"""Profiles and their buckets."""

from __future__ import annotations

from api.answers.base import Answer, CamelAnswer, Timestamp
from api.answers.search import Found
from memory.records import MemoryKind


class Lines(CamelAnswer):
    """A profile as lines of text."""

    static: list[str]
    dynamic: list[str]
    buckets: dict[str, list[str]]


class Line(CamelAnswer):
    """What one line of a profile rests on."""

    id: str
    memory: str
    kind: MemoryKind
    is_static: bool
    source_count: int
    is_disputed: bool
    is_unjudged: bool
    container_tag: str
    valid_from: Timestamp | None
    updated_at: Timestamp | None


class Details(CamelAnswer):
    """The memories of a profile's lines."""

    static: list[Line]
    dynamic: list[Line]
    buckets: dict[str, list[Line]]


class Profile(CamelAnswer):
    """What holds about a space, what is new in it, and its buckets."""

    profile: Lines
    search_results: Found | None = None
    details: Details | None = None
    degraded: list[str] | None = None


class Bucket(Answer):
    """A part of a profile."""

    key: str
    description: str


class SpaceBucket(Bucket):
    """A part of the profiles of a space."""

    container_tag: str


class CamelBuckets(CamelAnswer):
    """The buckets of a space as Supermemory shows them."""

    buckets: list[Bucket]


class Buckets(Answer):
    """Buckets with the space of each."""

    buckets: list[SpaceBucket]
