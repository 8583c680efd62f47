"""The Flask app: what surrounds every request, and the routes."""

from __future__ import annotations

from flask import Flask

from api import errors, path_names, request_hooks
from api.context import HOST, KNOWN_KEYS, LIMITS, RATES, STREAMS
from api.known_keys import KnownKeys
from api.limits import Limits
from api.rates import Rates
from api.routes import (
    admin,
    calibration,
    conflicts,
    connections,
    container_tags,
    context,
    conversations,
    document_changes,
    documents,
    episodes,
    erasures,
    files,
    generations,
    jobs,
    memories,
    nodes,
    older,
    openapi,
    profile,
    provenance,
    search,
    settings,
    system,
    transfer,
)
from api.streams import Streams
from services import keys
from services.host import Host

# In the order in which somebody who reads about them wants to meet them.
SUBJECTS = (
    documents,
    document_changes,
    files,
    conversations,
    episodes,
    memories,
    search,
    context,
    profile,
    provenance,
    conflicts,
    calibration,
    container_tags,
    settings,
    erasures,
    transfer,
    jobs,
    nodes,
    system,
    generations,
    admin,
    connections,
    older,
    openapi,
)


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
    app.extensions[RATES] = Rates()
    app.extensions[KNOWN_KEYS] = KnownKeys()
    app.extensions[STREAMS] = Streams(adapters.settings.streams)
    path_names.register(app)
    errors.register(app)
    request_hooks.register(app)
    for subject in SUBJECTS:
        app.register_blueprint(subject.routes)
    return app
