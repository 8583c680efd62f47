"""The ledger: events are appended to sessions and read in the order they were appended in."""

from __future__ import annotations

from flask import Blueprint

from api import render, render_episodes, scope
from api.answers import episodes as answers
from api.body import body, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.episodes import AppendEpisodes, FindSession, ListEpisodes, ListSessions
from api.waits import waited
from services import episodes

routes = Blueprint("episodes", __name__)


@routes.post("/v1/episodes")
@operation(
    body=AppendEpisodes,
    answers={201: answers.Appended},
    errors=(404,),
    idempotent=True,
    example={"session_id": "run-7", "kind": "turn", "role": "user", "name": "Ana", "content": "I moved to Oslo."},
)
def append_episodes() -> Reply:
    """Append one event or several to a session.

    Every event that is sent is appended: two equal requests make two episodes. Send `Idempotency-Key` to be able to
    repeat a request safely; a repeat answers with the same episodes. Nothing can be changed or taken out afterwards.
    """
    sent, key = body(AppendEpisodes), idempotency("POST /v1/episodes")
    whose = scope.to_change(sent) if sent.names_its_space() else scope.to_write(sent)
    with limits().writing():
        done = episodes.append(whose, host(), actor(), sent.records(), metadata=sent.session_metadata, idempotency=key)
    return render_episodes.appended(done, waited(whose, done.job_id, wait=sent.wait)), 201


@routes.get("/v1/episodes/<episode_id>")
@operation(query=FindSession, answers={200: answers.Episode})
def get_episode(episode_id: str) -> Reply:
    """Return one episode."""
    return render_episodes.episode(episodes.find(scope.to_find(query(FindSession)), host(), episode_id))


@routes.get("/v1/sessions")
@operation(query=ListSessions, answers={200: answers.Sessions})
def list_sessions() -> Reply:
    """Return a page of sessions, those that were appended to last first."""
    sent = query(ListSessions)
    page = episodes.listing(scope.to_read(sent), host(), **sent.selection())
    rows = list(map(render_episodes.session, page.rows))
    return {"sessions": rows, "pagination": render.pagination(page, number=sent.page)}


@routes.get("/v1/sessions/<path:ref>")
@operation(query=FindSession, answers={200: answers.Session}, errors=(409,))
def get_session(ref: str) -> Reply:
    """Return one session by its id or by its name."""
    return render_episodes.session(episodes.get(scope.to_find(query(FindSession)), host(), ref))


@routes.get("/v1/sessions/<path:ref>/episodes")
@operation(query=ListEpisodes, answers={200: answers.Episodes}, errors=(409,))
def list_episodes(ref: str) -> Reply:
    """Return a page of the episodes of a session, in the order they were appended in, without gaps."""
    sent = query(ListEpisodes)
    session, page = episodes.of_session(scope.to_find(sent), host(), ref, sent.clocks(), **sent.selection())
    return {
        "session": render_episodes.session(session),
        "episodes": list(map(render_episodes.episode, page.rows)),
        "pagination": render.pagination(page, number=sent.page),
    }
