"""Container tags: settings, merging, deleting and restoring, and what was inferred in them."""

from __future__ import annotations

from flask import Blueprint

from api import render, render_tags, scope
from api.answers import container_tags as answers
from api.answers.base import Pending
from api.body import body, body_if_any, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.nulls import nulled
from api.operations import operation
from api.reply import Reply
from api.schemas.container_tags import (
    FindTag,
    ListDeletions,
    ListInferred,
    ListTags,
    MergeTags,
    RestoreDeletion,
    ReviewInferred,
    UpdateTag,
)
from api.schemas.scope import InScope
from memory.records import Scope
from memory.values import container_tag as checked
from services import bucket_changes, container_tags, inferred, merging
from services.container_tags import TagSettings

routes = Blueprint("container_tags", __name__)


def _named(*tags: str) -> InScope:
    """Return the fields of a request that names spaces in its address; by the same rule as in a body."""
    return InScope.model_construct(container_tags=[checked(tag) for tag in tags])


def _shown(whose: Scope, found: TagSettings) -> Reply:
    return render_tags.tag(found, bucket_changes.listing(whose, host()), container_tags.warning(host(), found))


@routes.get("/v3/container-tags/list")
@operation(query=ListTags, answers={200: answers.ContainerTags})
def list_tags() -> Reply:
    """Return a page of the container tags the key may use, with counts."""
    sent = query(ListTags)
    page = container_tags.listing(scope.to_find(InScope()), host(), **sent.paging())
    return render.listed(page, "containerTags", render_tags.listed_tag, number=sent.page)


@routes.get("/v3/container-tags/<container_tag>")
@operation(query=FindTag, answers={200: answers.ContainerTag})
def get_tag(container_tag: str) -> Reply:
    """Return a container tag with its settings."""
    query(FindTag)
    whose = scope.to_read(_named(container_tag))
    return _shown(whose, container_tags.get(whose, host()))


@routes.patch("/v3/container-tags/<container_tag>")
@operation(
    body=UpdateTag,
    answers={200: answers.ContainerTag, 202: Pending},
    example={"name": "Research", "entityContext": "Papers about machine learning."},
)
def update_tag(container_tag: str) -> Reply:
    """Change the settings of a container tag, which is made when it is new.

    Null takes a setting away, absence leaves it. `profileBuckets` are all that the profile has of its own: what is not
    named goes. `entityContext` is told to the language model that extracts; without one the answer says that it has no
    effect. `memoryFilesystemPaths`: only documents whose `filepath` lies below one of them teach facts.
    """
    sent, nulls = body(UpdateTag), nulled(UpdateTag)
    scope.require_whole_space("change the settings of a container tag")
    whose = scope.to_write(_named(container_tag))
    with limits().writing():
        found = container_tags.update(whose, host(), actor(), sent.values(nulls), sent.buckets(nulls))
    return _shown(whose, found)


@routes.delete("/v3/container-tags/<container_tag>")
@operation(query=FindTag, answers={200: answers.DeletedTag})
def delete_tag(container_tag: str) -> Reply:
    """Put a container tag away with all that is in it; nothing of it is found until it is restored.

    `POST /v1/deletions/{deletion_id}/restore` gives it back whole. To have it gone for good, erase the space at
    `POST /v1/erasures`, before or after.
    """
    query(FindTag)
    scope.require_whole_space("delete a container tag")
    with limits().writing():
        return render_tags.deleted_tag(container_tags.delete(scope.to_write(_named(container_tag)), host(), actor()))


@routes.post("/v3/container-tags/merge")
@operation(
    body=MergeTags,
    answers={202: answers.QueuedMerge},
    errors=(404,),
    idempotent=True,
    example={"containerTags": ["home-old"], "targetContainerTag": "home"},
)
def merge_tags() -> Reply:
    """Move everything of some container tags into another one.

    Ids stay. What says the same as a live memory of the target becomes its further source; the rest is judged against
    what it now stands beside. A `customId` or `conversationId` that the target has already gets `~` and the name of
    the tag it comes from. Each memory is kept as long as its own tag keeps it. The target has its own settings, and
    those of the tags where it has none; what taught goes on teaching, so the lists of `memoryFilesystemPaths` are
    joined, and no list stays none. A tag that the merge makes has the retention that all the others share. The emptied
    tags are gone; a later write under their names makes new ones.
    """
    sent, key = body(MergeTags), idempotency("POST /v3/container-tags/merge")
    scope.require_whole_space("merge container tags")
    named = (*sent.container_tags, sent.target_container_tag)
    whose = scope.to_change(InScope.model_construct(container_tags=list(named)))
    with limits().writing():
        found = merging.merge(whose, host(), actor(), sent.container_tags, sent.target_container_tag, idempotency=key)
    return render_tags.queued_merge(found), 202


@routes.get("/v3/container-tags/merge/<merge_id>")
@operation(query=FindTag, answers={200: answers.Merge})
def get_merge(merge_id: str) -> Reply:
    """Return how far a merge is."""
    query(FindTag)
    return render_tags.merge(merging.get(scope.to_find(InScope()), host(), merge_id, every=not scope.is_limited()))


@routes.get("/v3/container-tags/<container_tag>/inferred")
@operation(query=ListInferred, answers={200: answers.InferredMemories})
def list_inferred(container_tag: str) -> Reply:
    """Return a page of the inferred memories that wait for a person."""
    sent = query(ListInferred)
    page = inferred.listing(scope.to_read(_named(container_tag)), host(), **sent.paging())
    return {**render.listed(page, "memories", render_tags.inferred_entry, number=sent.page), "total": page.total}


@routes.post("/v3/container-tags/<container_tag>/inferred/<memory_id>/review")
@operation(body=ReviewInferred, answers={200: answers.ReviewedMemory, 202: Pending}, example={"action": "approve"})
def review_inferred(container_tag: str, memory_id: str) -> Reply:
    """Approve or decline an inferred memory, or have it wait again; only a person can."""
    sent = body(ReviewInferred)
    with limits().writing():
        whose = scope.to_write(_named(container_tag))
        return render_tags.reviewed(inferred.decide(whose, host(), actor(), memory_id, sent.action))


@routes.get("/v1/deletions")
@operation(query=ListDeletions, answers={200: answers.Deletions})
def list_deletions() -> Reply:
    """Return a page of the container tags that were put away and can be restored."""
    sent = query(ListDeletions)
    whose, every = scope.to_find(InScope()), not scope.is_limited()
    page = container_tags.deleted(whose, host(), every=every, **sent.paging())
    rows = list(map(render_tags.deletion, page.rows))
    return {"deletions": rows, "pagination": render.pagination(page, number=sent.page)}


@routes.post("/v1/deletions/<deletion_id>/restore")
@operation(body=RestoreDeletion, body_optional=True, answers={200: answers.ContainerTag})
def restore_deletion(deletion_id: str) -> Reply:
    """Give a container tag back with all that was in it, under its name or another one that is free."""
    sent = body_if_any(RestoreDeletion)
    scope.require_whole_space("restore a container tag")
    whose, every = scope.to_change(InScope()), not scope.is_limited()
    with limits().writing():
        found = container_tags.restore(whose, host(), actor(), deletion_id, every=every, name=sent.container_tag)
    return _shown(Scope(tenant=whose.tenant, spaces=(found.name,)), found)
