"""The routes without anything behind them, for whoever only describes them."""

from __future__ import annotations

from flask import Flask

from api import path_names
from api.app import SUBJECTS


def bare_app() -> Flask:
    """Return an app that knows every route and can answer none."""
    app = Flask("memlane", static_folder=None)
    path_names.register(app)
    for subject in SUBJECTS:
        app.register_blueprint(subject.routes)
    return app
