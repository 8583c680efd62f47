"""The control plane: tenants, their keys and their people. No route here reads or writes what a tenant keeps."""

from __future__ import annotations

from flask import Blueprint

from api.answers import admin as answers
from api.body import body, body_if_any, query
from api.context import administrator, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.admin import (
    AddMember,
    CreateKey,
    CreateTenant,
    EditKey,
    EditMember,
    EditTenant,
    ListRows,
    Nothing,
    RotateKey,
)
from services import admin, admin_views, administering, key_changes, keys, members, tenants

routes = Blueprint("admin", __name__)


@routes.post("/v1/admin/tenants")
@operation(body=CreateTenant, answers={201: answers.Tenant}, idempotent=True, example={"id": "north-lab"})
def create_tenant() -> Reply:
    """Make a tenant."""
    sent = body(CreateTenant)
    repeat = idempotency("POST /v1/admin/tenants")
    with limits().writing():
        return administering.create_tenant(host(), administrator(), sent.id, name=sent.name, repeat=repeat), 201


@routes.get("/v1/admin/tenants")
@operation(query=ListRows, answers={200: answers.Tenants})
def list_tenants() -> Reply:
    """List tenants, oldest first; to an owner their own."""
    sent = query(ListRows)
    found = tenants.listing(host(), within=administrator().tenants, limit=sent.limit, cursor=sent.cursor)
    return admin_views.page("tenants", found, admin_views.tenant)


@routes.get("/v1/admin/tenants/<tenant>")
@operation(query=Nothing, answers={200: answers.Tenant})
def get_tenant(tenant: str) -> Reply:
    """Return one tenant."""
    query(Nothing)
    administering.require(host(), administrator(), tenant)
    return admin_views.tenant(tenants.get(host(), tenant))


@routes.patch("/v1/admin/tenants/<tenant>")
@operation(body=EditTenant, answers={200: answers.Tenant}, example={"disabled": True})
def edit_tenant(tenant: str) -> Reply:
    """Rename a tenant, take it out of use, or put it back."""
    sent = body(EditTenant)
    with limits().writing():
        return administering.edit_tenant(host(), administrator(), tenant, name=sent.name, disabled=sent.disabled)


@routes.post("/v1/admin/tenants/<tenant>/keys")
@operation(body=CreateKey, answers={201: answers.NewKey}, idempotent=True, example={"label": "crawler"})
def create_key(tenant: str) -> Reply:
    """Make a key of a tenant; its secret is answered this once."""
    sent = body(CreateKey)
    repeat = idempotency(f"POST /v1/admin/tenants/{tenant}/keys")
    with limits().writing():
        return administering.create_key(host(), administrator(), tenant, repeat=repeat, **sent.limits()), 201


@routes.get("/v1/admin/tenants/<tenant>/keys")
@operation(query=ListRows, answers={200: answers.Keys})
def list_keys(tenant: str) -> Reply:
    """List the keys of a tenant, oldest first, those that have ended too."""
    sent = query(ListRows)
    administering.require(host(), administrator(), tenant)
    now = host().clock()
    found = keys.page(host(), tenant, limit=sent.limit, cursor=sent.cursor)
    return admin_views.page("keys", found, lambda one: admin_views.key(one, now))


@routes.get("/v1/admin/tenants/<tenant>/keys/<key_id>")
@operation(query=Nothing, answers={200: answers.Key})
def get_key(tenant: str, key_id: str) -> Reply:
    """Return one key, without its secret."""
    query(Nothing)
    administering.require(host(), administrator(), tenant)
    return admin_views.key(keys.get(host(), tenant, key_id), host().clock())


@routes.patch("/v1/admin/tenants/<tenant>/keys/<key_id>")
@operation(body=EditKey, answers={200: answers.Key}, example={"expires_in_seconds": 3600})
def edit_key(tenant: str, key_id: str) -> Reply:
    """Change what a key is called or when it ends."""
    sent, now, who = body(EditKey), host().clock(), administrator()
    administering.require(host(), who, tenant)
    with limits().writing():
        changed = key_changes.edit(host(), who.actor, tenant, key_id, **sent.changes(now))
    return admin_views.key(changed, now)


@routes.post("/v1/admin/tenants/<tenant>/keys/<key_id>/rotate")
@operation(
    body=RotateKey, body_optional=True, answers={201: answers.NewKey}, idempotent=True,
    example={"overlap_seconds": 3600},
)  # fmt: skip
def rotate_key(tenant: str, key_id: str) -> Reply:
    """Make a key in the place of another, with its limits; the secret is answered this once."""
    sent = body_if_any(RotateKey)
    seconds = sent.overlap_seconds or 0
    repeat = idempotency(f"POST /v1/admin/tenants/{tenant}/keys/{key_id}/rotate", body_hash=str(seconds))
    with limits().writing():
        made = administering.rotate_key(host(), administrator(), tenant, key_id, overlap_seconds=seconds, repeat=repeat)
    return made, 201


@routes.delete("/v1/admin/tenants/<tenant>/keys/<key_id>")
@operation(query=Nothing, answers={200: answers.Key})
def revoke_key(tenant: str, key_id: str) -> Reply:
    """End a key now."""
    query(Nothing)
    who = administrator()
    administering.require(host(), who, tenant)
    with limits().writing():
        return admin_views.key(keys.revoke(host(), key_id, tenant=tenant, actor=who.actor), host().clock())


@routes.post("/v1/admin/tenants/<tenant>/members")
@operation(
    body=AddMember, answers={201: answers.Member}, idempotent=True,
    example={"role": "editor", "email": "ada@example.org"},
)  # fmt: skip
def add_member(tenant: str) -> Reply:
    """Make a person a member of a tenant."""
    sent = body(AddMember)
    repeat = idempotency(f"POST /v1/admin/tenants/{tenant}/members")
    with limits().writing():
        made = administering.add_member(
            host(), administrator(), tenant, host().settings.oidc_issuer, role=sent.role, subject=sent.subject,
            email=sent.email, repeat=repeat,
        )  # fmt: skip
    return made, 201


@routes.get("/v1/admin/tenants/<tenant>/members")
@operation(query=ListRows, answers={200: answers.Members})
def list_members(tenant: str) -> Reply:
    """List the members of a tenant, oldest first."""
    sent = query(ListRows)
    administering.require(host(), administrator(), tenant)
    found = members.listing(host(), tenant, limit=sent.limit, cursor=sent.cursor)
    return admin_views.page("members", found, admin_views.member)


@routes.patch("/v1/admin/tenants/<tenant>/members/<member_id>")
@operation(body=EditMember, answers={200: answers.Member}, example={"role": "reader"})
def edit_member(tenant: str, member_id: str) -> Reply:
    """Give a member another role."""
    sent, who = body(EditMember), administrator()
    administering.require(host(), who, tenant)
    with limits().writing():
        return admin_views.member(members.edit(host(), who.actor, tenant, member_id, role=sent.role))


@routes.delete("/v1/admin/tenants/<tenant>/members/<member_id>")
@operation(query=Nothing, answers={204: None})
def remove_member(tenant: str, member_id: str) -> Reply:
    """Let a person be no member any more; what they did stays."""
    query(Nothing)
    who = administrator()
    administering.require(host(), who, tenant)
    with limits().writing():
        members.remove(host(), who.actor, tenant, member_id)
    return "", 204


@routes.get("/v1/admin/changes")
@operation(query=ListRows, answers={200: answers.AdminChanges})
def list_changes() -> Reply:
    """Return who changed which tenant, key or member, newest first; to an owner those of their tenants."""
    sent = query(ListRows)
    found = admin.changes(host(), administrator(), limit=sent.limit, cursor=sent.cursor)
    return admin_views.page("changes", found, admin_views.change)
