"""The review list: contradictions, doubtful candidates, what no judge could decide.

Nothing on it changes what is known. A memory that something stands against is marked as disputed in searches and lists
until that is resolved.

| `kind` | what waits | `memory` is |
|---|---|---|
| `contradiction` | a candidate that contradicts a confident memory, or what a person said later | that memory |
| `low_confidence` | a candidate whose confidence is below 0.3 | null |
| `unjudged` | a memory that was added although no judge could decide whether it replaces another | itself |
| `inferred` | a memory that nobody said and that was concluded from others | itself |
"""

from __future__ import annotations

from flask import Blueprint

from api import render, scope
from api.answers import conflicts as answers
from api.answers.base import Pending
from api.body import body, query
from api.context import actor, host, limits
from api.operations import operation
from api.reply import Reply
from api.schemas.conflicts import FindConflict, ListConflicts, ResolveConflict
from services import review

routes = Blueprint("conflicts", __name__)


@routes.get("/v1/conflicts")
@operation(query=ListConflicts, answers={200: answers.Conflicts})
def list_conflicts() -> Reply:
    """Return a page of what waits for a person, the newest first, over every space the key may use."""
    sent = query(ListConflicts)
    state = None if sent.state == "all" else sent.state
    page = review.listing(scope.to_find(sent), host(), **sent.paging(), kind=sent.kind, state=state)
    rows = list(map(render.conflict, page.rows))
    return {"conflicts": rows, "pagination": render.pagination(page, number=sent.page)}


@routes.get("/v1/conflicts/<conflict_id>")
@operation(query=FindConflict, answers={200: answers.Conflict})
def get_conflict(conflict_id: str) -> Reply:
    """Return one entry."""
    return render.conflict(review.get(scope.to_find(query(FindConflict)), host(), conflict_id))


@routes.post("/v1/conflicts/<conflict_id>/resolve")
@operation(
    body=ResolveConflict,
    answers={200: answers.Conflict, 202: Pending},
    errors=(502,),
    example={"resolution": "take_candidate", "reason": "She said so herself."},
)
def resolve_conflict(conflict_id: str) -> Reply:
    """Decide one entry; only a person can.

    | `resolution` | of what contradicts, or is doubtful | of a memory that is unjudged or inferred |
    |---|---|---|
    | `keep_incumbent` | nothing changes; the same of an older source is refused from now on | it is forgotten |
    | `take_candidate` | the candidate takes its place, or is added | it is confirmed instead of the other |
    | `keep_both` | the candidate is added beside the memory | it is confirmed beside the other |
    | `edit` | `text` takes the place of the memory | `text` takes the place of the memory |

    Where an entry has `"proposed": "undecided"`, the memory took another's place by a verdict that no longer counts:
    `keep_incumbent` puts the other back in its place, `keep_both` beside it, `take_candidate` confirms what replaced
    it. 409 `conflict` when it is resolved already, or nothing is left to decide about; 409 `already_known` when another
    live memory says what would become current.
    """
    sent = body(ResolveConflict)
    with limits().writing():
        decided = review.resolve(
            scope.to_change(sent), host(), actor(), conflict_id, sent.resolution, text=sent.text, reason=sent.reason
        )
    return render.conflict(decided)
