"""Which rows a query's own filters leave, before any is ranked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memory.records import Scope, SearchQuery
from services.host import Host
from services.question import Question
from store import believed, documents, segment_rows
from store.connection import Reader
from store.fact_columns import FactColumns
from store.snapshots import Snapshot

Mask = npt.NDArray[np.bool_]


def asks_facts(query: SearchQuery) -> bool:
    """Return whether a query filters by what is said of rows, which a segment reads when it is first asked for."""
    return query.filters is not None or bool(query.kinds) or query.min_confidence > 0


def chosen(scope: Scope, host: Host, snapshot: Snapshot, question: Question) -> Mask:
    """Mark the rows that the query's own filters leave.

    Args:
        scope: whose rows.
        host: the adapters.
        snapshot: of one space, with facts when `asks_facts`.
        question: its query has the filters; kinds, confidence, metadata and sources count as they were believed at
            `known_at`.

    Returns:
        bool (n,). A kind leaves memories only; a chunk has no confidence and passes any.
    """
    query = question.query
    mask = np.ones(len(snapshot), dtype=np.bool_)
    if asks_facts(query):
        mask &= _by_facts(snapshot.facts or FactColumns.empty(), query)
    if not query.without and all(one is None for one in (query.known_at, *_places(query))):
        return mask
    with host.store.read(scope.tenant) as db:
        if asks_facts(query) and query.known_at is not None:
            mask = _as_believed(db, snapshot, question, mask)
        if query.document_id is not None:
            document = documents.find(scope, db, query.document_id)
            # A deleted document is found by its id alone, for reads of the past.
            wanted = document.id if document else query.document_id
            mask &= snapshot.among(segment_rows.rows_of_document(db, wanted, question.known_at))
        for left_out in query.without:
            mask &= ~snapshot.among(segment_rows.rows_of_document(db, left_out, question.known_at))
        if query.filepath is not None:
            there = segment_rows.rows_at_path(db, snapshot.space_id, query.filepath, question.known_at)
            mask &= snapshot.among(there)
        if query.session_id is not None:
            said = segment_rows.rows_of_session(db, snapshot.space_id, query.session_id, question.known_at)
            mask &= snapshot.among(said) | snapshot.owned_by_session(query.session_id)
    return mask


def _places(query: SearchQuery) -> tuple[str | None, ...]:
    return query.document_id, query.filepath, query.session_id


def _by_facts(facts: FactColumns, query: SearchQuery) -> Mask:
    mask = np.ones(len(facts), dtype=np.bool_)
    if query.filters is not None:
        mask &= facts.passing(query.filters)
    if query.kinds:
        mask &= facts.of_kinds(query.kinds)
    if query.min_confidence > 0:
        mask &= facts.at_least(query.min_confidence)
    return mask


def _as_believed(db: Reader, snapshot: Snapshot, question: Question, now: Mask) -> Mask:
    """Let the filters meet what was believed of a row then, where that has been overwritten since."""
    rows = list(believed.facts_then(db, snapshot.space_id, question.known_at))
    then = FactColumns.empty().with_rows(len(rows), [(n, own, sent) for n, (_, own, sent) in enumerate(rows)])
    passed = _by_facts(then, question.query)
    ids = np.array([row_id for row_id, _, _ in rows], dtype=np.int64)
    return (now | snapshot.among(ids[passed].tolist())) & ~snapshot.among(ids[~passed].tolist())
