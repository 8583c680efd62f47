from memory.fleet import NodeReport
from memory.ports import Heartbeat
from memory.presence import presences


def beat(worker, **fields):
    return Heartbeat(worker=worker, pid=1, at=1, slots=1, consuming=True, queue_wait=0.0, **fields)


def test_a_node_is_alive_by_its_workers_and_not_by_its_agent():
    report = NodeReport(node="a1", at=1)
    known = presences([beat("interactive@a0"), beat("host@local")], {"a1": report}, {"a2": 5})

    assert set(known) == {"a0", "a1", "a2"}
    assert (known["a0"].alive, known["a1"].alive, known["a2"].alive) == (True, False, False)
    assert known["a1"].report is report
    assert known["a2"].paused_until == 5


def test_lanes_are_broken_by_what_their_worker_says_and_missing_without_one():
    known = presences([beat("interactive@a0", healthy=False), beat("background@a0"), beat("background@b0")], {}, {})

    assert known["a0"].broken == {"interactive"}
    assert known["a0"].missing == frozenset()
    assert known["b0"].missing == {"interactive"}
