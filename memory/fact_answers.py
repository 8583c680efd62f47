"""Turns a model's answer into facts that its source bears out; everything else is refused and counted.

A fact is kept only with a quote that stands in the source. What the text orders, what was recalled, what would be a
statement about the user by somebody else, and dates or numbers that the source does not have are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import regex

from memory.excerpts import Excerpt
from memory.extraction_prompt import LONGEST_QUOTE, LONGEST_TEXT, SYSTEM, unescaped
from memory.fact_claims import denies_otherwise, has_another_subject, strange_names
from memory.fact_json import read_items
from memory.instructions import imitations, reads_as_instruction
from memory.kinds import kind_of
from memory.quotes import find_quote
from memory.recalled import recalled_spans
from memory.records import Entity, MemoryKind, Micros, Relation, Statement
from memory.relative_dates import day_of, with_absolute
from memory.stated_dates import is_stated, read_instant, written_dates
from memory.statements import equality_key, normalised, states_something

# Of what an assistant says; as the rules give it.
ASSISTANT_CONFIDENCE = 0.5
DEFAULT_CONFIDENCE = 0.7
_MOST_NAMES = 12
_LONGEST_NAME = 80
# Never rules or skills, which a person has to approve.
_KINDS: Mapping[str, MemoryKind] = {"fact": "fact", "preference": "preference", "episode": "episode"}
_NUMBER = regex.compile(r"\d+(?:[.,:]\d+)*")
# Small numbers are written out in one language and in digits in another.
_LEAST_NUMBER = 13
_DANGLING = regex.compile(
    r"(?:he|she|they|him|her|it|er|elle|ils|elles|él|ella|ellos|ellas)\b"
    r"|(?:this|that|these|those)\s+(?:is|are|was|were|has|have|had|means?|will|would|can)\b",
    regex.IGNORECASE,
)
_FIRST_PERSON = regex.compile(r"(?:i|we|my|our|ich|wir|je|nous|yo|nosotros)\b", regex.IGNORECASE)
_THE_USER = r"(?:the\s+)?(?:user|human|customer|client)"
_SURROGATE = regex.compile(r"[\uD800-\uDFFF]")
_NAMED_TYPES = frozenset(("person", "organisation", "organization", "place"))
# Characters in front of a quote in which a denial of it is looked for.
_LEAD = 80
# A repetition of the instructions is at least this long; a shorter sentence may be like a part of them by chance.
_REPEATED_CHARS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an answer came to."""

    facts: tuple[Statement, ...]  # of a conversation, `position` is the index of the message
    refused: tuple[str, ...]  # why, for each fact that was not kept
    valid: bool  # there was a list of facts to read
    complete: bool  # and it was whole


class _Refused(Exception):
    """A fact that is not kept; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a fact's quote stands."""

    excerpt: Excerpt
    start: int  # in the excerpt
    end: int

    @property
    def quote(self) -> str:
        return self.excerpt.text[self.start : self.end]


def read_facts(answer: str, excerpts: Sequence[Excerpt], *, before: Sequence[Excerpt] = (), source: str = "") -> Found:
    """Read the facts of an answer.

    Args:
        answer: as the model wrote it: JSON, or something that holds it.
        excerpts: what the model was shown to extract from: the one of a document, or the messages.
        before: what it was shown besides, which may name those that the facts are about.
        source: how the conversation is called.

    Returns:
        The facts in the order of their quotes, each with `quote == source[start:end]`, and why others were refused.
    """
    read = read_items(answer)
    shown = (*before, *excerpts)
    known = (source, *(told for one in shown for told in (one.text, one.about, one.speaker or "")))
    facts: list[Statement] = []
    refused: list[str] = []
    for item in read.items:
        try:
            facts.append(_fact(item, excerpts, known))
        except _Refused as why:
            refused.append(str(why))
    kept = {equality_key(one.text, one.speaker): one for one in reversed(facts)}
    ordered = sorted(kept.values(), key=lambda one: (one.position, one.start))
    if ordered and excerpts[0].index is None:
        ordered = [replace(one, position=position) for position, one in enumerate(ordered)]
    return Found(
        facts=tuple(ordered), refused=tuple(refused), valid=read.found and (read.complete or bool(read.items)),
        complete=read.complete,
    )  # fmt: skip


def _fact(item: Any, excerpts: Sequence[Excerpt], known: Sequence[str]) -> Statement:
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str) or not isinstance(item.get("quote"), str):
        raise _Refused("it is no fact with a text and a quote")
    if _SURROGATE.search(json.dumps(item, ensure_ascii=False)):
        raise _Refused("it has characters that are none")
    place = _place(item, excerpts)
    source = place.excerpt
    _check_place(place)
    text = " ".join(unescaped(item["text"]).split())[: 2 * LONGEST_TEXT]
    _check_text(text, place, excerpts)
    _check_claims(text, item, place, excerpts, known)
    reference = day_of(source.said_at, source.said_zone)
    begins, ends = _window(item, place)
    entities = _entities(item, f"{text} {place.quote}")
    return Statement(
        text=with_absolute(text, reference), quote=place.quote, start=source.offset + place.start,
        end=source.offset + place.end, speaker=source.speaker, said_at=source.said_at, said_zone=source.said_zone,
        kind=_kind(item, text, source), confidence=_confidence(item, source), position=source.index or 0,
        valid_from=begins, valid_to=ends, entities=entities, relations=_relations(item, entities), role=source.role,
    )  # fmt: skip


def _place(item: Mapping[str, Any], excerpts: Sequence[Excerpt]) -> _Place:
    """Find the quote: in the message that is named, else in the first that has it."""
    quote = unescaped(item["quote"])
    for excerpt in sorted(excerpts, key=lambda one: one.index is None or one.index != item.get("message")):
        span = find_quote(quote, excerpt.text)
        if span is None and len(item["quote"]) >= LONGEST_QUOTE:
            # The answer's form ended the quote, perhaps within a word.
            span = find_quote(quote.rsplit(maxsplit=1)[0], excerpt.text)
        if span is not None:
            return _Place(excerpt=excerpt, start=span[0], end=span[1])
    raise _Refused("its quote is not in the source")


def _check_place(place: _Place) -> None:
    source = place.excerpt
    if source.role in ("tool", "system"):
        raise _Refused(f"it rests on what a {source.role} message says")
    if _overlaps(place, [*recalled_spans(source.text, message=source.role is not None), *source.recalled]):
        raise _Refused("it rests on recalled context")
    if source.role != "user" and _overlaps(place, imitations(source.text)):
        raise _Refused("it rests on an imitated answer")


def _overlaps(place: _Place, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < place.end and place.start < end for start, end in spans)


def _check_text(text: str, place: _Place, excerpts: Sequence[Excerpt]) -> None:
    source = place.excerpt
    if not states_something(text):
        raise _Refused("it states nothing")
    if recalled_spans(text, message=True):
        raise _Refused("it has the form of recalled context")
    if len(text) >= _REPEATED_CHARS and normalised(text) in normalised(SYSTEM):
        raise _Refused("it repeats the instructions")
    if source.role != "user" and (reads_as_instruction(text) or reads_as_instruction(place.quote)):
        raise _Refused("it is an order and no fact")
    if _DANGLING.match(text) or (source.speaker is None and _FIRST_PERSON.match(text)):
        raise _Refused("it cannot be understood alone")
    if source.role == "assistant" and _is_about_user(text, excerpts):
        raise _Refused("the assistant said it of the user")
    _check_figures(text, place, excerpts)


def _check_claims(
    text: str, item: Mapping[str, Any], place: _Place, excerpts: Sequence[Excerpt], known: Sequence[str]
) -> None:
    source = place.excerpt
    entities = [name for name, type_ in _named(item.get("entities"), "name", "type") if type_ in _NAMED_TYPES]
    if strange_names(text, entities, known):
        raise _Refused("it names what the source does not")
    if denies_otherwise(text, place.quote, source.text[max(0, place.start - _LEAD) : place.start]):
        raise _Refused("it denies what the source does not, or the reverse")
    speakers = [one.speaker for one in excerpts if one.speaker]
    if source.role is not None and has_another_subject(text, place.quote, source.speaker, speakers):
        raise _Refused("it is about another than the one who said it")


def _is_about_user(text: str, excerpts: Sequence[Excerpt]) -> bool:
    names = {one.speaker for one in excerpts if one.role == "user" and one.speaker}
    named = "|".join([_THE_USER, *map(regex.escape, sorted(names))])
    return regex.match(rf"\W*(?:{named})(?:['’]s)?(?!\w)", text, regex.IGNORECASE) is not None


def _check_figures(text: str, place: _Place, excerpts: Sequence[Excerpt]) -> None:
    """Refuse dates and numbers that neither the quote nor what stands around it has."""
    reference = day_of(place.excerpt.said_at, place.excerpt.said_zone)
    sources = _sources(place)
    rest, done = [], 0
    for written in written_dates(text):
        if not is_stated(written, sources, reference):
            raise _Refused("it names a date that the source does not")
        rest.append(text[done : written.start])
        done = written.end
    rest.append(text[done:])
    known = {one for shown in (*sources, *(each.text for each in excerpts)) for one in _NUMBER.findall(shown)}
    if any(
        one not in known and not (one.isdigit() and int(one) < _LEAST_NUMBER) for one in _NUMBER.findall(" ".join(rest))
    ):
        raise _Refused("it names a number that the source does not")


def _sources(place: _Place) -> tuple[str, ...]:
    return place.quote, place.excerpt.about, place.excerpt.speaker or ""


def _window(item: Mapping[str, Any], place: _Place) -> tuple[Micros | None, Micros | None]:
    """Return when it became true and ceased to be, as far as the source says so."""
    reference = day_of(place.excerpt.said_at, place.excerpt.said_zone)
    found: list[Micros | None] = []
    for name in ("valid_from", "valid_to"):
        read = read_instant(item.get(name), place.excerpt.said_zone)
        found.append(read[1] if read and is_stated(read[0], _sources(place), reference) else None)
    begins, ends = found
    return begins, None if begins is not None and ends is not None and ends <= begins else ends


def _kind(item: Mapping[str, Any], text: str, source: Excerpt) -> MemoryKind:
    told = item.get("kind")
    kind = kind_of(text) if told is None else _KINDS.get(str(told).casefold())
    if kind is None:
        raise _Refused("it has a kind that is not extracted")
    # A preference is the user's.
    return "fact" if source.role == "assistant" and kind == "preference" else kind


def _confidence(item: Mapping[str, Any], source: Excerpt) -> float:
    told = item.get("confidence")
    sure = isinstance(told, int | float) and not isinstance(told, bool) and 0 <= told <= 1
    confidence = float(told) if sure else DEFAULT_CONFIDENCE  # type: ignore[arg-type]
    return min(confidence, ASSISTANT_CONFIDENCE) if source.role == "assistant" else confidence


def _named(value: Any, *fields: str) -> list[tuple[str, ...]]:
    """Return the given fields of those of a list's objects that have them all as short texts."""
    rows = []
    for one in value if isinstance(value, list) else []:
        told = [one.get(field) for field in fields] if isinstance(one, Mapping) else [None]
        texts = [" ".join(each.split()) for each in told if isinstance(each, str)]
        if len(texts) == len(fields) and all(0 < len(text) <= _LONGEST_NAME for text in texts):
            rows.append(tuple(texts))
    return rows[:_MOST_NAMES]


def _entities(item: Mapping[str, Any], said: str) -> tuple[Entity, ...]:
    """Keep the entities that the fact or its quote names."""
    text = normalised(said)
    named = {name: type_ for name, type_ in _named(item.get("entities"), "name", "type") if normalised(name) in text}
    return tuple(Entity(name=name, type=type_) for name, type_ in named.items())


def _relations(item: Mapping[str, Any], entities: Sequence[Entity]) -> tuple[Relation, ...]:
    names = {one.name for one in entities}
    return tuple(
        Relation(origin=origin, type=type_, target=target)
        for origin, type_, target in dict.fromkeys(_named(item.get("relations"), "from", "type", "to"))
        if origin in names and target in names and origin != target
    )
