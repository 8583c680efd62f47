"""Search inside one space: its rows are scored with its own statistics, filtered before they are ranked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.lexical import Lexical, score_terms
from memory.names import names_asked, score_names
from memory.ports import Vectors
from memory.records import RowKind, Scope
from memory.retrieval import Scored, best, score
from memory.segmentation import segment
from memory.surroundings import Neighbourhood, Saying, coverage_nearby
from memory.text_folding import fold
from services.arms import arms_of
from services.asked import Arm, Asked
from services.choosing import asks_facts, chosen
from services.host import Host
from services.question import Meaning, Question
from services.results import RankedRow
from services.search_pool import Pool, pool_of, whole_pool
from store import segment_rows
from store.segments import SegmentCache
from store.snapshots import Snapshot
from store.views import View

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]

# float32 has about 7 digits.
_COSINE_ROUNDING = 1e-6
# A word as a reranker's tokenizer splits it off.
_WORD = re.compile(r"\w+")

KINDS: Mapping[str, tuple[RowKind, ...]] = {
    "memories": ("memory",),
    "documents": ("chunk",),
    "hybrid": ("memory", "chunk"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one space holds for a question."""

    rows: tuple[RankedRow, ...] = ()  # best first
    weights: Mapping[str, float]  # of the words of the query, for a reranker
    degraded: str | None = None  # what was left out and why
    wrong_model: bool = False  # the vectors were left out, because the query's is of another model
    eligible: int = 0  # rows that could have been found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sighted:
    """One space as a question is going to meet it, before it is known what the question means."""

    snapshot: Snapshot
    view: View
    eligible: Mask  # bool (n,), rows that may be found
    lexical: Lexical
    named: Floats | None  # float32 (n,), how rows are linked to the names that the query mentions; None when to none
    weights: Mapping[str, float]  # of the words of the query, for a reranker; none when it is not asked


def sight(scope: Scope, host: Host, space: str, question: Question) -> Sighted | None:
    """Look at a space as far as the words of a question go: all that needs no model.

    Args:
        scope: whose rows.
        host: the adapters; without a segment cache of its own the space is loaded for this call.
        space: its name.
        question: what to look for.

    Returns:
        The space; None when it does not exist or has no rows.
    """
    query = question.query
    cache = host.search or SegmentCache(host.store)
    snapshot = cache.segment(scope.tenant, space, facts=asks_facts(query), times=bool(question.times))
    if snapshot is None or not len(snapshot):
        return None
    view = _view(scope, host, snapshot, question)
    # The visible rows are each other's surroundings and statistics.
    postings = snapshot.query_postings(query.q, view.visible)
    return Sighted(
        snapshot=snapshot,
        view=view,
        eligible=view.visible & chosen(scope, host, snapshot, question),
        lexical=score_terms(postings, view.visible, view.lengths),
        named=_named(snapshot, query.q, view.visible) if "entities" in query.arms else None,
        weights=_word_weights(snapshot, query.q, view.visible) if query.rerank else {},
    )


def _view(scope: Scope, host: Host, snapshot: Snapshot, question: Question) -> View:
    """Return the rows that the scope sees, forgotten memories among them when they are asked for."""
    query, kinds = question.query, KINDS[question.query.mode]
    if not query.forgotten:
        return snapshot.view(scope, as_of=question.as_of, known_at=question.known_at, kinds=kinds)
    with host.store.read(scope.tenant) as db:
        rows = segment_rows.forgotten_rows(db, snapshot.space_id, min(question.known_at, host.clock()))
    return snapshot.view_with(scope, rows, as_of=question.as_of, known_at=question.known_at, kinds=kinds)


def _named(snapshot: Snapshot, q: str, visible: Mask) -> Floats | None:
    """Tell how visible rows are linked to the names that a query mentions; None when none is to any."""

    def known(name: str) -> bool:
        # That others have rows of a name must not show in anybody's scores.
        return snapshot.knows(name) and bool(visible[snapshot.linked(name).slots].any())

    names = names_asked(q, known)
    return score_names(map(snapshot.linked, names), visible) if names else None


def search_space(host: Host, space: Sighted | None, question: Question, meaning: Meaning) -> Found:
    """Find the best rows of one space.

    Args:
        host: the adapters.
        space: as `sight` saw it.
        question: what to look for.
        meaning: of the question.
    """
    if space is None:
        return Found(weights={})
    vector = meaning.vector
    wrong = None if vector is None else _mismatch(space.snapshot, host, vector)
    degraded = wrong or (None if vector is None else _lacking(space.snapshot, space.view.visible))
    asked = Asked(
        snapshot=space.snapshot, view=space.view, question=question, meaning=Meaning() if wrong else meaning,
        lexical=space.lexical, named=space.named,
    )  # fmt: skip
    # No row is near or far without a vector to compare it with: whoever searches is told so.
    blind = wrong is not None and question.query.distance is not None
    return Found(
        rows=() if blind else tuple(_ranked(asked, space.eligible)),
        weights=space.weights,
        degraded=degraded,
        wrong_model=wrong is not None,
        eligible=int(np.count_nonzero(space.eligible)),
    )


def _ranked(asked: Asked, eligible: Mask) -> Iterator[RankedRow]:
    """Score a pool of rows by the arms there are, and yield the best of those that are eligible."""
    arms, snapshot = arms_of(asked), asked.snapshot
    pool = pool_of(asked, arms, eligible)
    scored = _score(asked, arms, pool)
    places = _best(asked, pool, scored, eligible)
    if len(places) < asked.question.depth and pool.places is not None:
        # Of rows that say the same only one is found: there may be others beyond the pool.
        pool = whole_pool(asked)
        scored = _score(asked, arms, pool)
        places = _best(asked, pool, scored, eligible)
    for place in places:
        slot = pool.slots[place]
        yield RankedRow(
            row_id=int(snapshot.row_ids[slot]),
            text_key=int(snapshot.text_keys[slot]),
            relevance=float(scored.relevance[place]),
            explain={name: float(values[place]) for name, values in scored.parts.items()},
        )


def _best(asked: Asked, pool: Pool, scored: Scored, eligible: Mask) -> Slots:
    """Return the places of the best eligible rows of a pool, equal ones in the order of the rows."""
    slots = pool.slots[pool.by_row]
    keys, question = asked.snapshot.text_keys[slots], asked.question
    relevance, may = scored.relevance[pool.by_row], eligible[slots]
    if question.query.distance is not None:
        near = 1 - scored.parts["vectors"] <= question.query.distance + _COSINE_ROUNDING
        may = may & near[pool.by_row]
    return pool.by_row[best(relevance, may, keys, question.depth, question.query.threshold)]


def _score(asked: Asked, arms: Mapping[str, Arm], pool: Pool) -> Scored:
    """Score the rows of a pool; what the arms say of them is aligned to it."""
    values = {name: arm.over(pool.slots) for name, arm in arms.items()}
    named, timed = values.pop("entities", None), values.pop("time", None)
    if not values:
        # Every way of finding a row by itself was switched off.
        values["lexical"] = np.zeros(len(pool.slots), dtype=np.float32)
    reading = asked.view.reading
    places = np.arange(len(reading)) if pool.places is None else pool.places
    around = Neighbourhood.of(places, reading, asked.snapshot.groups)
    return score(
        values,
        groups=asked.snapshot.groups[pool.slots],
        sizes=None if pool.places is None else around.sizes,
        words=coverage_nearby(_said(asked), around) if "lexical" in arms else None,
        questions=asked.snapshot.questions[pool.slots],
        entities=named,
        time=timed,
        surroundings=asked.question.query.surroundings,
    )


def _said(asked: Asked) -> list[Saying]:
    """Return where the visible rows say the terms of the query."""
    return [Saying(asked.view.places.take(slots), shares, most) for slots, shares, most in asked.lexical.said]


def _word_weights(snapshot: Snapshot, q: str, visible: Mask) -> dict[str, float]:
    """Weigh every word of the query as it is written, stop words too, for a reranker that reads all of them."""
    terms_of = {word: segment(word) for word in _WORD.findall(fold(q))}
    postings = {term: snapshot.posting(term) for terms in terms_of.values() for term in terms}
    weights = score_terms(postings, visible, np.ones(len(snapshot), dtype=np.float32)).weights
    return {word: max(weights[term] for term in terms) for word, terms in terms_of.items() if terms}


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
