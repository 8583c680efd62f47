"""Search, ask and compress."""

from __future__ import annotations

from flask import Blueprint, Response

from api import events, render, render_search, scope
from api.answers import search as answers
from api.answers.base import Media
from api.body import body
from api.context import host
from api.operations import operation
from api.reply import Reply
from api.schemas.scope import InScope
from api.schemas.search import Ask, Compress, Search, SearchDocuments
from services import ask, compress, document_search, hit_details, search

routes = Blueprint("search", __name__)
EVENTS = Media(type=events.TYPE, description="The evidence and then the answer, as server-sent events.")


@routes.post("/v4/search")
@operation(
    body=Search,
    answers={200: answers.Found},
    changes=False,
    example={"q": "Where does Ana live?", "limit": 5, "include": {"sources": True}},
)
def search_memories() -> Reply:
    """Return what fits a question best.

    `include.relatedMemories` adds the versions of a memory as `context`: `parents` before it, `children` after it, each
    with `version` as the number of steps between them. `related` is empty: nothing but versions relates memories yet.
    """
    sent = body(Search)
    whose, wanted = scope.to_read(sent), sent.include.wanted()
    answer = search.search(whose, host(), sent.record())
    return render_search.search(
        answer, sources=sent.include.sources, explain=sent.explain, wanted=wanted, summaries=sent.include.summaries,
        details=hit_details.details(whose, host(), answer.hits, wanted, sent.clocks()), remarks=sent.without_effect(),
    )  # fmt: skip


@routes.post("/v3/search")
@operation(
    body=SearchDocuments,
    answers={200: answers.FoundDocuments},
    changes=False,
    example={"q": "How much does crane 4 lift?", "containerTag": "yard", "onlyMatchingChunks": False},
)
def search_documents() -> Reply:
    """Return the documents whose chunks fit a question best, each with up to 10 of these chunks, best first.

    With `docId` it is the chunks of one document, up to `limit`. `onlyMatchingChunks: false` adds the chunks before and
    after each match, with `isRelevant: false` and the score 0. Of documents that say the same in a chunk one is
    found by it.
    """
    sent = body(SearchDocuments)
    answer = document_search.search_documents(
        scope.to_read(sent), host(), sent.record(), content=sent.include_full_docs,
        around=not sent.only_matching_chunks,
    )  # fmt: skip
    return render_search.documents(answer, summaries=sent.include_summary, remarks=sent.without_effect())


@routes.post("/v1/ask")
@operation(
    body=Ask,
    answers={200: (answers.Answered, EVENTS)},
    changes=False,
    errors=(413, 502),
    example={"q": "What is the limit of crane 4?", "container_tag": "yard"},
)
def ask_question() -> Reply | Response:
    """Answer a question with numbered evidence.

    With `Accept: text/event-stream` the evidence comes first, in an event `evidence`, and then the answer, in an event
    `answer`; both have the fields of the JSON answer. An event `error` has the one error shape.
    """
    sent = body(Ask)
    if events.wanted():
        return events.answer_events(scope.to_read(sent), sent.record())
    return render.answer(ask.ask(scope.to_read(sent), host(), sent.record()))


@routes.post("/v1/compress")
@operation(
    body=Compress,
    answers={200: answers.Compressed},
    changes=False,
    example={
        "text": "Crane 4 is yellow. It lifts 55 kg. It was painted in May.",
        "q": "What does it lift?",
        "budget": 10,
    },
)
def compress_text() -> Reply:
    """Cut a text down to what matters."""
    sent = body(Compress)
    return render.compressed(
        compress.compress(scope.to_read(InScope()), host(), sent.text, q=sent.q, budget=sent.budget)
    )
