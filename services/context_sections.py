"""Where the items of a context come from: each section's best first, read in one scope and at one pair of clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory.errors import BrokerDown, ModelError
from memory.packing import Item
from memory.profile import doubt
from memory.recalled import own_spans
from memory.recency import told_at
from memory.records import Clocks, Episode, Hit, Memory, Scope, SearchQuery
from memory.statements import attributed, equality_key
from services import profile, scratchpad
from services import search as searching
from services.host import Host
from store import episodes, sessions

# Sections that need a question, and sections that need a session.
OF_QUESTION = ("memories", "chunks")
OF_SESSION = ("scratchpad", "turns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a section is asked for."""

    scope: Scope
    host: Host
    query: SearchQuery | None
    clocks: Clocks
    most: int  # items that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What there is for a section."""

    items: tuple[Item, ...] = ()  # best first
    more: bool = False  # there are items that were not looked at
    degraded: tuple[str, ...] = ()  # what is missing and why, one sentence each
    reason: str | None = None  # why nothing was found


def of_profile(asked: Asked) -> Looked:
    """Return what is lasting, then what is new."""
    wanted = profile.Wanted(clocks=asked.clocks, parts=("static", "dynamic"))
    found = profile.profile(asked.scope, asked.host, wanted)
    return Looked(items=tuple(_fact(one) for one in (*found.static, *found.dynamic)))


def of_memories(asked: Asked) -> Looked:
    """Return the memories that fit the question."""
    return _searched(asked, "memories", lambda hit: _fact(hit.memory, hit) if hit.memory else None)


def of_chunks(asked: Asked) -> Looked:
    """Return the passages of documents that fit the question."""
    return _searched(asked, "documents", _passage)


def _searched(asked: Asked, mode: Literal["memories", "documents"], shown: Callable[[Hit], Item | None]) -> Looked:
    assert asked.query is not None
    # One more than wanted tells whether there are more.
    query = replace(asked.query, mode=mode, limit=asked.most + 1)
    try:
        found = searching.search(asked.scope, asked.host, query)
    except ModelError as error:
        return Looked(degraded=(f"Nothing was searched: {error.message}",))
    items = [item for hit in found.hits[: asked.most] if (item := shown(hit))]
    return Looked(items=tuple(items), more=len(found.hits) > asked.most, degraded=found.degraded, reason=found.reason)


def of_scratchpad(asked: Asked) -> Looked:
    """Return the notes of the session, newest first; without the broker there are none."""
    as_of, known_at = asked.clocks.resolved(asked.host.clock())
    items: list[Item] = []
    for space in asked.scope.spaces:
        try:
            pad = scratchpad.read(replace(asked.scope, spaces=(space,)), asked.host)
        except BrokerDown as error:
            return Looked(degraded=(f"Notes are left out: {error.message}",))
        items += [
            Item(id=f"note_{space}_{number}", text=note.text, at=note.at, space=space)
            for number, note in enumerate(pad.notes, 1)
            if note.at <= min(as_of, known_at)
        ]
    return _newest(items, asked.most)


def of_turns(asked: Asked) -> Looked:
    """Return what was said in the session, newest first."""
    as_of, known_at = asked.clocks.resolved(asked.host.clock())
    said: list[Item] = []
    with asked.host.store.read(asked.scope.tenant) as db:
        for session in sessions.named(asked.scope, db, asked.scope.session or ""):
            rows = episodes.recent(db, session.id, as_of=as_of, known_at=known_at, limit=asked.most + 1)
            said += [item for row in reversed(rows) if (item := _turn(row))]
    return _newest(said, asked.most)


def _newest(items: Sequence[Item], most: int) -> Looked:
    """Return the last items, last first."""
    return Looked(items=tuple(reversed(items))[:most], more=len(items) > most)


def _fact(memory: Memory, hit: Hit | None = None) -> Item:
    return Item(
        id=memory.id,
        text=f"{doubt(memory)}{attributed(memory.statement, memory.speaker, None)}",
        says=equality_key(memory.statement, memory.speaker),
        at=told_at(memory),
        zone=memory.said_zone,
        space=memory.space,
        similarity=hit.similarity if hit else None,
    )


def _passage(hit: Hit) -> Item:
    """Return a chunk, with the document's title unless its headings or its text begin with it."""
    is_told = hit.title is None or hit.title in hit.heading or hit.text.startswith(hit.title)
    title = None if is_told else hit.title
    return Item(
        id=hit.id, text=attributed(hit.text, title, None), says=equality_key(hit.text, None),
        at=next((one.said_at for one in hit.sources), None), space=hit.space, similarity=hit.similarity,
    )  # fmt: skip


def _turn(episode: Episode) -> Item | None:
    """Return an episode without what was recalled into it, which would be told twice; None when nothing is left."""
    own = "".join(episode.content[start:end] for start, end in own_spans(episode.content)).strip()
    if not own:
        return None
    at = episode.recorded_at if episode.said_at is None else episode.said_at
    return Item(
        id=episode.id, text=attributed(own, episode.name or episode.role, None), at=at, zone=episode.said_zone
    )  # fmt: skip


SOURCES: Mapping[str, Callable[[Asked], Looked]] = {
    "profile": of_profile,
    "memories": of_memories,
    "chunks": of_chunks,
    "scratchpad": of_scratchpad,
    "turns": of_turns,
}
