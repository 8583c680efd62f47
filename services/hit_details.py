"""What a result of a search stands on and beside: its documents, its chunks, and the versions before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.errors import NotFound
from memory.records import Clocks, Document, Hit, Memory, Scope
from services.host import Host
from store import chunks, document_lists, listings
from store.chunks import StoredChunk
from store.connection import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be told of each result."""

    documents: bool = False  # the documents it rests on
    chunks: bool = False  # the chunks it was found in
    versions: bool = False  # the versions of its chain
    forgotten: bool = False  # forgotten versions too


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What is told of one result."""

    documents: tuple[Document, ...] = ()
    chunks: tuple[StoredChunk, ...] = ()
    before: tuple[Memory, ...] = ()  # earlier versions, the nearest first
    after: tuple[Memory, ...] = ()  # later versions, the nearest first


def details(scope: Scope, host: Host, hits: Sequence[Hit], wanted: Wanted, clocks: Clocks) -> Mapping[str, Details]:
    """Return what is told of each result, by its id; a document that the scope does not see is left out.

    Args:
        scope: whose data.
        host: the adapters.
        hits: the results.
        wanted: what is to be told.
        clocks: of the search; no version that was not known then is told of.
    """
    if not (wanted.documents or wanted.chunks or wanted.versions):
        return {}
    with host.store.read(scope.tenant) as db:
        seen = document_lists.seen(scope, db, _each(_documents(one) for one in hits))
        # A chunk is told of only where its document may be.
        parts = {one.id: one for one in chunks.by_id(db, _each(map(_chunks, hits))) if one.document_id in seen}
        return {
            one.id: Details(
                documents=tuple(seen[ref] for ref in _documents(one) if ref in seen),
                chunks=tuple(parts[ref] for ref in _chunks(one) if ref in parts),
                **(_versions(scope, host, db, one, wanted, clocks) if wanted.versions else {}),
            )
            for one in hits
        }


def _documents(hit: Hit) -> list[str]:
    return _each([[one.document_id for one in hit.sources if one.document_id is not None]])


def _chunks(hit: Hit) -> list[str]:
    return _each([[one.chunk_id for one in hit.sources if one.chunk_id is not None]]) if hit.memory else []


def _each(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(one for some in lists for one in some))


def _versions(
    scope: Scope, host: Host, db: Reader, hit: Hit, wanted: Wanted, clocks: Clocks
) -> dict[str, tuple[Memory, ...]]:
    if hit.memory is None:
        return {}
    known = Clocks(known_at=clocks.known_at)
    try:
        chain = listings.history(scope, db, hit.id, known, now=host.clock())
    except NotFound:
        return {}  # it was erased since it was found
    told = [one for one in chain if wanted.forgotten or not one.is_forgotten]
    return {
        "before": tuple(one for one in reversed(told) if one.version < hit.memory.version),
        "after": tuple(one for one in told if one.version > hit.memory.version),
    }
