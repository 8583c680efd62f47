"""Which model made the vectors, and the change to another: `docs/operations.md` has the steps.

Only a key that is limited to no space, user or agent may look, and only such a key of a person may change them.
"""

from __future__ import annotations

from flask import Blueprint

from api import path_names, scope
from api.answers import generations as answers
from api.answers.base import Pending
from api.body import body_if_any, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.generations import ListGenerations, NamedGeneration, StartGeneration
from api.schemas.scope import InScope
from memory.records import Actor, Scope
from services import generations

routes = Blueprint("generations", __name__)


def _every_space() -> tuple[Scope, Actor]:
    """Return the scope and the actor of a change that reaches every space of the tenant.

    Raises:
        Forbidden: the key may only read, or is limited to spaces, a user or an agent.
    """
    scope.require_unlimited("change the embedding model")
    return scope.to_change(InScope()), actor()


@routes.get("/v1/generations")
@operation(query=ListGenerations, answers={200: answers.Generations})
def list_generations() -> Reply:
    """Return every generation with how far it is, over every space."""
    query(ListGenerations)
    scope.require_unlimited("see what is embedded of every space")
    return generations.status(scope.to_find(InScope()), host())


@routes.post("/v1/generations")
@operation(body=StartGeneration, body_optional=True, answers={202: (answers.Started, Pending)}, idempotent=True)
def start_generation() -> Reply:
    """Begin to embed everything by the configured model, after all other work.

    Sent again it goes on where it stopped.
    """
    body_if_any(StartGeneration)
    key, (whose, who) = idempotency("POST /v1/generations"), _every_space()
    with limits().writing():
        return generations.start(whose, host(), who, idempotency=key), 202


@routes.post("/v1/generations/<whole:generation_id>/switch")
@operation(body=NamedGeneration, body_optional=True, answers={200: answers.Served, 202: Pending})
def switch_generation(generation_id: str) -> Reply:
    """Let a complete generation serve, in one commit.

    409 with `rows`, `vectors` and `missing` while a row lacks its vector, and 409 when it is not of the configured
    model.
    """
    body_if_any(NamedGeneration)
    whose, who = _every_space()
    number = path_names.whole(generation_id)
    with limits().writing():
        return generations.switch(whose, host(), who, number)


@routes.post("/v1/generations/<whole:generation_id>/rollback")
@operation(body=NamedGeneration, body_optional=True, answers={200: answers.Served, 202: Pending})
def roll_back_generation(generation_id: str) -> Reply:
    """Let the generation before serve again, at once.

    What came since is embedded after that.
    """
    body_if_any(NamedGeneration)
    whose, who = _every_space()
    number = path_names.whole(generation_id)
    with limits().writing():
        return generations.roll_back(whose, host(), who, number)


@routes.delete("/v1/generations/<whole:generation_id>")
@operation(query=NamedGeneration, answers={200: answers.Dropped, 202: Pending})
def drop_generation(generation_id: str) -> Reply:
    """Delete the vectors of a generation for good.

    409 while it serves, is of the configured model, or something has no other vector.
    """
    query(NamedGeneration)
    whose, who = _every_space()
    number = path_names.whole(generation_id)
    with limits().writing():
        return generations.drop(whose, host(), who, number)
