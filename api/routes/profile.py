"""Profiles and their buckets."""

from __future__ import annotations

from flask import Blueprint

from api import render_profile, scope
from api.body import body, query
from api.context import actor, host, limits
from api.reply import Reply
from api.schemas.profile import DeleteBucket, FindProfile, ListBuckets, PutBucket, ShowBuckets, ShowProfile
from services import bucketing, profile

routes = Blueprint("profile", __name__)


@routes.get("/v4/profile")
def get_profile() -> Reply:
    """Return what holds about a space, what is new in it, and its buckets."""
    sent = query(FindProfile)
    found = profile.profile(scope.to_read(sent), host(), sent.wanted())
    return render_profile.profile(found, details=sent.details)


@routes.post("/v4/profile")
def show_profile() -> Reply:
    """Return the same, asked for in a body."""
    sent = body(ShowProfile)
    found = profile.profile(scope.to_read(sent), host(), sent.wanted())
    return render_profile.profile(found, details=sent.details)


@routes.post("/v4/profile/buckets")
def show_buckets() -> Reply:
    """Return the buckets of a space as Supermemory does."""
    return render_profile.buckets(bucketing.listing(scope.to_read(body(ShowBuckets)), host()), spaces=False)


@routes.get("/v1/profile/buckets")
def list_buckets() -> Reply:
    """Return the buckets of the spaces named."""
    return render_profile.buckets(bucketing.listing(scope.to_read(query(ListBuckets)), host()))


@routes.put("/v1/profile/buckets")
def put_bucket() -> Reply:
    """Name a part of a profile, or describe it anew."""
    sent = body(PutBucket)
    scope.require_whole_space("name the parts of a space's profiles")
    with limits().writing():
        return render_profile.buckets(bucketing.put(scope.to_write(sent), host(), actor(), sent.key, sent.description))


@routes.delete("/v1/profile/buckets")
def delete_bucket() -> Reply:
    """Take a bucket away; its memories stay."""
    sent = body(DeleteBucket)
    scope.require_whole_space("take away a part of a space's profiles")
    with limits().writing():
        return render_profile.buckets(bucketing.remove(scope.to_write(sent), host(), actor(), sent.key))
