"""Erasing for good: the routes, and waiting for an end that may need the broker or a reader to come back."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat

POLL_SECONDS = 1.0


class Erasures(Connected):
    """The part of the client that erases."""

    def erase(
        self,
        kind: str,
        target: str | None = None,
        *,
        space: str | None = None,
        verify: bool = False,
        confirm: str | None = None,
        dry_run: bool = False,
        wait: bool = True,
    ) -> Json:
        """Erase for good, or count what that would reach.

        Args:
            kind: subject, document, memory, space or tenant.
            target: a user id, a document's id or customId, a memory's id, or a space's name; of a tenant nothing.
            space: where the document or memory is.
            verify: compare the server's files with the erased texts afterwards.
            confirm: of a tenant: its name.
            dry_run: True counts and changes nothing.
            wait: True waits up to 30 s for the end.

        Returns:
            The receipt `{"id", "state", "counts", "verification", "waits_for", ...}`; of a dry run `{"counts", ...}`.
        """
        sent = body(kind=kind, id=target, container_tag=space, verify=verify or None, confirm=confirm,
                    dry_run=dry_run or None, wait=(wait and not dry_run) or None)  # fmt: skip
        return self._post("/v1/erasures", sent, repeat=Repeat.ALWAYS if dry_run else Repeat.UNSENT)

    def erasure(self, erasure_id: str) -> Json:
        """Return one receipt."""
        return self._get(f"/v1/erasures/{quote(erasure_id, safe='')}")

    def erasures(self, *, limit: int = 50) -> Json:
        """Return the newest receipts: `{"erasures": [...]}`."""
        return self._get("/v1/erasures", limit=limit)

    def set_retention(self, space: str, days: int | None) -> Json:
        """Set how many days a space keeps its memories; None: until they are forgotten. Returns the space."""
        path = f"/v1/spaces/{quote(space, safe='')}"
        answer: Json = self._transport.call("PATCH", path, body={"retention_days": days}, repeat=Repeat.UNSENT)
        return answer


def ended(client: Erasures, receipt: Json, *, tell: Callable[[str], None], pause: Callable[[float], None]) -> Json:
    """Return the receipt of an erasure once it has ended.

    Args:
        client: asks for it.
        receipt: as it was last seen.
        tell: is told what it waits for, once for each reason.
        pause: waits for so many seconds.
    """
    told = None
    while receipt["state"] not in ("finished", "failed"):
        if receipt.get("waits_for") not in (None, told):
            told = receipt["waits_for"]
            tell(f"Not finished yet: {told}")
        pause(POLL_SECONDS)
        receipt = client.erasure(receipt["id"])
    return receipt
