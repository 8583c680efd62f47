"""Pages: a document that was sent as a URL is fetched first; then it is read like a file that was sent."""

from __future__ import annotations

from functools import partial

from memory.records import NewSource, WorkItem
from memory.settings import Settings
from services import ledger
from services.attempts import under_lease
from services.fetching import targets
from services.fetching.fetch import fetch
from services.fetching.reach import allowed, reach
from services.fetching.records import Fetched, Limits
from services.fetching.resolving import Resolve, check_unresolved, system_resolve
from services.host import Host
from services.source_slots import SourceSlots
from store import documents, sources
from store import ledger as ledger_rows


def page(url: str, settings: Settings) -> NewSource:
    """Return the source that a URL names.

    Args:
        url: as it was sent.
        settings: they say which private networks may be reached.

    Raises:
        UrlRefused: it can be told without asking anybody that it would not be fetched.
    """
    target = targets.read(url)
    check_unresolved(target, allowed(settings))
    return NewSource(kind="url", url=target.url)


def fetch_document(
    host: Host, tenant: str, item_id: int, attempt: int, *, slots: SourceSlots, resolve: Resolve = system_resolve
) -> None:
    """Fetch the page of a pending revision and queue its reading; with no slot free the item waits for another time.

    Args:
        host: the truth plane's adapters.
        tenant: of the item.
        item_id: which.
        attempt: of this sending.
        slots: of this process.
        resolve: asks for the addresses of a name.
    """
    under_lease(host, tenant, item_id, attempt, slots.bound(partial(_fetch, resolve=resolve)))


def _fetch(host: Host, item: WorkItem, *, resolve: Resolve) -> None:
    document_id, number = str(item.payload["document"]), int(item.payload["revision"])
    with host.store.read(item.tenant) as db:
        source = sources.find(db, document_id, number)
    url = (source and source.url) or ""
    settings = host.settings
    limits = Limits(body_bytes=settings.fetch_bytes, seconds=settings.fetch_seconds / settings.time_factor)
    fetched = fetch(url, limits=limits, reach=reach(settings, host.nodes, resolve=resolve), resolve=resolve)
    at = host.clock()
    with ledger.host_commit(host, item) as tx:
        if tx is None:
            return
        sources.set_fetched(
            tx, document_id, number, body=fetched.body, media_type=_declared(fetched), final_url=fetched.final_url
        )
        documents.set_status(tx, document_id, "extracting", at=at)
        ledger_rows.add_items(
            tx, job_id=item.job_id, task="document.prepare", queue="sources",
            payloads=[{"document": document_id, "revision": number}], continuation=None, at=at,
        )  # fmt: skip


def _declared(fetched: Fetched) -> str | None:
    charset = f"; charset={fetched.charset}" if fetched.charset else ""
    return f"{fetched.media_type}{charset}" if fetched.media_type else None
