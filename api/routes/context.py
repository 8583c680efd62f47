"""What a model should be told: memories found in a scope, contexts within a budget, and the notes of a session."""

from __future__ import annotations

from flask import Blueprint

from api import render_context, scope
from api.body import body, query
from api.context import host
from api.reply import Reply
from api.schemas.context import AskContext, FindScratchpad, WriteScratchpad
from api.schemas.scoped_search import SearchMemories
from memory.records import Scope
from memory.scratchpad import Scratchpad
from services import context, scratchpad, search

routes = Blueprint("context", __name__)


@routes.post("/v1/memory/search")
def search_scope() -> Reply:
    """Return the memories of a scope that fit a question best."""
    sent = body(SearchMemories)
    answer = search.search(scope.to_read(sent.scope), host(), sent.record())
    hops = sent.graph
    return render_context.memories_found(
        answer, explain=sent.explain, min_hops=hops.min_hops, max_hops=hops.max_hops
    )  # fmt: skip


@routes.post("/v1/context")
def ask_context() -> Reply:
    """Return what a model should be told, within a budget of tokens."""
    sent = body(AskContext)
    return render_context.context(context.assemble(scope.to_read(sent), host(), sent.wanted()))


@routes.get("/v1/context/scratchpad")
def get_scratchpad() -> Reply:
    """Return the notes of a session; none is an empty list."""
    whose = scope.to_read(query(FindScratchpad))
    return _shown(whose, scratchpad.read(whose, host()))


@routes.post("/v1/context/scratchpad")
def write_scratchpad() -> Reply:
    """Add a note to those of a session, or put one in place of them all."""
    sent = body(WriteScratchpad)
    whose = scope.to_write(sent)
    append = sent.mode == "append"
    return _shown(whose, scratchpad.write(whose, host(), sent.content, append=append, seconds=sent.ttl_seconds))


def _shown(whose: Scope, pad: Scratchpad) -> Reply:
    most = host().settings.scratchpad_chars
    return render_context.scratchpad(whose.session or "", whose.space, pad, most_chars=most, now=host().clock())
