"""The control plane: tenants, keys, members, changes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, Timestamp
from api.answers.records import Who


class Tenant(Answer):
    """An owner of data."""

    id: str
    name: str
    disabled: bool = Field(description="Whether its keys and people are refused at present.")
    created_at: Timestamp
    disabled_at: Timestamp | None


class Rows(Answer):
    """One page of a listing of the control plane."""

    total: int
    limit: int
    next_cursor: str | None


class Tenants(Rows):
    """A page of tenants, oldest first."""

    tenants: list[Tenant]


class Key(Answer):
    """An API key, without its secret."""

    id: str
    tenant: str
    label: str
    state: Literal["valid", "expired", "revoked"]
    actor: Literal["person", "agent", "service"] = Field(description="Who acts with it.")
    spaces: list[str] | None = Field(description="What it is limited to; null: every space of the tenant.")
    user: str | None = Field(description="The user it is bound to.")
    agent: str | None = Field(description="The agent it is bound to.")
    read_only: bool
    created_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    last_used_at: Timestamp | None = Field(description="Within a minute or so.")
    replaces: str | None = Field(description="The key that was rotated into this one.")


class NewKey(Key):
    """A key with its secret, which is never answered again."""

    secret: str | None = Field(description="Null in the answer to a repeated request.")
    warning: str | None = None


class Keys(Rows):
    """A page of keys, oldest first."""

    keys: list[Key]


class Member(Answer):
    """A person of a tenant."""

    id: str
    tenant: str
    issuer: str = Field(description="Who signs the person in.")
    subject: str | None = Field(description="The issuer's name of the person; null until the first sign-in.")
    email: str | None
    role: Literal["owner", "editor", "reader"]
    created_at: Timestamp
    last_used_at: Timestamp | None = Field(description="Within a minute or so.")


class Members(Rows):
    """A page of members, oldest first."""

    members: list[Member]


class AdminChange(Answer):
    """One change of tenants, keys or members."""

    at: Timestamp
    actor: Who
    action: str = Field(description="What was changed and how, such as `key.rotated`.")
    tenant: str | None
    target: str = Field(description="The id of what was changed.")


class AdminChanges(Rows):
    """A page of changes, newest first."""

    changes: list[AdminChange]
