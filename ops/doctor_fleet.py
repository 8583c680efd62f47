"""The fleet's part of `memlane doctor`: the inventory, the broker and its settings, the agents and workers heard of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from redis import Redis
from redis.exceptions import RedisError

from memory.errors import MemlaneError
from memory.fleet import LANES, FleetNode, NodeReport
from memory.settings import Settings
from ops.finding import Finding
from ops.wanted import check_broker
from services import inventory
from workers.broker_facts import read_facts
from workers.fleet_facts import RedisFleet
from workers.transport import connect

# Above this the broker is about to refuse messages, because it may not throw any away.
FULL_SHARE = 0.8


def examine_fleet(settings: Settings) -> Iterator[Finding]:
    """Look at the inventory, the broker and who is heard of through it.

    Args:
        settings: of the host.

    Yields:
        What was found; nothing is changed.
    """
    try:
        nodes = inventory.read(settings)
        check_broker(settings, nodes)
    except MemlaneError as error:
        yield Finding(area="inventory", state="problem", sentence=error.message)
        nodes = ()
    else:
        yield Finding(area="inventory", state="ok", sentence=_counted(settings, nodes))
    try:
        client = connect(settings)
        told = {**_info(client, "server"), **_info(client, "memory"), **_info(client, "persistence")}
    except (RedisError, ValueError) as error:
        yield _unreachable(settings, error)
        return
    yield from broker(told)
    yield from _heard(settings, client, nodes)


def broker(told: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge a broker by what it tells of itself.

    Args:
        told: INFO of the sections server, memory and persistence.

    Yields:
        A finding for each setting that is not as it has to be, or one that all is well.
    """
    found = [Finding(area="broker", state=state, sentence=sentence) for state, sentence in _amiss(told)]
    yield from found
    if not found:
        name, version = ("Valkey", "valkey_version") if "valkey_version" in told else ("Redis", "redis_version")
        sentence = f"{name} {told.get(version, '')} answers: noeviction, append-only file."
        yield Finding(area="broker", state="ok", sentence=sentence)


def _amiss(told: Mapping[str, Any]) -> Iterator[Any]:
    policy = told.get("maxmemory_policy")
    if policy != "noeviction":
        yield "problem", f"maxmemory-policy is {policy}: it deletes messages on their way. Set it to noeviction."
    if not int(told.get("aof_enabled", 0)):
        yield "warning", "There is no append-only file: after its restart everything is sent again. Set appendonly yes."
    if told.get("aof_last_write_status", "ok") != "ok":
        yield "problem", "The append-only file cannot be written; the disk may be full."
    most, used = int(told.get("maxmemory", 0)), int(told.get("used_memory", 0))
    if most and used > FULL_SHARE * most:
        yield "warning", f"{used >> 20} of {most >> 20} MB are used; when it is full it refuses messages."


def _heard(settings: Settings, client: Redis, nodes: Sequence[FleetNode]) -> Iterator[Finding]:
    try:
        reports = RedisFleet(client).reports()
        workers = {beat.worker for beat in read_facts(client).heartbeats if beat.worker.split("@")[0] in LANES}
    except MemlaneError as error:
        yield Finding(area="nodes", state="warning", sentence=error.message)
        return
    if settings.nodes:
        yield from agents(nodes, reports)
    expected = [f"{lane}@{node.name}" for node in nodes for lane in LANES]
    # On one machine without an inventory the node has the name that it is given there.
    yield _list("workers", "Workers", expected, workers if settings.nodes else workers & set(expected))


def agents(nodes: Sequence[FleetNode], reports: Mapping[str, NodeReport]) -> Iterator[Finding]:
    """Say which agents are heard of and what they complain of.

    Args:
        nodes: of the inventory.
        reports: by node, of the last 10 s.

    Yields:
        One finding on who is silent, and one for each model server that is not well.
    """
    yield _list("agents", "Agents", [node.name for node in nodes], reports)
    for name, report in sorted(reports.items()):
        complaints = [f"{model.role}: {model.reason}" for model in report.models if not model.healthy]
        if report.thermal != "ok":
            complaints.append(f"{report.celsius} degrees Celsius, work is held back")
        for complaint in (*complaints, *report.problems):
            yield Finding(area=f"node {name}", state="warning", sentence=f"{complaint.rstrip('.')}.")


def _list(area: str, what: str, expected: Sequence[str], heard: Mapping[str, Any] | set[str]) -> Finding:
    silent = [name for name in expected if name not in heard]
    strange = sorted(set(heard) - set(expected))
    parts = [f"{what} heard of: {len(expected) - len(silent)} of {len(expected)}"]
    parts += [f"silent: {', '.join(silent)}"] if silent else []
    parts += [f"not in the inventory: {', '.join(strange)}"] if strange else []
    return Finding(area=area, state="warning" if silent or strange else "ok", sentence=f"{'; '.join(parts)}.")


def _counted(settings: Settings, nodes: Sequence[FleetNode]) -> str:
    if not settings.nodes:
        return "There is none: one node, local, on this machine."
    count = {lane: sum(node.lane == lane for node in nodes) for lane in ("interactive", "background")}
    return f"{len(nodes)} nodes: {count['interactive']} interactive, {count['background']} background."


def _unreachable(settings: Settings, error: Exception) -> Finding:
    sentence = f"It cannot be reached ({type(error).__name__}); work waits in the store meanwhile."
    # The embedded one runs only while the stack does.
    return Finding(area="broker", state="problem" if settings.redis_url else "warning", sentence=sentence)


def _info(client: Redis, section: str) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", client.info(section))
