"""Files: sent in, and given back as they came."""

from __future__ import annotations

from flask import Blueprint, Response

from api import scope
from api.answers import documents as answers
from api.answers.base import Media
from api.body import query
from api.context import actor, host, limits
from api.downloads import attachment
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.documents import FindDocument
from api.schemas.files import UploadFile
from api.uploads import FILE, upload
from api.waits import settled
from services import documents, uploads

routes = Blueprint("files", __name__)


@routes.post("/v3/documents/file")
@operation(
    form=UploadFile, file=FILE, answers={200: answers.Accepted, 202: answers.Accepted}, idempotent=True,
    example={"containerTag": "yard", "customId": "manual-4"},
)  # fmt: skip
def upload_file() -> Reply:
    """Accept a file as a document; its text is read afterwards, and one that has none ends as `failed`, with a reason.

    PDF, DOCX, PPTX, XLSX, EPUB, e-mail (EML), HTML, SVG, CSV, TSV, JSON, source code, Markdown and text of any encoding
    are read. The content decides where it is certain, else the name. The name is the title, unless one is sent.
    """
    with limits().writing():
        sent = upload(UploadFile)
        source = uploads.source_of(host(), sent.name, sent.fields.mime_type or sent.media_type, sent.body)
        whose, repeated = scope.to_write(sent.fields), idempotency("POST /v3/documents/file", body_hash=sent.hash)
        new = sent.fields.record(source, uploads.type_of(source))
        accepted = documents.add(whose, host(), actor(), new, idempotency=repeated)
    return settled(whose, accepted, wait=sent.fields.wait)


@routes.get("/v3/documents/<path:ref>/file")
@operation(
    query=FindDocument, answers={200: Media(type="*/*", description="The file as it was sent.")}, errors=(404, 409)
)
def get_file(ref: str) -> Response:
    """Return the file a document was sent as, of the revision that search answers from; never to be shown in place."""
    return attachment(uploads.get_file(scope.to_find(query(FindDocument)), host(), ref))
