"""Import: an export becomes rows again, with the ids they had, in spaces that are empty.

What is sent is received, checked whole, and kept before it is accepted; `services.import_steps` makes rows of it.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memory.errors import Busy, Forbidden, InvalidInput, NotFound, StateConflict
from memory.records import Actor, Idempotency, Scope
from services import import_checks, import_steps, ledger, staged_imports
from services.host import Host
from services.import_checks import Manifest
from services.persons import require_person
from store import erasure, importing, imports
from store import idempotency as kept
from store.connection import Reader, Writer
from store.imports import Import as Import
from store.spaces import PUT_AWAY

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1
_ERASED_MEANWHILE = "An erasure went on meanwhile; nothing was kept, send it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """An import, and how much of it can be found."""

    of: Import
    owed: int  # rows that have no vector yet and are found by their words alone


def accept(
    scope: Scope,
    host: Host,
    actor: Actor,
    stream: IO[bytes],
    *,
    rename: str | None = None,
    within: Collection[str] | None = None,
    repeated: Callable[[str], Idempotency | None] = lambda digest: None,
) -> Import:
    """Receive an export and ask the writer to make rows of it.

    Args:
        scope: whose.
        host: the adapters.
        actor: who asks; a person.
        stream: the export.
        rename: what its only space is to be called; None: as in the export.
        within: the only spaces that may be written to; None: any, and what belongs to the tenant itself.
        repeated: is handed the hex sha256 of what was sent; makes an equal request return the same import.

    Returns:
        The import, accepted and durable.

    Raises:
        PersonOnly: it is not a person who asks.
        Forbidden: it goes into a space that may not be written to.
        InvalidInput: it is no export, was cut off or changed, names what it does not tell of, or is of a newer version.
        TooLarge: it is larger than the setting `max_import_bytes`.
        StateConflict: a space is not empty, or something of it is here already.
        Erased: something of it was erased here.
        Busy: the store could not be written in time; nothing was kept.
    """
    require_person(actor)
    tidy(host, scope.tenant)
    import_id = host.new_id("imp")
    path = staged_imports.path_of(host, scope.tenant, import_id)
    try:
        key = repeated(staged_imports.receive(path, stream, most=host.settings.max_import_bytes))
        with host.store.read(scope.tenant) as db:
            known = _as_before(scope, db, key)
        if known is not None:
            path.unlink()
            return known
        with host.store.read(scope.tenant) as db:
            erased = erasure.done(db)

            def admit(names: Sequence[str], whole: bool) -> None:
                targets = list(_targets(names, rename).values())
                _require_within(targets, whole, within)
                _require_empty(db, targets)

            manifest = import_checks.check(host, db, scope.tenant, path, admit, tell=within is None)
        targets = _targets(manifest.spaces, rename)
        with host.store.write(scope.tenant) as tx:
            _require_nothing_erased(tx, path, erased)
            _keep(host, tx, actor, import_id, manifest, targets)
            if key is not None:
                kept.remember(_tenant(scope), tx, key, status=202, response={"id": import_id}, at=host.clock())
    except FileNotFoundError as error:
        raise Busy(_ERASED_MEANWHILE) from error
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    ledger.wake_writer(host, scope.tenant)
    log.info("tenant=%s import=%s accepted lines=%d", scope.tenant, import_id, manifest.lines)
    return get(scope, host, import_id).of


def _tenant(scope: Scope) -> Scope:
    """Return the scope by which a repeat is known: the spaces of a tenant change with the import itself."""
    return Scope(tenant=scope.tenant, spaces=())


def _as_before(scope: Scope, db: Reader, key: Idempotency | None) -> Import | None:
    known = kept.lookup(_tenant(scope), db, key) if key is not None else None
    return None if known is None else imports.get(db, str(known[1]["id"]))


def _targets(names: Sequence[str], rename: str | None) -> dict[str, str]:
    """Return what the spaces will be called, by what the file calls them."""
    if rename is None:
        return {name: name for name in names}
    if len(names) != 1:
        message = f"This export has {len(names)} spaces; only that of one space can be given another name."
        raise InvalidInput(message, field="container_tag")
    return {names[0]: rename}


def _require_within(targets: Sequence[str], whole: bool, within: Collection[str] | None) -> None:
    if within is None:
        return
    outside = [name for name in targets if name not in within]
    if outside or whole:
        what = f"write to the space {outside[0]!r}" if outside else "restore what belongs to a whole tenant"
        raise Forbidden(f"This key may not {what}.", field="container_tag")


def _require_empty(db: Reader, names: Sequence[str]) -> None:
    filled = importing.occupied(db, names)
    if filled:
        message = f"The space {filled[0]!r} is not empty; an import goes into an empty one."
        raise StateConflict(message, container_tag=filled[0])
    busy = imports.promised(db, names)
    if busy is not None:
        raise StateConflict("Another import into one of these spaces goes on, or is being taken back.", id=busy)


def _require_nothing_erased(tx: Writer, path: Path, erased: int) -> None:
    """Refuse a file that an erasure has removed, or that was compared with the store before one.

    Args:
        tx: the transaction that accepts it; no erasure goes on beside it.
        path: of the file.
        erased: how many erasures had removed their rows when the file was checked.

    Raises:
        Busy: it was compared with what is gone now.
        FileNotFoundError: it is gone itself.
    """
    os.utime(path)  # a check may outlast what `tidy` leaves alone
    if erasure.done(tx) != erased:
        raise Busy(_ERASED_MEANWHILE)


def _keep(host: Host, tx: Writer, actor: Actor, import_id: str, manifest: Manifest, spaces: Mapping[str, str]) -> None:
    _require_empty(tx, list(spaces.values()))
    imports.add(
        tx, import_id=import_id, spaces=spaces, model=manifest.model, lines=manifest.lines, place=manifest.place,
        hidden=f"{PUT_AWAY}{import_id}", actor=actor, at=host.clock(),
    )  # fmt: skip
    import_steps.ask(host, tx, "import.step", import_id)


def get(scope: Scope, host: Host, import_id: str, *, within: Collection[str] | None = None) -> Progress:
    """Return an import and how far it is.

    Args:
        scope: whose.
        host: the adapters.
        import_id: which.
        within: only if it goes into these spaces; None: into any.

    Raises:
        NotFound: there is none of that id, or it goes elsewhere.
    """
    with host.store.read(scope.tenant) as db:
        one = imports.get(db, import_id)
        if within is not None and not set(one.spaces) <= set(within):
            raise NotFound(f"No import {import_id!r}.", field="id")
        return Progress(of=one, owed=importing.without_vector(db, one.spaces) if one.state == "finished" else 0)


def wait(scope: Scope, host: Host, import_id: str, *, seconds: float) -> Progress:
    """Wait until an import has ended, `seconds` at most; returns it as it is then."""
    until = time.monotonic() + seconds
    while (progress := get(scope, host, import_id)).of.is_open and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    return progress


def tidy(host: Host, tenant: str, *, received: bool = False) -> None:
    """Remove the files of imports that have ended, such as those that an erasure has ended.

    Args:
        host: the adapters.
        tenant: whose.
        received: also those that are just being received, which is to be told to their senders.
    """
    folder = staged_imports.path_of(host, tenant, "").parent
    with host.store.read(tenant) as db:
        kept = {staged_imports.path_of(host, tenant, one) for one in imports.open_ids(db)}
    for path in folder.glob(f"{tenant}.*"):
        # One that is being received is younger than this.
        old = time.time() - path.stat().st_mtime > host.settings.receive_seconds
        if path not in kept and (received or old):
            path.unlink(missing_ok=True)
