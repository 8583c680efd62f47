import pytest

from memory.fleet import FleetNode, Pause
from memory.inventory import encode
from memory.pausing import encode as encode_pause
from nodeagent.broker import Facts
from nodeagent.known import Known, ports_of

SECOND = 1_000_000
NODE = FleetNode(name="a1", host="10.0.0.1", embed_port=8080, llm_port=8082, hot_celsius=80.0)


def facts(now=0, inventory=None, paused=None):
    return Facts(now=now, inventory=inventory, paused=paused, workers=())


def published(*nodes):
    return encode(nodes).encode()


def test_its_own_line_of_the_inventory_is_taken():
    known = Known("a1")
    known.hear(facts(inventory=published(NODE, FleetNode(name="a2", host="10.0.0.2"))))
    assert (known.node, known.problem) == (NODE, "")


def test_the_last_inventory_outlives_a_flush_and_a_broken_one():
    known = Known("a1")
    known.hear(facts(inventory=published(NODE)))
    known.hear(facts(inventory=None))
    assert (known.node, known.problem) == (NODE, "")
    known.hear(facts(inventory=b"[]"))
    assert known.node == NODE
    assert known.problem


@pytest.mark.parametrize("text", [None, b"", b"{}", b'{"until": 3}'])
def test_a_pause_is_kept_to_its_end_through_a_flush_and_nonsense(text):
    known = Known("a1")
    pause = encode_pause(Pause(until={"a1": 60 * SECOND})).encode()
    known.hear(facts(now=0, paused=pause))
    assert known.paused
    known.hear(facts(now=59 * SECOND, paused=text))
    assert known.paused
    known.hear(facts(now=60 * SECOND, paused=text))
    assert not known.paused


def test_a_pause_that_is_taken_back_ends():
    known = Known("a1")
    known.hear(facts(paused=encode_pause(Pause(until={"a1": 60 * SECOND})).encode()))
    known.hear(facts(paused=encode_pause(Pause()).encode()))
    assert not known.paused


def test_an_address_without_a_readable_port_has_none():
    assert ports_of(["http://a:1", "http://b", "http://c:x"]) == {1}
