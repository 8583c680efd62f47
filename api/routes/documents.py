"""Documents."""

from __future__ import annotations

from flask import Blueprint

from api import render, scope
from api.body import body, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.reply import Reply
from api.routes import erasures
from api.schemas.documents import AddDocument, DeleteDocument, FindDocument, ListDocuments, ListProcessing
from api.waits import settled
from services import documents

routes = Blueprint("documents", __name__)


@routes.post("/v3/documents")
def add_document() -> Reply:
    """Accept a document; with `wait` its end is awaited."""
    sent = body(AddDocument)
    whose = scope.to_write(sent)
    with limits().writing():
        accepted = documents.add(whose, host(), actor(), sent.record(), idempotency=idempotency("POST /v3/documents"))
    return settled(whose, accepted, wait=sent.wait)


@routes.post("/v3/documents/list")
def list_documents() -> Reply:
    """Return a page of documents."""
    return _page(body(ListDocuments))


@routes.get("/v3/documents")
def list_documents_by_query() -> Reply:
    """Return a page of documents, asked for by query string."""
    return _page(query(ListDocuments))


def _page(sent: ListDocuments) -> Reply:
    whose = scope.to_read(sent)
    page = documents.listing(whose, host(), **sent.selection())
    return render.listed(page, "memories", render.document, number=sent.page)


@routes.get("/v3/documents/processing")
def list_processing() -> Reply:
    """Return the documents that are not done yet."""
    sent = query(ListProcessing)
    page = documents.processing(scope.to_find(sent), host(), **sent.paging())
    return {**render.listed(page, "documents", render.document, number=sent.page), "totalCount": page.total}


@routes.get("/v3/documents/<path:ref>")
def get_document(ref: str) -> Reply:
    """Return one document by id or customId, with its text and memories."""
    whose = scope.to_find(query(FindDocument))
    found = documents.get(whose, host(), ref, content=True)
    return render.whole_document(found, documents.memories_of(whose, host(), found.id))


@routes.get("/v3/documents/<path:ref>/chunks")
def list_chunks(ref: str) -> Reply:
    """Return the chunks of a document in order."""
    chunks = documents.chunks(scope.to_find(query(FindDocument)), host(), ref)
    return {"chunks": [render.chunk(one) for one in chunks], "total": len(chunks)}


@routes.delete("/v3/documents/<path:ref>")
def delete_document(ref: str) -> Reply:
    """Delete a document by id or customId; facts that rest on it alone retire, or with `erase` are gone for good."""
    sent = query(DeleteDocument)
    if sent.erase:
        return erasures.erase_document(scope.to_change(sent), ref, verify=sent.verify)
    with limits().writing():
        documents.delete(scope.to_change(sent), host(), actor(), ref, reason=sent.reason)
    return "", 204
