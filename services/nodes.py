"""Nodes on the host: who is paused is read, changed and told to the fleet here."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from memory import inventory, pausing
from memory.errors import BrokerDown, InvalidInput, NotFound, StateConflict
from memory.fleet import FleetNode, Pause
from memory.records import Actor, Micros
from memory.temporal import to_iso
from services import fleet_view, host_seat, lanes, pause_file
from services.host import Host

log = logging.getLogger(__name__)

UNTOLD = "The queue cannot be reached; this is kept, and the nodes are told when it is back."


def fleet(host: Host) -> tuple[FleetNode, ...]:
    """Return the inventory.

    Args:
        host: the truth plane's adapters.

    Returns:
        Every node, as the file had it when this process started.
    """
    return host.nodes


def watch(host: Host, *, logged: Sequence[str] = ()) -> Pause:
    """Read the pause file and tell the fleet who is paused and who belongs to it, unless it is another host's.

    What is wrong with the file, and a pause that has begun or ended, is logged once and not at every look.

    Args:
        host: the truth plane's adapters.
        logged: nodes whose pause is in the log already.

    Returns:
        Who is paused.

    Raises:
        BrokerDown: the fleet could not be told.
    """
    pause = pause_file.read(host.settings, now=host.clock(), nodes=host.nodes)
    before = _told_before(host)
    for problem in {*pause.problems, *pause.remarks} - {*before.problems, *before.remarks}:
        log.warning("%s", problem)
    for name, end in sorted(pause.until.items()):
        if before.until.get(name) != end and name not in logged:
            log.info("node %s is paused until %s by the pause file", name, to_iso(end))
    for name in sorted(set(pause.expired) - set(before.expired)):
        log.info("the pause of node %s ended at %s", name, to_iso(pause.expired[name]))
    if host_seat.keep(host.settings, host.fleet):
        host.fleet.publish(pausing.PAUSED_KEY, pausing.encode(pause))
        host.fleet.publish(inventory.INVENTORY_KEY, inventory.encode(host.nodes))
    return pause


def view(host: Host) -> dict[str, Any]:
    """Return every node with its lanes, its state and what it holds.

    Args:
        host: the truth plane's adapters.

    Returns:
        `nodes` and `warnings`.
    """
    seen = fleet_view.look(host, lanes.read_facts(host))
    warnings = [*fleet_view.warnings(host, seen), *fleet_view.remarks(host, seen)]
    return {"nodes": fleet_view.rows(host, seen), "warnings": warnings}


def pause(
    host: Host, actor: Actor, names: Sequence[str], *, until: Micros | None = None, seconds: int | None = None
) -> dict[str, Any]:
    """Take nodes out of both lanes until a time; what they hold they finish.

    Args:
        host: the truth plane's adapters.
        actor: who wants it.
        names: of nodes.
        until: the end, at most 24 hours ahead.
        seconds: the end counted from now; one of the two must be given.

    Returns:
        `nodes`, those named, and a `warning` when the fleet could not be told.

    Raises:
        InvalidInput: no name, or an end that is missing, past or too far ahead.
        NotFound: no node has that name.
        StateConflict: a node is not lendable.
        StoreError: the pause file cannot be written.
    """
    end = _end(host, until, seconds)
    wanted = _lendable(host, names)
    pause_file.change(
        host.settings, lambda ends: ends.update(dict.fromkeys(wanted, end)), now=host.clock(), nodes=host.nodes
    )
    log.info("nodes %s paused until %s by %s %s", ", ".join(wanted), to_iso(end), actor.kind, actor.id)
    return _answer(host, wanted)


def resume(host: Host, actor: Actor, names: Sequence[str]) -> dict[str, Any]:
    """End the pause of nodes now; one that is not paused stays as it is.

    Args:
        host: the truth plane's adapters.
        actor: who wants it.
        names: of nodes.

    Returns:
        `nodes`, those named, and a `warning` when the fleet could not be told.

    Raises:
        InvalidInput: no name.
        NotFound: no node has that name.
        StateConflict: the pause stands in a file that is not ours to write.
        StoreError: the pause file cannot be written.
    """
    wanted = _known(host, names)

    def lift(ends: dict[str, Micros]) -> None:
        for name in wanted:
            ends.pop(name, None)

    pause_file.change(host.settings, lift, now=host.clock(), nodes=host.nodes)
    left = pause_file.read(host.settings, now=host.clock(), nodes=host.nodes).until
    if held := [name for name in wanted if name in left]:
        place = pause_file.places(host.settings)[0]
        raise StateConflict(f"{held[0]} is paused by {place}, which this server may not write; change it there.")
    log.info("nodes %s resumed by %s %s", ", ".join(wanted), actor.kind, actor.id)
    return _answer(host, wanted)


def drain(
    host: Host, actor: Actor, names: Sequence[str], *, until: Micros | None = None, seconds: int | None = None
) -> dict[str, Any]:
    """Pause nodes and say whether they have finished what they held; to be asked again until they have.

    Args:
        host: the truth plane's adapters.
        actor: who wants it.
        names: of nodes.
        until: the end, as for `pause`; not needed for nodes that are paused already.
        seconds: the end counted from now.

    Returns:
        `drained`, `nodes`, those named, and a `warning` when the fleet could not be told.

    Raises:
        InvalidInput: as for `pause`.
        NotFound: no node has that name.
        StateConflict: a node is not lendable.
        StoreError: the pause file cannot be written.
    """
    paused = pause_file.read(host.settings, now=host.clock(), nodes=host.nodes).until
    if until is None and seconds is None and set(_known(host, names)) <= set(paused):
        answer = _answer(host, _known(host, names))
    else:
        answer = pause(host, actor, names, until=until, seconds=seconds)
    return {"drained": all(node["drained"] for node in answer["nodes"]), **answer}


def _answer(host: Host, names: Sequence[str]) -> dict[str, Any]:
    try:
        watch(host, logged=names)
        warning = {}
    except BrokerDown:
        warning = {"warning": UNTOLD}
    return {"nodes": [row for row in view(host)["nodes"] if row["name"] in names], **warning}


def _end(host: Host, until: Micros | None, seconds: int | None) -> Micros:
    now = host.clock()
    if (until is None) == (seconds is None):
        raise InvalidInput(
            "A pause must have an end: give either `until` or `seconds`, for example 7200.", field="until"
        )
    end = until if until is not None else now + (seconds or 0) * 1_000_000
    if seconds is not None and seconds > 1:
        # Whole seconds read better; the fraction goes off, because the end may be a day ahead at most.
        end -= end % 1_000_000
    if end <= now:
        raise InvalidInput(f"`until` is {to_iso(end)}, which is past.", field="until")
    if end > now + pausing.LONGEST:
        raise InvalidInput("A pause may last 24 hours at most; renew it while it is needed.", field="until")
    return end


def _known(host: Host, names: Sequence[str]) -> tuple[str, ...]:
    known = {node.name for node in host.nodes}
    for name in names:
        if name not in known:
            hint = f"Known here: {', '.join(sorted(known))}."
            raise NotFound(f"No node {name!r} in the inventory.", field="nodes", hint=hint)
    if not names:
        raise InvalidInput("Name at least one node.", field="nodes")
    return tuple(dict.fromkeys(names))


def _lendable(host: Host, names: Sequence[str]) -> tuple[str, ...]:
    wanted = _known(host, names)
    for node in host.nodes:
        if node.name in wanted and not node.lendable:
            raise StateConflict(f"{node.name} is marked as not lendable in the inventory.", field="nodes")
    return wanted


def _told_before(host: Host) -> Pause:
    text = host.fleet.published(pausing.PAUSED_KEY)
    try:
        return Pause() if text is None else pausing.decode(text)
    except InvalidInput as error:
        log.warning("%s", error.message)
        return Pause()
