"""What each kind of worker process is: its queue, its pool, its tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celery import Celery
from redis import Redis

from memory.settings import Settings
from workers.broker_facts import read_facts
from workers.broker_traces import RedisTraces
from workers.choice import DECIDE_SECONDS, LaneChoice
from workers.fleet_facts import RedisFleet
from workers.heartbeat import Condition, start_heartbeat
from workers.in_flight import InFlight
from workers.own_node import others, see_own_node
from workers.scratchpads import RedisScratchpads
from workers.sight import host_sight
from workers.ticker import Ticker
from workers.transport import CeleryQueue, RedisReplies

if TYPE_CHECKING:
    from services.host import Host


@dataclass(frozen=True, kw_only=True)
class Process:
    """What every worker process has, whatever its lane."""

    settings: Settings
    app: Celery
    client: Redis
    queue: CeleryQueue
    replies: RedisReplies
    in_flight: InFlight


@dataclass(frozen=True, kw_only=True)
class Lane:
    """How a lane's worker runs."""

    slots: int
    pool: str  # threads or solo
    wanted: Callable[[], bool] = lambda: True  # whether to take work at the moment
    at_end: tuple[Callable[[], object], ...] = ()  # in this order
    beside: tuple[str, ...] = ()  # queues that are always taken from, whatever `wanted` says
    condition: Callable[[], Condition] = Condition  # of the models that the tasks call
    tell: Callable[[Callable[[], None]], object] = lambda changed: None  # has a function called when that changes


def prepare(lane: str, process: Process) -> Lane:
    """Register a lane's tasks.

    Only the lane's own modules are imported: a node must not load the store, nor a worker what only another needs.

    Args:
        lane: interactive, background, host or reconcile.
        process: the process's parts.

    Returns:
        How its worker runs.
    """
    return {"interactive": _node, "background": _node, "host": _host, "reconcile": _reconcile}[lane](lane, process)


def _node(lane: str, process: Process) -> Lane:
    from services import node_work, wiring_node
    from services.node_servers import slots_of
    from workers import canary, node_tasks
    from workers.model_check import ModelCheck

    settings = process.settings
    look, own = see_own_node(settings, process.client, wait=lambda: _say_waiting(process))
    node = wiring_node.build(
        settings,
        queue=process.queue,
        replies=process.replies,
        lane=lane,
        node=own,
        peers=lambda role, tried: others(look, role, {own.name, *tried}),
    )
    node_tasks.register(process.app, node, process.in_flight)
    canaries = canary.register(process.app, process.client, process.in_flight.worker)
    choice = LaneChoice(lane, settings, look, node.health)
    choice.decide()
    decisions = Ticker("the lane's choice", DECIDE_SECONDS, choice.decide)

    def wanted() -> bool:
        on = choice.wanted()
        if lane == "interactive":
            node.serve(on)
        return on

    health = node.health
    models = ModelCheck(lambda: node_work.check_models(node))
    return Lane(
        slots=slots_of(own, lane, settings),
        pool="threads",
        wanted=wanted,
        beside=(canaries,),
        condition=lambda: Condition(
            healthy=health.healthy,
            reason=health.reason or models.trouble() or "",
            failing=health.failing,
            bad_answers=node.bad_answers.count,
        ),
        tell=health.tell,
        at_end=(decisions.stop, health.stop, models.stop),
    )


def _say_waiting(process: Process) -> Ticker:
    """Let the host hear of a worker that no inventory names, so that it can tell a person."""
    waiting = Condition(healthy=False)
    return start_heartbeat(
        process.client, process.in_flight, slots=0, consuming=lambda: False, condition=lambda: waiting
    )


def _host(lane: str, process: Process) -> Lane:
    from services import host_seat
    from services.dispatching import HOST_SLOTS
    from workers import host_tasks

    host = _truth_plane(process)
    host_tasks.register_host(process.app, host, process.in_flight)

    def leave() -> None:
        RedisFleet(process.client).release(host_seat.HOST_KEY, host_seat.own_name(process.settings))

    # Pages and files are had in threads of their own: all may be slow, and there is still room for all other work.
    slots = HOST_SLOTS + process.settings.source_slots
    return Lane(slots=slots, pool="threads", beside=("sources",), at_end=(host.store.close, leave))


def _reconcile(lane: str, process: Process) -> Lane:
    from services import configured_model
    from services.writer import WriterLease
    from workers import host_tasks

    settings = process.settings
    host = _truth_plane(process)
    lease = WriterLease(host, settings.writer or host.new_id("wrk"))
    host_tasks.register_reconcile(process.app, host, lease)

    # On a thread of its own: with the solo pool the consumer's timer waits for the running task.
    def renew() -> None:
        configured_model.look(host, lease.renew())

    renewal = Ticker("the writer's lease", settings.writer_lease_seconds / settings.time_factor / 3, renew)
    return Lane(
        slots=1,
        pool="solo",
        wanted=lambda: lease.token is not None,
        at_end=(renewal.stop, lease.release, host.store.close),
    )


def _truth_plane(process: Process) -> Host:
    from services import wiring_host

    return wiring_host.build(
        process.settings,
        queue=process.queue,
        replies=process.replies,
        facts=lambda: read_facts(process.client),
        fleet=RedisFleet(process.client),
        sight=host_sight(process.client, process.settings),
        traces=RedisTraces(process.client),
        scratchpads=RedisScratchpads(process.client),
        resident_search=False,
    )
