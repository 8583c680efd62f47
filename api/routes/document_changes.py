"""Documents changed, and several added or deleted at once."""

from __future__ import annotations

from flask import Blueprint

from api import render, render_documents, scope
from api.answers import documents as answers
from api.body import body
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.documents import AddDocuments, ChangeDocument, DeleteDocuments
from api.waits import settled
from services import document_batches, document_changes

routes = Blueprint("document_changes", __name__)


@routes.post("/v3/documents/batch")
@operation(
    body=AddDocuments,
    answers={202: answers.Batch},
    idempotent=True,
    example={"documents": [{"content": "Crane 4 lifts 55 kg."}, "Crane 5 is new."], "containerTag": "yard"},
)
def add_documents() -> Reply:
    """Accept several documents in one transaction.

    What is said beside `documents` holds for each that does not say otherwise; metadata is joined key by key. They are
    taken in the order of their dates, oldest first, so that newer facts supersede older ones; those without a date come
    last, in the order sent. One that is wrong in itself refuses them all, with its place; one that does not fit what is
    kept, such as a `customId` of somebody else, fails alone and has `error` and `details`.
    """
    sent = body(AddDocuments)
    new = [(scope.to_write(one), one.record()) for one in sent.each()]
    with limits().writing():
        results = document_batches.add_all(
            scope.to_read(sent), host(), actor(), new, idempotency=idempotency("POST /v3/documents/batch")
        )
    return render_documents.batch(results), 202


@routes.patch("/v3/documents/<path:ref>")
@operation(
    body=ChangeDocument,
    answers={200: answers.Accepted, 202: answers.Accepted},
    example={"metadata": {"team": "infra"}},
)
def change_document(ref: str) -> Reply:
    """Change a document by id or customId; what is left out stays as it is.

    Another text than before, or another date, is a new revision (202); anything else takes effect at once and processes
    nothing (200). A document stays in its space: naming another one is 400.
    """
    sent = body(ChangeDocument)
    scope.to_change(sent)
    scope.require_at_most_one_space(sent)
    whose = scope.to_change(sent.anywhere())
    with limits().writing():
        changed = document_changes.change(whose, host(), ref, sent.change(), named=sent.spaces())
    if not changed.created:
        return render.accepted(changed), 200
    return settled(whose, changed, wait=sent.wait)


@routes.delete("/v3/documents/bulk")
@operation(body=DeleteDocuments, answers={200: answers.Deleted, 202: answers.Deleted}, example={"ids": ["crane-4"]})
def delete_documents() -> Reply:
    """Delete several documents: by ids, or all of some spaces, or what lies at a path of them.

    An id that names no document, or several, deletes nothing, is told in `errors` and makes `success` false; the others
    are deleted. One of a document that was deleted before is not counted, and is no error. What the writer has not done
    in time is counted in `pendingCount` (202) and will be done. A space stays when its documents go.
    """
    sent = body(DeleteDocuments)
    with limits().writing():
        if sent.ids is not None:
            named = scope.to_change(sent)
            done = document_changes.delete_named(named, host(), actor(), sent.ids, reason=sent.reason)
        else:
            done = document_changes.delete_all(
                scope.to_delete(sent), host(), actor(), filepath=sent.filepath, reason=sent.reason
            )
    return render_documents.deletion(done, sent.spaces()), 202 if done.pending else 200
