"""Older addresses of the routes for documents, kept for clients that still use them."""

from __future__ import annotations

from flask import Blueprint

from api.routes import document_changes, documents

routes = Blueprint("older", __name__)

# What is `/v3/documents` now was `/v3/memories` before; bodies and answers are the same.
for _method, _rule, _view in (
    ("POST", "/v3/memories", documents.add_document),
    ("POST", "/v3/memories/batch", document_changes.add_documents),
    ("POST", "/v3/memories/list", documents.list_documents),
    ("GET", "/v3/memories/<path:ref>", documents.get_document),
    ("PATCH", "/v3/memories/<path:ref>", document_changes.change_document),
    ("DELETE", "/v3/memories/bulk", document_changes.delete_documents),
    ("DELETE", "/v3/memories/<path:ref>", documents.delete_document),
):
    routes.add_url_rule(_rule, f"{_view.__name__}_before", _view, methods=[_method])
