"""Documents: added, listed, read and deleted, whole or in their chunks."""

from __future__ import annotations

from flask import Blueprint, request

from api import render, render_documents, scope
from api.answers import documents as answers
from api.answers.base import Pending
from api.answers.erasures import Receipt
from api.body import body, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.routes import erasures
from api.schemas.documents import AddDocument, DeleteDocument, FindDocument, ListDocuments, ListProcessing
from api.waits import settled
from services import documents

routes = Blueprint("documents", __name__)


@routes.post("/v3/documents")
@operation(
    body=AddDocument,
    answers={200: answers.Accepted, 202: answers.Accepted},
    idempotent=True,
    example={"content": "# Crane 4\n\nThe limit is 55 kg.", "customId": "crane-4", "containerTag": "yard"},
)
def add_document() -> Reply:
    """Accept a document; with `wait` its end is awaited.

    It is kept when the answer comes, the rest is a job. The same `customId` in a space is a new revision of the same
    document: the old one is found until the new one can be. An equal text is not processed again, unless it is now
    said to be from another date, which relative dates in it count from.
    """
    sent = body(AddDocument)
    whose = scope.to_write(sent)
    with limits().writing():
        accepted = documents.add(whose, host(), actor(), sent.record(), idempotency=idempotency("POST /v3/documents"))
    return settled(whose, accepted, wait=sent.wait)


@routes.post("/v3/documents/list")
@operation(
    body=ListDocuments, answers={200: answers.Documents}, changes=False, example={"containerTag": "yard", "limit": 20}
)
def list_documents() -> Reply:
    """Return a page of documents.

    A filter is applied before the page is cut. `limit` and `page` may be decimal text, or have a fraction of zero.
    """
    return _page(body(ListDocuments))


@routes.get("/v3/documents")
@operation(query=ListDocuments, answers={200: answers.Documents})
def list_documents_by_query() -> Reply:
    """Return a page of documents, asked for by query string."""
    return _page(query(ListDocuments))


def _page(sent: ListDocuments) -> Reply:
    whose = scope.to_read(sent)
    page = documents.listing(whose, host(), **sent.selection())
    return render.listed(page, "memories", render_documents.document, number=sent.page)


@routes.get("/v3/documents/processing")
@operation(query=ListProcessing, answers={200: answers.Processing})
def list_processing() -> Reply:
    """Return the documents that are not done yet.

    `stuck` is true of one that nothing has touched for 4 hours; the default view `active` leaves these out.
    """
    sent = query(ListProcessing)
    page = documents.processing(scope.to_find(sent), host(), view=sent.view, **sent.paging())
    return {
        **render.listed(page, "documents", render_documents.processed, number=sent.page),
        "totalCount": page.total,
    }


@routes.get("/v3/documents/<path:ref>")
@operation(query=FindDocument, answers={200: answers.WholeDocument}, errors=(409,))
def get_document(ref: str) -> Reply:
    """Return one document by id or customId, with its text and memories.

    A customId that several spaces use is 409; name the space.
    """
    whose = scope.to_find(query(FindDocument))
    found = documents.get(whose, host(), ref, content=True)
    return render_documents.whole_document(found, documents.memories_of(whose, host(), found.id))


@routes.get("/v3/documents/<path:ref>/chunks")
@operation(query=FindDocument, answers={200: answers.Chunks}, errors=(409,))
def list_chunks(ref: str) -> Reply:
    """Return the chunks of a document in order."""
    chunks = documents.chunks(scope.to_find(query(FindDocument)), host(), ref)
    return {"chunks": [render_documents.chunk(one) for one in chunks], "total": len(chunks)}


@routes.get("/v3/documents/<path:ref>/file-url")
@operation(query=FindDocument, answers={200: answers.FileUrl}, errors=(409,))
def get_file_url(ref: str) -> Reply:
    """Return the address at which the file that a document was sent as is fetched; it takes the same key.

    A document that was sent as text has none: 404.
    """
    found = documents.with_file(scope.to_find(query(FindDocument)), host(), ref)
    return {"url": f"{request.host_url}v3/documents/{found}/file"}


@routes.delete("/v3/documents/<path:ref>")
@operation(query=DeleteDocument, answers={200: Receipt, 202: (Receipt, Pending), 204: None})
def delete_document(ref: str) -> Reply:
    """Delete a document by id or customId; facts that rest on it alone retire, or with `erase` are gone for good.

    Its history stays unless it is erased; the answer to an erasure is its receipt.
    """
    sent = query(DeleteDocument)
    if sent.erase:
        every = scope.is_every_space(sent)
        return erasures.erase_document(scope.to_change(sent), ref, every=every, verify=sent.verify)
    with limits().writing():
        documents.delete(scope.to_change(sent), host(), actor(), ref, reason=sent.reason)
    return "", 204
