"""Search inside one space: its rows are scored with its own statistics, filtered before they are ranked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory import filters
from memory.lexical import relative_lengths, score_terms
from memory.ports import Vectors
from memory.records import Micros, RowKind, Scope, SearchQuery
from memory.retrieval import Scored, best, cosines, score
from memory.segmentation import query_terms, segment
from memory.text_folding import fold
from services.host import Host
from services.results import RankedRow
from store import believed, documents, segment_rows
from store.segments import SegmentCache
from store.snapshots import NOBODY, Snapshot

Mask = npt.NDArray[np.bool_]

# A word as a reranker's tokenizer splits it off.
_WORD = re.compile(r"\w+")

KINDS: Mapping[str, tuple[RowKind, ...]] = {
    "memories": ("memory",),
    "documents": ("chunk",),
    "hybrid": ("memory", "chunk"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query as every space is asked it."""

    query: SearchQuery
    vector: Vectors | None  # (dimension,); None when no model answered
    as_of: Micros
    known_at: Micros
    depth: int  # how many rows are wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one space holds for a question."""

    rows: tuple[RankedRow, ...] = ()  # best first
    weights: Mapping[str, float]  # of the words of the query, for a reranker
    degraded: str | None = None  # what was left out and why
    wrong_model: bool = False  # the vectors were left out, because the query's is of another model
    eligible: int = 0  # rows that could have been found


def search_space(scope: Scope, host: Host, space: str, question: Question) -> Found:
    """Find the best rows of one space.

    Args:
        scope: whose rows.
        host: the adapters; without a segment cache of its own the space is loaded for this call.
        space: name; one that does not exist is empty.
        question: what to look for.
    """
    query = question.query
    cache = host.search or SegmentCache(host.store)
    snapshot = cache.segment(scope.tenant, space, facts=query.filters is not None)
    if snapshot is None or not len(snapshot):
        return Found(weights={})
    visible = snapshot.visible(scope, as_of=question.as_of, known_at=question.known_at, kinds=KINDS[query.mode])
    wrong = None if question.vector is None else _mismatch(snapshot, host, question.vector)
    degraded = wrong or (None if question.vector is None else _lacking(snapshot, visible))
    scored = _score(snapshot, query, None if wrong else question.vector, visible)
    eligible = visible & _chosen(scope, host, snapshot, question)
    slots = best(scored.relevance, eligible, snapshot.text_keys, question.depth, query.threshold)
    return Found(
        rows=tuple(_ranked(snapshot, scored, int(slot)) for slot in slots),
        weights=_word_weights(snapshot, query.q, visible) if query.rerank else {},
        degraded=degraded,
        wrong_model=wrong is not None,
        eligible=int(np.count_nonzero(eligible)),
    )


def _score(snapshot: Snapshot, query: SearchQuery, vector: Vectors | None, visible: Mask) -> Scored:
    """Score every row by the arms there are; the visible ones are each other's surroundings and statistics."""
    lengths = relative_lengths(snapshot.lengths, snapshot.kinds, visible)
    lexical = score_terms({term: snapshot.posting(term) for term in query_terms(query.q)}, visible, lengths)
    arms = {"lexical": lexical.coverage}
    if vector is not None:
        # A query of punctuation says nothing to full text: its arm is left out instead of halving every score.
        arms = {**(arms if lexical.weights else {}), "vectors": cosines(snapshot.vectors, vector)}
    return score(
        arms,
        reading_order=snapshot.reading_order[visible[snapshot.reading_order]],
        groups=snapshot.groups,
        speaker=_speaker_rows(snapshot, query.q),
        surroundings=query.surroundings,
    )


def _ranked(snapshot: Snapshot, scored: Scored, slot: int) -> RankedRow:
    return RankedRow(
        row_id=int(snapshot.row_ids[slot]),
        text_key=int(snapshot.text_keys[slot]),
        relevance=float(scored.relevance[slot]),
        explain={name: float(values[slot]) for name, values in scored.parts.items()},
    )


def _word_weights(snapshot: Snapshot, q: str, visible: Mask) -> dict[str, float]:
    """Weigh every word of the query as it is written, stop words too, for a reranker that reads all of them."""
    terms_of = {word: segment(word) for word in _WORD.findall(fold(q))}
    postings = {term: snapshot.posting(term) for terms in terms_of.values() for term in terms}
    weights = score_terms(postings, visible, np.ones(len(snapshot), dtype=np.float32)).weights
    return {word: max(weights[term] for term in terms) for word, terms in terms_of.items() if terms}


def _speaker_rows(snapshot: Snapshot, q: str) -> Mask | None:
    speaker = snapshot.named_speaker(segment(q))
    return None if speaker == NOBODY else snapshot.speakers == speaker


def _chosen(scope: Scope, host: Host, snapshot: Snapshot, question: Question) -> Mask:
    """Mark the rows that the query's own filters leave."""
    query = question.query
    chosen = np.ones(len(snapshot), dtype=np.bool_)
    if query.filters is not None:
        chosen &= snapshot.matching(lambda facts: filters.matches(query.filters, facts))
        if query.known_at is not None:
            chosen = _matched_then(scope, host, snapshot, question, chosen)
    if query.document_id is not None:
        with host.store.read(scope.tenant) as db:
            document = documents.find(scope, db, query.document_id)
            # A deleted document is found by its id alone, for reads of the past.
            wanted = document.id if document else query.document_id
            rows = segment_rows.rows_of_document(db, wanted, question.known_at)
        chosen &= snapshot.among(rows)
    return chosen


def _matched_then(scope: Scope, host: Host, snapshot: Snapshot, question: Question, matched: Mask) -> Mask:
    """Let the filters meet what was believed of a row then, where that has been overwritten since."""
    rows: dict[bool, list[int]] = {True: [], False: []}
    with host.store.read(scope.tenant) as db:
        for row_id, own, metadata in believed.facts_then(db, snapshot.space_id, question.known_at):
            passed = filters.matches(question.query.filters, segment_rows.read_facts(own, metadata))
            rows[passed].append(row_id)
    return (matched | snapshot.among(rows[True])) & ~snapshot.among(rows[False])


def _mismatch(snapshot: Snapshot, host: Host, vector: Vectors) -> str | None:
    """Say why a query vector cannot be compared with a space's; None when it can."""
    if snapshot.model == host.settings.embed_model and snapshot.vectors.shape[1] == len(vector):
        return None
    stored = f"{snapshot.model} ({snapshot.vectors.shape[1]} numbers)" if snapshot.model else "no model"
    return (
        f"Only full text was searched: the vectors of the store were made by {stored}, "
        f"the query's by {host.settings.embed_model} ({len(vector)} numbers)."
    )


def _lacking(snapshot: Snapshot, visible: Mask) -> str | None:
    """Say how many rows are found by their words only, because their vector is still to be made; None for none."""
    count = 0 if snapshot.lacking is None else int(np.count_nonzero(snapshot.lacking & visible))
    if not count:
        return None
    seen = np.count_nonzero(visible)
    return f"{count} of {seen} rows were compared by their words only: they have no vector of {snapshot.model} yet."
