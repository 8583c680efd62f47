"""The document and the page of an app, made once: they change with the code alone."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from flask import Flask, json

from api.openapi.document import document
from api.openapi.page import page
from api.openapi.reference import reference

PUBLISHED = "memlane.published"
TITLE = "Memlane HTTP API"
# Making them takes half a second of a core: of two who ask first, one does.
_making = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What is served."""

    document: str  # JSON
    page: str  # HTML


def published(app: Flask) -> Published:
    """Return the document and the page of an app."""
    with _making:
        if PUBLISHED not in app.extensions:
            made = document(app)
            text = page(reference(made), title=TITLE)
            app.extensions[PUBLISHED] = Published(document=json.dumps(made, sort_keys=False), page=text)
        found: Published = app.extensions[PUBLISHED]
    return found
