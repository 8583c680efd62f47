"""Profiles and their buckets."""

from __future__ import annotations

from flask import Blueprint

from api import render_profile, scope
from api.answers import profile as answers
from api.answers.base import Pending
from api.body import body, query
from api.context import actor, host, limits
from api.operations import operation
from api.reply import Reply
from api.schemas.profile import DeleteBucket, FindProfile, ListBuckets, PutBucket, ShowBuckets, ShowProfile
from services import bucket_changes, profile

routes = Blueprint("profile", __name__)


@routes.get("/v4/profile")
@operation(query=FindProfile, answers={200: answers.Profile}, errors=(404,))
def get_profile() -> Reply:
    """Return what holds about a space, what is new in it, and its buckets.

    Every line is a memory with who said it and when. `static` has preferences, then facts, each by how many sources say
    so; what was marked `isStatic` comes first. `dynamic` has episodes, and facts that took the place of others, that
    began within 14 days before now or before `asOf`; the newest first. A line that something contradicts begins with
    "[Disputed] ", one that no judge could decide about with "[Unjudged] "; both come last. What only an assistant said
    is in no part. When the question could not be searched, the profile comes all the same and `degraded` says why.
    """
    sent = query(FindProfile)
    found = profile.profile(scope.to_read(sent), host(), sent.wanted())
    return render_profile.profile(found, details=sent.details)


@routes.post("/v4/profile")
@operation(
    body=ShowProfile, answers={200: answers.Profile}, errors=(404,), changes=False, example={"containerTag": "home"}
)
def show_profile() -> Reply:
    """Return the same, asked for in a body."""
    sent = body(ShowProfile)
    found = profile.profile(scope.to_read(sent), host(), sent.wanted())
    return render_profile.profile(found, details=sent.details)


@routes.post("/v4/profile/buckets")
@operation(body=ShowBuckets, answers={200: answers.CamelBuckets}, changes=False, example={"containerTag": "home"})
def show_buckets() -> Reply:
    """Return the buckets of a space as Supermemory does."""
    return render_profile.buckets(bucket_changes.listing(scope.to_read(body(ShowBuckets)), host()), spaces=False)


@routes.get("/v1/profile/buckets")
@operation(query=ListBuckets, answers={200: answers.Buckets})
def list_buckets() -> Reply:
    """Return the buckets of the spaces named."""
    return render_profile.buckets(bucket_changes.listing(scope.to_read(query(ListBuckets)), host()))


@routes.put("/v1/profile/buckets")
@operation(
    body=PutBucket,
    answers={200: answers.Buckets, 202: Pending},
    example={"key": "food", "description": "What people eat"},
)
def put_bucket() -> Reply:
    """Name a part of a profile, or describe it anew; a space has at most 20.

    What is known is sorted into the bucket at once, what is learned later within a quarter of a minute. Without a
    language model a memory belongs when its vector is like the description's, or a little like it and they share a
    word; with one, each memory that may belong is a question to it, and belongs when it says so with at least 0.6. Each
    answer is a decision of the judge `bucket`. A new description of a known key sorts anew.
    """
    sent = body(PutBucket)
    scope.require_whole_space("name the parts of a space's profiles")
    with limits().writing():
        return render_profile.buckets(
            bucket_changes.put(scope.to_write(sent), host(), actor(), sent.key, sent.description)
        )


@routes.delete("/v1/profile/buckets")
@operation(body=DeleteBucket, answers={200: answers.Buckets, 202: Pending}, errors=(404,), example={"key": "food"})
def delete_bucket() -> Reply:
    """Take a bucket away; its memories stay."""
    sent = body(DeleteBucket)
    scope.require_whole_space("take away a part of a space's profiles")
    with limits().writing():
        return render_profile.buckets(bucket_changes.remove(scope.to_write(sent), host(), actor(), sent.key))
