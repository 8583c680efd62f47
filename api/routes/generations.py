"""Embedding generations: what the vectors were made by, embedding anew, the switch, going back, dropping."""

from __future__ import annotations

from flask import Blueprint

from api import scope
from api.body import body_if_any, query
from api.context import actor, host, limits
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
def list_generations() -> Reply:
    """Return every generation with how far it is, over every space."""
    query(ListGenerations)
    scope.require_unlimited("see what is embedded of every space")
    return generations.status(scope.to_find(InScope()), host())


@routes.post("/v1/generations")
def start_generation() -> Reply:
    """Begin to embed everything by the configured model."""
    body_if_any(StartGeneration)
    whose, who = _every_space()
    with limits().writing():
        return generations.start(whose, host(), who), 202


@routes.post("/v1/generations/<int:generation_id>/switch")
def switch_generation(generation_id: int) -> Reply:
    """Let a complete generation serve."""
    body_if_any(NamedGeneration)
    whose, who = _every_space()
    with limits().writing():
        return generations.switch(whose, host(), who, generation_id)


@routes.post("/v1/generations/<int:generation_id>/rollback")
def roll_back_generation(generation_id: int) -> Reply:
    """Let the generation before serve again."""
    body_if_any(NamedGeneration)
    whose, who = _every_space()
    with limits().writing():
        return generations.roll_back(whose, host(), who, generation_id)


@routes.delete("/v1/generations/<int:generation_id>")
def drop_generation(generation_id: int) -> Reply:
    """Delete the vectors of a generation."""
    query(NamedGeneration)
    whose, who = _every_space()
    with limits().writing():
        return generations.drop(whose, host(), who, generation_id)
