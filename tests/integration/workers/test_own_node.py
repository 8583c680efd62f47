"""A worker that no inventory names waits, lets the host hear of it, and goes on when one does."""

import threading
from dataclasses import replace

from memory.fleet import FleetNode
from memory.inventory import INVENTORY_KEY, encode
from workers.broker_facts import read_facts
from workers.heartbeat import Condition, start_heartbeat
from workers.in_flight import InFlight
from workers.own_node import see_own_node


def test_a_worker_of_an_unknown_name_is_heard_of_while_it_waits(client, settings, until, caplog):
    client.set(INVENTORY_KEY, encode([FleetNode(name="a0")]))
    in_flight = InFlight(client, worker="background@zz", keep_seconds=60.0)
    waiting = Condition(healthy=False)
    found = []

    def wait():
        return start_heartbeat(client, in_flight, slots=0, consuming=lambda: False, condition=lambda: waiting)

    thread = threading.Thread(
        target=lambda: found.append(see_own_node(replace(settings, node="zz"), client, wait=wait)[1])
    )
    thread.start()
    until(lambda: [beat.worker for beat in read_facts(client).heartbeats] == ["background@zz"])
    assert not read_facts(client).heartbeats[0].consuming
    (said,) = [record.getMessage() for record in caplog.records if record.name == "workers.own_node"]
    assert said.startswith("no inventory with a node zz is published yet (the one there is names a0)")

    client.set(INVENTORY_KEY, encode([FleetNode(name="a0"), FleetNode(name="zz", embed_port=8080)]))
    thread.join(10)
    assert [node.name for node in found] == ["zz"]
