"""Search of documents: chunks are what is found, the documents they are of are what is returned."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.records import Document, Hit, Scope, SearchAnswer, SearchQuery
from services import search
from services.host import Host
from store import chunks, document_lists, documents
from store.chunks import StoredChunk
from store.connection import Reader

# Chunks shown of a document: what a reader takes in; a search within one document shows as many as its limit says.
MOST_CHUNKS = 10
# Chunks looked at for each document wanted, at a time.
CHUNKS_EACH = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """A document with the chunks of it that fit a question."""

    document: Document  # with `content` when it was asked for
    matching: tuple[Hit, ...]  # best first, at least one
    around: tuple[StoredChunk, ...] = ()  # those before and after, by position

    @property
    def score(self) -> float:
        """How well its best chunk fits, 0..1."""
        return self.matching[0].similarity


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentAnswer:
    """What a search of documents returns."""

    found: tuple[FoundDocument, ...]  # best first
    answer: SearchAnswer  # of the chunks it rests on
    milliseconds: float


def search_documents(
    scope: Scope, host: Host, query: SearchQuery, *, content: bool = False, around: bool = False
) -> DocumentAnswer:
    """Find the documents whose chunks fit a query best.

    Args:
        scope: whose documents.
        host: the adapters.
        query: what to look for; its limit counts documents.
        content: whether each document's whole text is wanted.
        around: whether the chunks before and after each match are wanted.

    Returns:
        As many documents as the limit says, and fewer only when no more have a chunk that passes scope, filters and
        threshold; of documents that say the same in a chunk only one is found by it.

    Raises:
        ModelUnavailable: as `services.search.search`.
        WrongModel: as `services.search.search`.
    """
    started = time.perf_counter()
    answer = _chunks_of_enough(scope, host, replace(query, mode="documents"))
    most = query.limit if query.document_id is not None else MOST_CHUNKS
    groups = list(_by_document(answer.hits).items())[: query.limit]
    with host.store.read(scope.tenant) as db:
        known = document_lists.seen(scope, db, [ref for ref, _ in groups])
        found = [
            _found(db, known[ref], tuple(hits[:most]), content=content, around=around)
            for ref, hits in groups
            if ref in known
        ]
    milliseconds = (time.perf_counter() - started) * 1000
    return DocumentAnswer(found=tuple(found), answer=answer, milliseconds=milliseconds)


def _chunks_of_enough(scope: Scope, host: Host, query: SearchQuery) -> SearchAnswer:
    """Search until the chunks are of as many documents as are wanted, each time without those that were found.

    How well a row fits does not depend on which others may be found, so what a later search finds fits no better.
    """
    depth = query.limit * (1 if query.document_id is not None else CHUNKS_EACH)
    answers: list[SearchAnswer] = []
    found: set[str] = set()
    while True:
        # What comes later fits no better, so only the first are read again.
        asked = replace(query, limit=depth, without=frozenset(found), rerank=query.rerank and not answers)
        answer = search.search(scope, host, asked)
        answers.append(answer)
        found |= set(_by_document(answer.hits))
        if len(found) >= query.limit or len(answer.hits) < depth or query.document_id is not None:
            return _joined(answers)


def _joined(answers: Sequence[SearchAnswer]) -> SearchAnswer:
    hits = tuple(hit for one in answers for hit in one.hits)
    told = dict.fromkeys(sentence for one in answers for sentence in one.degraded)
    return replace(answers[0], hits=hits, total=len(hits), degraded=tuple(told))


def _by_document(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    groups: dict[str, list[Hit]] = {}
    for one in hits:
        groups.setdefault(str(one.document_id), []).append(one)
    return groups


def _found(db: Reader, document: Document, matching: tuple[Hit, ...], *, content: bool, around: bool) -> FoundDocument:
    text = _text(db, document) if content else None
    beside = _around(db, matching) if around else ()
    return FoundDocument(document=replace(document, content=text), matching=matching, around=beside)


def _text(db: Reader, document: Document) -> str:
    return documents.revision(db, document.id, document.live_revision or document.latest_revision).content


def _around(db: Reader, matching: Sequence[Hit]) -> tuple[StoredChunk, ...]:
    first = matching[0].sources[0]
    positions = {one.position for one in matching if one.position is not None}
    wanted = {near for one in positions for near in (one - 1, one + 1)} - positions
    return tuple(chunks.at(db, matching[0].document_id or "", first.revision or 0, sorted(wanted)))
