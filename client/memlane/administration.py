"""The control plane: tenants, their keys and their people. It has a key of its own, which opens no tenant's data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat

# The word for no key: the key of a tenant must not be sent in place of an admin key that is not there.
NO_KEY = "local"
PAGE_ROWS = 200


class Administration(Connected):
    """Administers one Memlane server; a context manager that closes its connections."""

    def __init__(self, url: str | None = None, key: str | None = None) -> None:
        """Prepare a client; nothing is sent yet.

        Args:
            url: base URL; otherwise MEMLANE_URL, otherwise this machine's port 8900.
            key: admin key; otherwise MEMLANE_ADMIN_KEY, otherwise none, which will do on the server's own machine.

        Raises:
            Misconfigured: the URL or the key cannot be used.
        """
        super().__init__(url, key or os.environ.get("MEMLANE_ADMIN_KEY") or NO_KEY)

    def tenants(self) -> list[Json]:
        """Return every tenant, oldest first."""
        return list(self._rows("/v1/admin/tenants", "tenants"))

    def create_tenant(self, tenant: str, *, name: str | None = None) -> Json:
        """Make a tenant."""
        return self._post("/v1/admin/tenants", body(id=tenant, name=name), create=True)

    def edit_tenant(self, tenant: str, *, name: str | None = None, disabled: bool | None = None) -> Json:
        """Rename a tenant, take it out of use, or put it back."""
        return self._patch(_path(tenant), body(name=name, disabled=disabled))

    def keys(self, tenant: str) -> list[Json]:
        """Return every key of a tenant, oldest first, those that have ended too."""
        return list(self._rows(_path(tenant, "keys"), "keys"))

    def create_key(self, tenant: str, label: str, **limits: Any) -> Json:
        """Make a key of a tenant.

        Args:
            tenant: whose data it opens.
            label: what it is for.
            **limits: `actor`, `spaces`, `read_only`, `user`, `agent`, `expires_at`; those that are None are left out.

        Returns:
            The key with its `secret`, which is not answered again.
        """
        return self._post(_path(tenant, "keys"), body(label=label, **limits), create=True)

    def rotate_key(self, tenant: str, key_id: str, *, overlap_seconds: int = 0) -> Json:
        """Make a key in the place of another; returns it with its `secret`, which is not answered again."""
        path = f"{_path(tenant, 'keys', key_id)}/rotate"
        return self._post(path, body(overlap_seconds=overlap_seconds or None), create=True)

    def expire_key(self, tenant: str, key_id: str, *, seconds: int) -> Json:
        """Let a key end after so many seconds."""
        return self._patch(_path(tenant, "keys", key_id), body(expires_in_seconds=seconds))

    def revoke_key(self, tenant: str, key_id: str) -> Json:
        """End a key now."""
        answer: Json = self._transport.call("DELETE", _path(tenant, "keys", key_id), repeat=Repeat.ALWAYS)
        return answer

    def members(self, tenant: str) -> list[Json]:
        """Return every member of a tenant, oldest first."""
        return list(self._rows(_path(tenant, "members"), "members"))

    def add_member(self, tenant: str, role: str, *, subject: str | None = None, email: str | None = None) -> Json:
        """Make a person a member of a tenant, named by the issuer's subject or by a verified address."""
        return self._post(_path(tenant, "members"), body(role=role, subject=subject, email=email), create=True)

    def edit_member(self, tenant: str, member_id: str, role: str) -> Json:
        """Give a member another role."""
        return self._patch(_path(tenant, "members", member_id), body(role=role))

    def remove_member(self, tenant: str, member_id: str) -> None:
        """Let a person be no member any more."""
        self._transport.call("DELETE", _path(tenant, "members", member_id), repeat=Repeat.UNSENT)

    def admin_changes(self, *, limit: int = 50) -> list[Json]:
        """Return the newest changes of tenants, keys and members."""
        changes: list[Json] = self._get("/v1/admin/changes", limit=limit)["changes"]
        return changes

    def _patch(self, path: str, sent: Json) -> Json:
        answer: Json = self._transport.call("PATCH", path, body=sent, repeat=Repeat.ALWAYS)
        return answer

    def _rows(self, path: str, name: str) -> Iterator[Json]:
        cursor: str | None = None
        while True:
            page = self._get(path, limit=PAGE_ROWS, cursor=cursor)
            yield from page[name]
            cursor = page["next_cursor"]
            if cursor is None:
                return


def _path(tenant: str, *parts: str) -> str:
    return "/".join(["/v1/admin/tenants", *(quote(part, safe="") for part in (tenant, *parts))])
