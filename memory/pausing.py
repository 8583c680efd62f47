"""The pause file: which nodes are lent out or under maintenance, and until when.

Its rules keep a slip from taking a node away for ever: an end is needed and at most a day ahead, what is past is over,
and what cannot be understood pauses nothing and is reported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory.errors import InvalidInput
from memory.fleet import FleetNode, Pause
from memory.records import Micros
from memory.temporal import parse_instant, to_iso

# Broker key that the host publishes the pause under.
PAUSED_KEY = "paused"
# Source: design section 4. A loan that lasts longer is to be renewed by whoever still needs it.
LONGEST_SECONDS = 24 * 3600
LONGEST: Micros = LONGEST_SECONDS * 1_000_000
_SHOWN_CHARACTERS = 60


def read(text: str, *, now: Micros, nodes: Sequence[FleetNode]) -> Pause:
    """Read a pause file.

    Args:
        text: JSON, `{"nodes": ["a1", ...], "until": <ISO 8601 or epoch seconds>}`, or a list of such objects for nodes
            with different ends.
        now: the host's time.
        nodes: the inventory.

    Returns:
        The nodes that are paused now, with what was ignored and why. Of a node named twice the later end counts.
    """
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Pause(problems=(f"The pause file is not valid JSON and was ignored: {str(error)[:200]}.",))
    known = {node.name: node for node in nodes}
    until: dict[str, Micros] = {}
    expired: dict[str, Micros] = {}
    problems: list[str] = []
    remarks: list[str] = []
    for entry in read if isinstance(read, list) else [read]:
        try:
            names, end = _entry(entry, now)
        except InvalidInput as error:
            problems.append(f"The pause file was ignored: {error.message}")
            continue
        ends = until if end > now else expired
        for name in names:
            if name in known and known[name].lendable:
                ends[name] = max(end, ends.get(name, end))
            elif end > now:
                # What is over is nobody's concern any more, whomever it names.
                (problems if name in known else remarks).append(_refusal(name, known))
    return Pause(
        until=until,
        problems=tuple(dict.fromkeys(problems)),
        expired=expired,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def write(pause: Pause) -> str:
    """Write a pause file.

    Args:
        pause: nodes with their ends.

    Returns:
        JSON that `read` understands: one object when all nodes have one end, else a list of them.
    """
    by_end: dict[Micros, list[str]] = {}
    for name, end in sorted(pause.until.items()):
        by_end.setdefault(end, []).append(name)
    entries = [{"nodes": names, "until": to_iso(end)} for end, names in sorted(by_end.items())]
    return json.dumps(entries[0] if len(entries) == 1 else entries, indent=2) + "\n"


def encode(pause: Pause) -> str:
    """Write a pause as JSON, as the host publishes it.

    Args:
        pause: what the file says.

    Returns:
        `{"until": {node: microseconds}, "problems": [...], "expired": {...}, "remarks": [...]}`.
    """
    said = {"until": pause.until, "problems": pause.problems, "expired": pause.expired, "remarks": pause.remarks}
    return json.dumps(said)


def decode(text: str | bytes) -> Pause:
    """Read a pause as the host published it.

    Args:
        text: of `encode`.

    Returns:
        The pause.

    Raises:
        InvalidInput: it is none.
    """
    try:
        said = json.loads(text)
        return Pause(
            until=_ends(said["until"]),
            problems=tuple(map(str, said.get("problems", ()))),
            expired=_ends(said.get("expired", {})),
            remarks=tuple(map(str, said.get("remarks", ()))),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(f"The published pause cannot be read: {error!r}", field=PAUSED_KEY) from error


def latest(known: Pause, published: Pause | None, *, now: Micros) -> Pause:
    """Return the pause that a worker goes by.

    Args:
        known: what it went by so far.
        published: what the broker has now; None when it has nothing or cannot be reached.
        now: the broker's time, or the last one known.

    Returns:
        What is published; without it what is known and not yet over.
    """
    if published is not None:
        return published
    return Pause(until={name: end for name, end in known.until.items() if end > now}, problems=known.problems)


def _entry(entry: Any, now: Micros) -> tuple[list[str], Micros]:
    if not isinstance(entry, Mapping):
        raise InvalidInput('it must be {"nodes": [...], "until": <time>}.')
    names = entry.get("nodes")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInput("`nodes` must be a list of names.")
    if entry.get("until") is None:
        raise InvalidInput("`until` is missing; a pause without an end is not accepted.")
    # The inner error says what is wrong with the value.
    end, _ = parse_instant(entry["until"], field="until")
    if end > now + LONGEST:
        raise InvalidInput(f"`until` is {to_iso(end)}, more than 24 hours ahead.")
    return names, end


def _refusal(name: str, known: Mapping[str, FleetNode]) -> str:
    if name not in known:
        return f"The pause file names {name[:_SHOWN_CHARACTERS]!r}, which is no node of the inventory; it was ignored."
    return f"The pause file names {name}, which is not lendable; it was ignored."


def _ends(said: Any) -> dict[str, Micros]:
    return {str(name): int(end) for name, end in said.items()}
