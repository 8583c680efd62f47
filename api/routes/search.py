"""Search, ask and compress."""

from __future__ import annotations

from flask import Blueprint

from api import render, scope
from api.body import body
from api.context import host
from api.reply import Reply
from api.schemas.scope import InScope
from api.schemas.search import Ask, Compress, Search
from services import ask, compress, search

routes = Blueprint("search", __name__)


@routes.post("/v4/search")
def search_memories() -> Reply:
    """Return what fits a question best."""
    sent = body(Search)
    answer = search.search(scope.to_read(sent), host(), sent.record())
    return render.search(answer, sources=sent.include.sources, explain=sent.explain)


@routes.post("/v1/ask")
def ask_question() -> Reply:
    """Answer a question with numbered evidence."""
    sent = body(Ask)
    return render.answer(ask.ask(scope.to_read(sent), host(), sent.record()))


@routes.post("/v1/compress")
def compress_text() -> Reply:
    """Cut a text down to what matters."""
    sent = body(Compress)
    return render.compressed(
        compress.compress(scope.to_read(InScope()), host(), sent.text, q=sent.q, budget=sent.budget)
    )
