"""What a model should be told: memories found in a scope, contexts within a budget, and the notes of a session."""

from __future__ import annotations

from flask import Blueprint

from api import render_context, scope
from api.answers import context as answers
from api.answers import search as found
from api.body import body, query
from api.context import host
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.context import AskContext, FindScratchpad, WriteScratchpad
from api.schemas.scoped_search import SearchMemories
from memory.records import Scope
from memory.scratchpad import Scratchpad
from services import context, scratchpad, search

routes = Blueprint("context", __name__)


@routes.post("/v1/memory/search")
@operation(
    body=SearchMemories,
    answers={200: found.FoundInScope},
    changes=False,
    example={"query": "Where does Ana live?", "scope": {"container_tag": "home"}, "vector": {"top_k": 5}},
)
def search_scope() -> Reply:
    """Return the memories of a scope that fit a question best.

    The same search as `POST /v4/search`, of memories alone. `distance` is a filter like the others: it comes before
    ranking, so there are `top_k` results while so many are near enough. It needs the question's vector: 503 when no
    model makes one, and 400 when `arms` leave `vectors` out. There is no graph of entities yet: both lists are empty,
    and `note` says so.
    """
    sent = body(SearchMemories)
    answer = search.search(scope.to_read(sent.scope), host(), sent.record())
    hops = sent.graph
    return render_context.memories_found(
        answer, explain=sent.explain, min_hops=hops.min_hops, max_hops=hops.max_hops
    )  # fmt: skip


@routes.post("/v1/context")
@operation(
    body=AskContext,
    answers={200: answers.Context},
    changes=False,
    example={"query": "What should I cook for Ana?", "budget": 1000},
)
def ask_context() -> Reply:
    """Return what a model should be told, within a budget of tokens.

    A section that is named and lacks something is 400: `memories` and `chunks` need `query`, `turns` and `scratchpad`
    need `session_id`, `system` needs `system`. `context` is a text in Markdown, or with `json` an object, empty or null
    when nothing fits; it is never over the budget by the embedded model's tokenizer. `docs/reference/context.md` says
    how it is packed.
    """
    sent = body(AskContext)
    return render_context.context(context.assemble(scope.to_read(sent), host(), sent.wanted()))


@routes.get("/v1/context/scratchpad")
@operation(query=FindScratchpad, answers={200: answers.Scratchpad})
def get_scratchpad() -> Reply:
    """Return the notes of a session; none is an empty list.

    Name the same space, `user_id` and `agent_id` that wrote them: others of that session name have notes of their own.
    503 `broker_down` when the broker does not answer.
    """
    whose = scope.to_read(query(FindScratchpad))
    return _shown(whose, scratchpad.read(whose, host()))


@routes.post("/v1/context/scratchpad")
@operation(
    body=WriteScratchpad,
    answers={200: answers.Scratchpad},
    idempotent=True,
    example={"session_id": "s-1", "content": "Call Ada back on Monday."},
)
def write_scratchpad() -> Reply:
    """Add a note to those of a session, or put one in place of them all.

    With `replace` a blank `content` takes them all away. Notes that would be longer than `MEMLANE_SCRATCHPAD_CHARS`
    together, or more scratchpads than `MEMLANE_SCRATCHPADS`, are 413 and change nothing. 503 `broker_down` when the
    broker does not answer: nothing was kept. A note that is sent twice is there twice, unless
    it is sent with the same `Idempotency-Key` while the first one is there.
    """
    sent = body(WriteScratchpad)
    whose, key = scope.to_write(sent), idempotency("POST /v1/context/scratchpad")
    append, seconds = sent.mode == "append", sent.ttl_seconds
    return _shown(whose, scratchpad.write(whose, host(), sent.content, append=append, seconds=seconds, idempotency=key))


def _shown(whose: Scope, pad: Scratchpad) -> Reply:
    most = host().settings.scratchpad_chars
    return render_context.scratchpad(whose.session or "", whose.space, pad, most_chars=most, now=host().clock())
