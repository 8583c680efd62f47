"""Export and import: a tenant or space as JSON lines, and back."""

from __future__ import annotations

from flask import Blueprint, Response

from api import render_transfer, scope, transfers
from api.answers import transfer as answers
from api.answers.base import Media
from api.body import query
from api.context import actor, caller, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.scope import InScope
from api.schemas.transfer import Export, FindImport, StartImport
from services import importing

routes = Blueprint("transfer", __name__)

LINES = Media(type=transfers.LINES, description="An export: one JSON object a line, the last with counts and a hash.")


@routes.get("/v1/export")
@operation(query=Export, answers={200: LINES}, errors=(409, 413))
def export() -> Response:
    """Return everything there is of the spaces named, or of every space the key may use, as JSON lines.

    All lines are of one moment. The first names the format, the spaces and the embedding model; then come spaces,
    settings, jobs, documents with their revisions and sources, sessions, episodes with salts and hashes, search rows
    with their windows on both clocks, chunks, memories with all versions, what they rest on, tombstones, decisions and
    the review list. The last line has the counts and the SHA-256 of all lines before it: where it is missing, the
    export was cut off. 409 while spaces of it are being merged. Of a key that is bound to a user or an agent only what
    is theirs or nobody's is told.
    """
    sent = query(Export)
    whole = not (sent.spaces() or scope.is_limited() or sent.user_id or sent.agent_id or sent.session_id)
    return transfers.sent(scope.to_find(sent), vectors=sent.vectors, whole=whole)


@routes.post("/v1/import")
@operation(query=StartImport, upload=LINES, answers={200: answers.Import, 202: answers.Import}, idempotent=True)
def import_lines() -> Reply:
    """Make an export into rows again, with the ids they had, in spaces that are empty.

    It is checked whole before it is accepted, and seen whole or not at all. 400 has `line` and `field` of what is
    wrong, such as a name of what the file does not tell of in the same space. 409 when a space has something in it, or
    when an id is here already. Rows that come without vectors are found by their words at once and get their vectors
    afterwards. It takes the key of a person.
    """
    sent, whose = query(StartImport), scope.to_change(InScope())
    scope.require_whole_space("import")
    with limits().lasting():
        one = importing.accept(
            whose, host(), actor(), transfers.received(), rename=sent.container_tag, within=caller().spaces,
            repeated=lambda digest: idempotency("POST /v1/import", body_hash=digest),
        )  # fmt: skip
        seconds = host().settings.wait_seconds if sent.wait else 0.0
        progress = importing.wait(whose, host(), one.id, seconds=seconds)
    return render_transfer.imported(progress), 202 if progress.of.is_open else 200


@routes.get("/v1/imports/<import_id>")
@operation(query=FindImport, answers={200: answers.Import})
def get_import(import_id: str) -> Reply:
    """Return an import and how far it is."""
    query(FindImport)
    progress = importing.get(scope.to_find(InScope()), host(), import_id, within=caller().spaces)
    return render_transfer.imported(progress)
