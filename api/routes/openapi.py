"""The contract itself: the OpenAPI document, and a page to read it."""

from __future__ import annotations

from flask import Blueprint, Response, current_app

from api.answers.base import Media
from api.body import query
from api.openapi.page import POLICY
from api.openapi.published import published
from api.operations import operation
from api.schemas.openapi import ReadContract

routes = Blueprint("openapi", __name__)


@routes.get("/v1/openapi.json")
@operation(
    query=ReadContract,
    answers={200: Media(type="application/json", description="An OpenAPI 3.1 document.")},
    is_open=True,
)
def get_document() -> Response:
    """Return the OpenAPI document of this server."""
    query(ReadContract)
    return Response(published(current_app).document, mimetype="application/json")


@routes.get("/v1/docs")
@operation(
    query=ReadContract,
    answers={200: Media(type="text/html", description="A page that needs nothing else.")},
    is_open=True,
)
def read_document() -> Response:
    """Return the same as a page to read."""
    query(ReadContract)
    return Response(published(current_app).page, mimetype="text/html", headers={"Content-Security-Policy": POLICY})
