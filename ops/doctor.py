"""`memlane doctor`: says plainly what works, what does not, and which parts run on which model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from memory.errors import MemlaneError
from memory.settings import Settings
from ops.doctor_fleet import examine_fleet
from ops.doctor_reading import examine_reading
from ops.finding import Finding, State
from services import inventory, owed, tenant_settings
from services.clock import system_clock
from store import erasure, integrity, merges, shadows
from store.connection import SQLITE_VERSION, Store, pragmas

# A WAL that has grown past this is not being checkpointed: a reader holds it, or nothing ticks.
WAL_BYTES = 64 * 1024 * 1024
HTTP_SECONDS = 5.0


def examine(settings: Settings, url: str, *, repair: bool = False) -> list[Finding]:
    """Look at everything there is to look at.

    Args:
        settings: the data folder's settings.
        url: where a running service would be.
        repair: build a full-text index that does not match its text anew.

    Returns:
        What was found, in order; nothing else is changed.
    """
    mine = [*_runtime(), *_store(settings, repair), *examine_reading(settings)]
    return [*mine, *examine_fleet(settings), *_service(settings, url)]


def _runtime() -> Iterator[Finding]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    yield Finding(area="python", state="ok", sentence=f"Python {version}, SQLite {SQLITE_VERSION}.")


def _store(settings: Settings, repair: bool) -> Iterator[Finding]:
    folder = Path(settings.data_dir)
    if not (folder / "control.db").exists():
        yield Finding(area="store", state="warning", sentence=f"{folder.absolute()} holds no store yet.")
        return
    try:
        store = Store(folder, clock=system_clock)
        for tenant in store.tenants():
            yield from _tenant(settings, store, tenant, repair)
        store.close()
    except MemlaneError as error:
        yield Finding(area="store", state="problem", sentence=error.message)


def _tenant(settings: Settings, store: Store, tenant: str, repair: bool) -> Iterator[Finding]:
    with store.read(tenant) as db:
        found = integrity.problems(db)
        seen = pragmas(db)
        unfinished = erasure.purging(db)
        wrong = owed.mismatch(db, settings)
        old = shadows.count_outdated(db)
        idle = tenant_settings.without_effect(db, has_llm=_has_llm(settings))
        broken_merges = merges.failed(db)
    with store.write(tenant) as tx:
        broken = integrity.check_full_text(tx)
        if broken and repair:
            integrity.rebuild_full_text(tx)
            broken = []
            yield Finding(area=f"store {tenant}", state="warning", sentence="The full-text index was built anew.")
    for sentence in (*found, *broken):
        yield Finding(area=f"store {tenant}", state="problem", sentence=f"{sentence}.")
    if wrong is not None:
        yield Finding(area=f"store {tenant}", state="problem", sentence=wrong)
    if old:
        sentence = f"{old} rows have the terms of an earlier version; the writer of a running service makes them anew."
        yield Finding(area=f"store {tenant}", state="warning", sentence=sentence)
    for one in unfinished:
        sentence = f"Erasure {one.id} is not finished: {one.waits_for or 'the writer has not got to it.'}"
        yield Finding(area=f"store {tenant}", state="warning", sentence=sentence)
    for sentence in idle:
        yield Finding(area=f"store {tenant}", state="warning", sentence=sentence)
    for merge_id, reason in broken_merges:
        sentence = f"Merge {merge_id} failed: {reason} What it had not moved is in its source; ask for it again."
        yield Finding(area=f"store {tenant}", state="warning", sentence=sentence)
    wal = Path(f"{store.path(tenant)}-wal")
    if wal.exists() and wal.stat().st_size > WAL_BYTES:
        sentence = f"The write-ahead log is {wal.stat().st_size >> 20} MB; a reader may be holding it."
        yield Finding(area=f"store {tenant}", state="warning", sentence=sentence)
    if not found and not broken:
        sentence = f"Whole: rows, vectors, chains, windows, full text ({seen['journal_mode']} journal)."
        yield Finding(area=f"store {tenant}", state="ok", sentence=sentence)


def _has_llm(settings: Settings) -> bool:
    """Tell whether a language model is configured, here or on a node; an unreadable inventory has a line of its own."""
    if settings.llm_url or not settings.nodes:
        return bool(settings.llm_url)
    try:
        return any(node.llm_port is not None for node in inventory.read(settings))
    except MemlaneError:
        return True


def _service(settings: Settings, url: str) -> Iterator[Finding]:
    headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    try:
        health: dict[str, Any] = requests.get(f"{url}/v1/health", headers=headers, timeout=HTTP_SECONDS).json()
    except (requests.RequestException, ValueError) as error:
        yield Finding(area="service", state="warning", sentence=f"Nothing answers at {url} ({type(error).__name__}).")
        return
    state: State = {"ok": "ok", "degraded": "warning"}.get(health["status"], "problem")  # type: ignore[assignment]
    # Without a key a service that asks for one says only the word.
    yield Finding(
        area="service", state=state, sentence=f"{url} is {health['status']}; broker {health.get('broker', 'not told')}."
    )
    for warning in health.get("warnings", ()):
        yield Finding(area="service", state="warning", sentence=warning)
    if "models" not in health:
        sentence = "It tells no more without a key that it takes; set MEMLANE_API_KEY."
        yield Finding(area="service", state="warning", sentence=sentence)
        return
    yield from _models(health["models"] or {}, settings)


def _models(models: dict[str, Any], settings: Settings) -> Iterator[Finding]:
    """Say which part of the work each model does; without an LLM rules do the rest."""
    embedding, llm = models.get("embedding"), models.get("llm")
    yield Finding(area="models", state="ok", sentence=f"Embedding: {embedding}.")
    yield reranking(settings)
    parts = "Extraction, reconciling and kinds are done by"
    sentence = f"{parts} {llm}." if llm else f"{parts} rules and answers are extractive: no LLM is configured."
    yield Finding(area="models", state="ok", sentence=sentence)


def reranking(settings: Settings) -> Finding:
    """Say what reranks.

    Args:
        settings: `nodes` and `rerank_url`.

    Returns:
        A finding; a warning where nothing can, because every search that wants it says `degraded` then.
    """
    if not settings.nodes:
        by = f"the server at {settings.rerank_url}" if settings.rerank_url else ""
        sentence = f"Reranking: {by or 'late interaction over the tokens of the embedding model'}."
        return Finding(area="models", state="ok", sentence=sentence)
    try:
        nodes = inventory.read(settings)
    except MemlaneError as error:
        return Finding(area="models", state="warning", sentence=f"Reranking: not known ({error.message.rstrip('.')}).")
    having = sum(node.rerank_port is not None for node in nodes)
    what = "the rerank servers of the nodes" if having else "nothing, and searches say so"
    sentence = f"Reranking: {what}; {having} of {len(nodes)} nodes have one."
    return Finding(area="models", state="ok" if having else "warning", sentence=sentence)
