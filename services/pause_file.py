"""The pause file on the host: where it is, and how it is read and replaced.

A stack of one machine has its own, `run/paused.json` in its data folder, because several may run side by side. The
host of a fleet has the one of its machine, which other programs know. Where the setting `pause_file` names one, or the
machine's is meant, it is written when it can be, its folder made if need be; otherwise the data folder's is written and
both are read: what an administrator put into the first counts too.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from memory import pausing
from memory.errors import StoreError
from memory.fleet import FleetNode, Pause
from memory.records import Micros
from memory.settings import Settings

# Source: design section 4.
FLEET_FILE = "/run/memlane/paused.json"
# Thousands of nodes fit; more is not a pause file.
LARGEST_BYTES = 64 * 1024
# Two requests of one process must not lose each other's change; between processes the later one counts.
_changing = threading.Lock()


def places(settings: Settings) -> tuple[Path, ...]:
    """Return the files to read; the last one is written.

    Args:
        settings: `pause_file`, `nodes` and `data_dir`.

    Returns:
        One path, or two when the first is not ours to write.
    """
    own = Path(settings.data_dir) / "run" / "paused.json"
    given = settings.pause_file or (FLEET_FILE if settings.nodes else "")
    if not given:
        return (own,)
    named = Path(given)
    return (named,) if _can_write(named.absolute()) else (named, own)


def read(settings: Settings, *, now: Micros, nodes: Sequence[FleetNode]) -> Pause:
    """Return who is paused now.

    Args:
        settings: say where the files are.
        now: the host's time.
        nodes: the inventory.

    Returns:
        All files together; of a node named in two the later end counts. A file that is not there pauses nobody.
    """
    until: dict[str, Micros] = {}
    expired: dict[str, Micros] = {}
    problems: list[str] = []
    remarks: list[str] = []
    for place in places(settings):
        one = _read(place, now, nodes)
        for name, end in one.until.items():
            until[name] = max(end, until.get(name, end))
        expired.update(one.expired)
        problems += one.problems
        remarks += one.remarks
    return Pause(until=until, problems=tuple(problems), expired=expired, remarks=tuple(remarks))


def change(
    settings: Settings,
    edit: Callable[[dict[str, Micros]], None],
    *,
    now: Micros,
    nodes: Sequence[FleetNode],
) -> None:
    """Replace the file, whole or not at all; one that pauses nobody any more is removed.

    Args:
        settings: say where the file is.
        edit: is given the ends by node and changes them; what was not understood or is over is gone by then.
        now: the host's time.
        nodes: the inventory.

    Raises:
        StoreError: the file cannot be written; nothing was changed.
    """
    place = places(settings)[-1]
    with _changing:
        pause = _read(place, now, nodes)
        until = dict(pause.until)
        edit(until)
        try:
            _replace(place, replace(pause, until=until))
        except OSError as error:
            raise StoreError(f"The pause file {place} cannot be written: {error.strerror}.") from error


def _read(place: Path, now: Micros, nodes: Sequence[FleetNode]) -> Pause:
    try:
        with place.open("rb") as file:
            raw = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        return Pause()
    except OSError as error:
        return Pause(problems=(f"The pause file {place} cannot be read: {error.strerror}.",))
    if len(raw) > LARGEST_BYTES:
        return Pause(problems=(f"The pause file {place} is over {LARGEST_BYTES:,} bytes and was ignored.",))
    # What is not UTF-8 becomes a name that nobody has, or no JSON: reported either way.
    return pausing.read(raw.decode("utf-8", errors="replace"), now=now, nodes=nodes)


def _replace(place: Path, pause: Pause) -> None:
    if not pause.until:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(prefix=".paused-", dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(pausing.write(pause))
            file.flush()
            os.fsync(file.fileno())
        # Whoever reads loans on this machine may read this one.
        os.chmod(name, 0o644)
        os.replace(name, place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _can_write(place: Path) -> bool:
    folder = place.parent
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
