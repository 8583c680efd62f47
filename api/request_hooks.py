"""What surrounds every request: who asks and how often, its id, the headers of the answer, and a line in the log."""

from __future__ import annotations

import logging
import re
import time

from flask import Flask, Response, current_app, g, request

from api import auth, etags
from api.body import no_query
from api.context import caller, host, known_caller, known_keys, rates
from api.operations import operation_of
from api.rates import Rate
from memory.errors import RateLimited, Unauthenticated
from memory.records import Actor
from memory.settings import Settings
from services import request_ids
from services.keys import LOCAL

log = logging.getLogger("memlane.api")

# Answered also to who has no key: health, in one word, for a supervisor and a load balancer; and what says how to ask.
OPEN = frozenset({"system.get_health", "openapi.get_document", "openapi.read_document"})
# What a caller may choose as a request id: it is echoed, logged and kept with the job.
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def register(app: Flask) -> None:
    """Surround every request of an app."""
    app.before_request(_begin)
    app.before_request(_admit)
    app.before_request(_refuse_query)
    app.after_request(_finish)
    app.teardown_request(_end)


def _begin() -> None:
    g.began = time.perf_counter()
    sent = request.headers.get("X-Request-Id", "")
    g.request_id = sent if REQUEST_ID.fullmatch(sent) else host().new_id("req")
    g.working = request_ids.begin(g.request_id)


def _end(error: BaseException | None) -> None:
    if "working" in g:
        request_ids.end(g.pop("working"))


def _admit() -> None:
    # An unknown address is a 404 for everybody; a known one asks who is there before it reads the body.
    if request.url_rule is None:
        return
    try:
        plane, who = _identify()
    except Unauthenticated:
        if request.endpoint in OPEN:
            return
        _take(f"address {request.remote_addr}", _strangers(host().settings))
        raise
    known_keys().add(request.headers.get("Authorization", ""))
    g.who = f"{plane} {who.kind} {who.id}"
    _take(g.who, _callers(host().settings, local=who == LOCAL))


def _refuse_query() -> None:
    """Refuse names in the query string of a route that takes none; the others read theirs by a schema."""
    if request.url_rule is None or not request.query_string:
        return
    said = operation_of(current_app.view_functions[request.url_rule.endpoint])
    # What is not offered at all says so, whatever is sent.
    if said is not None and said.answers and said.query is None:
        no_query(bodied=bool(said.body or said.form or said.upload))


def _identify() -> tuple[str, Actor]:
    """Find out who asks; return whose data it is about, or that it is about none, and the actor."""
    if auth.is_control(request):
        g.administrator = auth.administrator(host(), request)
        return auth.CONTROL, g.administrator.actor
    g.caller = auth.caller(host(), request)
    return g.caller.tenant, g.caller.actor


def _strangers(settings: Settings) -> Rate:
    return Rate(name="address", per_second=settings.stranger_rate, burst=settings.stranger_burst)


def _callers(settings: Settings, *, local: bool) -> Rate:
    if local:
        return Rate(name="local", per_second=settings.local_rate, burst=settings.local_burst)
    return Rate(name="key", per_second=settings.key_rate, burst=settings.key_burst)


def _take(who: str, rate: Rate) -> None:
    """Count the request.

    Raises:
        RateLimited: it is one too many; nothing was done.
    """
    if rate.per_second <= 0:
        return
    g.left = rates().take(who, rate)
    if g.left.refused:
        raise RateLimited(retry_after=round(g.left.wait, 3))


def _finish(response: Response) -> Response:
    response.headers["X-Request-Id"] = g.request_id
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    if response.status_code == 204:
        # The framework's own, of a body that is not there.
        response.headers.pop("Content-Type", None)
    if "left" in g:
        response.headers.update(g.left.headers())
    if "who" in g:
        response = etags.tagged(request, response, g.who)
    milliseconds = (time.perf_counter() - g.began) * 1000
    # Outcomes only: the path may carry a customId, so the rule stands for it.
    rule = request.url_rule.rule if request.url_rule else "-"
    tenant = caller().tenant if known_caller() else "-"
    # Asked every few seconds by whoever watches; one that is not well is for the log.
    quiet = rule == "/v1/health" and response.status_code in (200, 304)
    log.log(
        logging.DEBUG if quiet else logging.INFO,
        "%s %s status=%d ms=%.1f tenant=%s", request.method, rule, response.status_code, milliseconds, tenant,
    )  # fmt: skip
    return response
