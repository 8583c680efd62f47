"""Ask: an answer made of what is remembered, every sentence with its source. Without a writer it is extractive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory import passages
from memory.answering import MOST_QUOTES, NEAR_BEST, NOTHING_FOUND, RELEVANT, Quote, compose
from memory.recalled import fence
from memory.records import Answer, Citation, Hit, Scope, SearchQuery
from memory.segmentation import query_terms, segment
from memory.sentence_scores import against_query
from memory.statements import attributed
from services.compress import embed_all
from services.host import Host
from services.search import search
from store.hydration import source_tokens

EXTRACTIVE = "extractive"


def ask(scope: Scope, host: Host, query: SearchQuery) -> Answer:
    """Answer a question from memories and documents.

    Args:
        scope: whose.
        host: the adapters.
        query: the question, and what its evidence is looked for among; `limit` pieces of it at most. Memories and
            documents are searched, and the best read again, whatever it says of that.

    Returns:
        A short answer of the best sentences with [n] citations, the evidence, and its tokens against those of the whole
        documents and conversations it is from. When nothing is relevant the answer says so and cites nothing.
    """
    *_, (_, answer) = in_steps(scope, host, query)
    return answer


def in_steps(scope: Scope, host: Host, query: SearchQuery) -> Iterator[tuple[str, Answer]]:
    """Yield `evidence`, an answer that is still empty with all it will rest on, and then `answer`, the whole of it.

    Args:
        scope: as in `ask`.
        host: the adapters.
        query: as in `ask`.

    Yields:
        The step's name, and the answer as far as it is; only the last step when nothing is relevant.
    """
    found = search(scope, host, replace(query, mode="hybrid", rerank=True))
    evidence = _relevant(found.hits)
    if not evidence:
        yield "answer", Answer(
            answer=NOTHING_FOUND, citations=(), context="", context_tokens=0, source_tokens=0, model=EXTRACTIVE,
            degraded=found.degraded,
        )  # fmt: skip
        return
    context = fence("\n".join(f"[{n}] {hit.text}" for n, hit in enumerate(evidence, start=1)))
    with host.store.read(scope.tenant) as db:
        whole = source_tokens(db, [source for hit in evidence for source in hit.sources])
    empty = Answer(
        answer="",
        citations=tuple(_citation(n, hit) for n, hit in enumerate(evidence, start=1)),
        context=context,
        context_tokens=host.count_tokens(context),
        source_tokens=whole,
        model=EXTRACTIVE,
        degraded=found.degraded,
    )
    yield "evidence", empty
    answer, degraded = _extract(host, query.q, evidence)
    yield "answer", replace(empty, answer=answer, degraded=tuple(dict.fromkeys((*found.degraded, *degraded))))


def _relevant(hits: Sequence[Hit]) -> list[Hit]:
    """Keep the evidence: nothing when no row is relevant by itself, else those near the best, each thing once."""
    if not any(hit.explain["own"] >= RELEVANT for hit in hits):
        return []
    least = NEAR_BEST * max(hit.similarity for hit in hits)
    kept: list[Hit] = []
    for hit in hits:
        chunks = [source for one in kept if one.memory is None for source in one.sources]
        if hit.similarity >= least and not (hit.memory and passages.lies_within(hit.sources, chunks)):
            kept.append(hit)
    return kept


def _citation(n: int, hit: Hit) -> Citation:
    return Citation(n=n, id=hit.id, text=hit.text, similarity=hit.similarity, sources=hit.sources)


def _extract(host: Host, q: str, evidence: Sequence[Hit]) -> tuple[str, tuple[str, ...]]:
    """Compose an answer of the sentences that fit the question best."""
    quotes = _quotes(evidence)[:MOST_QUOTES]
    vectors, degraded = embed_all(host, [q, *(quote.text for quote in quotes)])
    meant, spoken = (None, None) if vectors is None else (vectors[0], vectors[1:])
    own = against_query(query_terms(q), [quote.terms for quote in quotes], spoken, meant)
    return compose(quotes, own), degraded


def _quotes(evidence: Sequence[Hit]) -> list[Quote]:
    """List what an answer may quote; questions and bare text only when there is nothing else."""
    numbered = list(enumerate(evidence, start=1))
    stated = [_quote(n, hit, text) for n, hit in numbered for text in _stated(hit)]
    if not stated:
        return [_quote(n, hit, hit.text) for n, hit in numbered]
    return [quote for quote in stated if not passages.asks(quote.text)] or stated


def _quote(n: int, hit: Hit, text: str) -> Quote:
    memory = hit.memory
    shown = attributed(text, memory.speaker, memory.said_at, memory.said_zone) if memory else text
    says = frozenset(segment(text))
    return Quote(n=n, text=shown, terms=tuple(segment(shown)), says=says, relevance=hit.similarity)


def _stated(hit: Hit) -> list[str]:
    """Cut a hit into what it states, without heading path, speaker and date."""
    if hit.memory is not None:
        return passages.of_statement(hit.memory.statement)
    return passages.of_chunk(hit.text.removeprefix(f"{' > '.join(hit.heading)}\n"))
