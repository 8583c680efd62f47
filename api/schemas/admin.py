"""The control plane: tenants, keys, members."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.fields import Fields
from api.schemas.paging import DEFAULT_LIMIT, MOST_ROWS
from api.schemas.values import Label, Line, Moment, Tag
from services.key_changes import LONGEST_OVERLAP_SECONDS

# A key for more spaces than this is a key for all of them.
MOST_SPACES = 100
# Far beyond any key that is still known to somebody: a hundred years.
MOST_SECONDS = 36_500 * 24 * 3600


class ListRows(Fields):
    """A listing of the control plane, page by page."""

    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MOST_ROWS)
    cursor: Line | None = Field(default=None, description="`next_cursor` of the page before.")


class Nothing(Fields):
    """A request without parameters."""


class CreateTenant(Fields):
    """`POST /v1/admin/tenants`."""

    id: Label = Field(description="1 to 63 of a-z, 0-9, `-` and `_`; also the name of its file. It never changes.")
    name: Label | None = Field(default=None, description="What a person calls it; otherwise its id.")


class EditTenant(Fields):
    """`PATCH /v1/admin/tenants/{tenant}`."""

    name: Label | None = Field(default=None, description="What a person calls it.")
    disabled: bool | None = Field(
        default=None, description="True: keys and people of the tenant are refused as unknown ones. Nothing is lost."
    )


class CreateKey(Fields):
    """`POST /v1/admin/tenants/{tenant}/keys`."""

    label: Label = Field(description="What the key is for.")
    actor: Literal["person", "agent", "service"] = Field(
        default="agent", description="Who acts with it; only a person approves, resolves and erases."
    )
    spaces: list[Tag] | None = Field(
        default=None, min_length=1, max_length=MOST_SPACES, description="Spaces it is limited to; otherwise all."
    )
    read_only: bool = Field(default=False, description="Whether it may read only.")
    user: Label | None = Field(default=None, description="The user it is bound to.")
    agent: Label | None = Field(default=None, description="The agent it is bound to.")
    expires_at: Moment | None = Field(default=None, description="When it ends; never when left out.")

    def limits(self) -> dict[str, Any]:
        """Return what the key may do, as the service takes it."""
        return {
            "label": self.label, "actor_kind": self.actor, "spaces": self.spaces, "read_only": self.read_only,
            "user": self.user, "agent": self.agent,
            "expires_at": self.expires_at[0] if self.expires_at is not None else None,
        }  # fmt: skip


class EditKey(Fields):
    """`PATCH /v1/admin/tenants/{tenant}/keys/{key_id}`: what it may do stays; a key that may do more is another key."""

    label: Label | None = Field(default=None, description="What the key is for.")
    expires_at: Moment | None = Field(default=None, description="When it ends.")
    expires_in_seconds: int | None = Field(
        default=None, ge=1, le=MOST_SECONDS, description="When it ends, counted from now; instead of `expires_at`."
    )

    @model_validator(mode="after")
    def _one_end(self) -> EditKey:
        if self.expires_at is not None and self.expires_in_seconds is not None:
            raise PydanticCustomError("doubled", "and `expires_at` exclude each other", {"field": "expires_in_seconds"})
        return self

    def changes(self, now: int) -> dict[str, Any]:
        """Return the changes, as the service takes them."""
        if self.expires_in_seconds is not None:
            return {"label": self.label, "expires_at": now + self.expires_in_seconds * 1_000_000}
        end = {"expires_at": self.expires_at[0]} if self.expires_at is not None else {}
        return {"label": self.label, **end}


class RotateKey(Fields):
    """`POST /v1/admin/tenants/{tenant}/keys/{key_id}/rotate`."""

    overlap_seconds: int | None = Field(
        default=None, ge=1, le=LONGEST_OVERLAP_SECONDS,
        description="How long the old key goes on opening what it opens; when left out it ends now.",
    )  # fmt: skip


class AddMember(Fields):
    """`POST /v1/admin/tenants/{tenant}/members`."""

    role: Literal["owner", "editor", "reader"] = Field(
        description="A reader reads, an editor also writes, an owner also erases and administers keys and members."
    )
    subject: Label | None = Field(default=None, description="The issuer's name of the person: `sub` of the token.")
    email: Label | None = Field(
        default=None, description="Or an address that the issuer has verified; the first to sign in with it is meant."
    )


class EditMember(Fields):
    """`PATCH /v1/admin/tenants/{tenant}/members/{member_id}`."""

    role: Literal["owner", "editor", "reader"] = Field(description="What they may do from now on.")
