"""The Flask app: what surrounds every request, and the routes."""

from __future__ import annotations

import logging
import re
import time

from flask import Flask, Response, g, request

from api import auth, errors
from api.context import HOST, LIMITS, host
from api.limits import Limits
from api.routes import (
    calibration,
    conflicts,
    context,
    conversations,
    documents,
    erasures,
    generations,
    jobs,
    memories,
    nodes,
    profile,
    provenance,
    search,
    system,
)
from memory.errors import Unauthenticated
from services import keys
from services.host import Host

log = logging.getLogger("memlane.api")

SUBJECTS = (
    documents,
    conversations,
    search,
    context,
    memories,
    jobs,
    nodes,
    system,
    provenance,
    erasures,
    conflicts,
    generations,
    calibration,
    profile,
)
# Answered, in one word, also to who has no key: a supervisor and a load balancer ask it.
OPEN = frozenset({"system.get_health"})
# What a caller may choose as a request id: it is echoed and logged.
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def create_app(adapters: Host) -> Flask:
    """Make the app.

    Args:
        adapters: of this process; `settings` has the limits.

    Returns:
        A WSGI application; any number of threads may call it, `settings.threads` are reckoned with.
    """
    keys.ensure_local(adapters)
    # No static folder: nothing but the routes below is served.
    app = Flask("memlane", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = adapters.settings.max_body_bytes
    app.extensions[HOST] = adapters
    app.extensions[LIMITS] = Limits(adapters.settings.threads)
    errors.register(app)
    app.before_request(_begin)
    app.before_request(_admit)
    app.after_request(_finish)
    for subject in SUBJECTS:
        app.register_blueprint(subject.routes)
    return app


def _begin() -> None:
    g.began = time.perf_counter()
    sent = request.headers.get("X-Request-Id", "")
    g.request_id = sent if REQUEST_ID.fullmatch(sent) else host().new_id("req")


def _admit() -> None:
    # An unknown address is a 404 for everybody; a known one asks who is there before it reads the body.
    if request.url_rule is None:
        return
    try:
        g.caller = auth.caller(host(), request)
    except Unauthenticated:
        if request.endpoint not in OPEN:
            raise


def _finish(response: Response) -> Response:
    response.headers["X-Request-Id"] = g.request_id
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    milliseconds = (time.perf_counter() - g.began) * 1000
    # Outcomes only: the path may carry a customId, so the rule stands for it.
    rule = request.url_rule.rule if request.url_rule else "-"
    tenant = g.caller.tenant if "caller" in g else "-"
    # Asked every few seconds by whoever watches; one that is not well is for the log.
    quiet = rule == "/v1/health" and response.status_code == 200
    log.log(
        logging.DEBUG if quiet else logging.INFO,
        "request=%s %s %s status=%d ms=%.1f tenant=%s", g.request_id, request.method, rule, response.status_code,
        milliseconds, tenant,
    )  # fmt: skip
    return response
