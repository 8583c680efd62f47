"""The agent as a process, against a real broker and real HTTP servers."""

import signal
import sys
import time

import psutil
import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from memory.fleet import FleetNode, Pause
from memory.inventory import INVENTORY_KEY, encode
from memory.pausing import PAUSED_KEY
from memory.pausing import encode as encode_pause
from ops.parts import free_ports

FAKE = "{python} -m inference.fakes --port {port} --dimension 16"


@pytest.fixture
def fake():
    with FakeModelServer(dimension=16) as server:
        yield server


@pytest.fixture
def publish(broker):
    return lambda *nodes: broker.client.set(INVENTORY_KEY, encode(nodes))


def node(name="n1", **fields):
    return FleetNode(name=name, host="127.0.0.1", **fields)


def model(broker, name="n1"):
    report = broker.report(name)
    return report.models[0] if report and report.models else None


def listener(port):
    for one in psutil.process_iter(["cmdline"]):
        words = one.info["cmdline"] or []
        if "inference.fakes" in words and str(port) in words and "lifeline" not in " ".join(words):
            return one
    return None


def gone(process):
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it went between the two looks
        return True


def test_a_report_appears_with_everything_the_host_wants_to_know(broker, agent, fake, publish, until):
    publish(node(embed_port=fake.port))

    agent("--node", "n1")

    embed = until(lambda: model(broker))
    assert (embed.role, embed.healthy, embed.model) == ("embed", True, "fake-words")
    report = broker.report("n1")
    seconds, micros = broker.client.time()
    assert abs(seconds * 1_000_000 + micros - report.at) < 5_000_000
    assert report.memory_total_bytes > report.memory_used_bytes > 0
    assert (report.thermal, report.problems) == ("ok", ())
    assert 0 < broker.client.pttl("node:n1") <= 10_000


def test_an_agent_hears_later_of_an_inventory_and_of_its_change(broker, agent, fake, publish, until):
    agent("--node", "n1")
    assert until(lambda: broker.report("n1")).problems == ("no inventory was published yet",)
    publish(node("n2"))
    until(lambda: "not in the inventory" in broker.report("n1").problems[0])
    publish(node(rerank_port=fake.port), node("n2"))
    assert until(lambda: model(broker)).role == "rerank"


def test_the_report_of_a_killed_agent_goes_within_ten_seconds(broker, agent, publish, until):
    publish(node())
    one = agent("--node", "n1")
    until(lambda: broker.report("n1"))
    one.kill()
    killed = time.monotonic()
    until(lambda: broker.report("n1") is None)
    assert time.monotonic() - killed <= 10.5


def test_an_agent_that_is_stopped_takes_its_report_away(broker, agent, publish, until):
    publish(node())
    one = agent("--node", "n1")
    until(lambda: broker.report("n1"))
    assert one.stop() == 0
    assert broker.report("n1") is None


def test_a_broker_restart_and_a_flush_are_survived(broker, agent, fake, publish, until):
    publish(node(embed_port=fake.port))
    one = agent("--node", "n1")
    until(lambda: model(broker))
    broker.kill()
    until(lambda: one.said("cannot be reached"))
    broker.start()
    back = time.monotonic()
    broker.client.flushall()  # the inventory as well; the agent keeps the one it knew
    until(lambda: model(broker))
    assert time.monotonic() - back < 3.0
    until(lambda: one.said("the broker is back"))
    assert one.log.read_text().count("cannot be reached") == 1


def test_pooling_that_is_off_is_seen_in_the_report(broker, agent, fake, publish, until):
    fake.fail_always(Fault(bend="tokens"))
    publish(node(embed_port=fake.port))
    agent("--node", "n1")
    assert not until(lambda: model(broker)).healthy
    assert model(broker).reason.startswith("pooling is off on node n1")


def test_a_node_that_heals_is_reported_well_soon(broker, agent, fake, publish, until):
    fake.fail_always(Fault(bend="empty"))
    publish(node(embed_port=fake.port))
    agent("--node", "n1")
    assert not until(lambda: model(broker)).healthy
    fake.fail_always(None)
    until(lambda: model(broker).healthy)


def test_the_model_servers_key_is_sent(broker, agent, publish, until):
    with FakeModelServer(dimension=16, key="k3y") as fake:
        publish(node(embed_port=fake.port))
        agent("--node", "n1", MEMLANE_NODE_KEY="k3y")
        assert until(lambda: model(broker)).healthy


def test_a_paused_node_has_its_models_left_alone(broker, agent, fake, publish, until):
    publish(node(embed_port=fake.port))
    one = agent("--node", "n1")
    until(lambda: model(broker))
    seconds, _ = broker.client.time()
    broker.client.set(PAUSED_KEY, encode_pause(Pause(until={"n1": (seconds + 5) * 1_000_000})))
    until(lambda: one.said("n1 is paused"))
    broker.client.delete(PAUSED_KEY)  # a flush ends no loan
    until(lambda: one.said("no longer paused"))
    assert broker.client.time()[0] >= seconds + 5


def test_a_supervised_server_comes_back_after_kill_and_dies_with_the_agent(broker, agent, publish, until):
    (port,) = free_ports(1)
    publish(node(embed_port=port))
    one = agent("--node", "n1", "--serve", "embed=" + FAKE.format(python=sys.executable, port=port))
    until(lambda: (found := model(broker)) and found.healthy and found.memory_bytes)
    assert model(broker).restarts == 0

    listener(port).kill()

    until(lambda: (found := model(broker)) and found.healthy and found.restarts == 1)
    assert "embed: was ended by SIGKILL" in broker.report("n1").problems
    server = listener(port)
    one.kill()
    until(lambda: gone(server), seconds=5)


def test_a_supervised_server_that_hangs_is_restarted_and_the_report_says_why(broker, agent, publish, until):
    (port,) = free_ports(1)
    publish(node(embed_port=port))
    served = "embed=" + FAKE.format(python=sys.executable, port=port)
    one = agent("--node", "n1", "--serve", served, MEMLANE_TIME_FACTOR="30")
    until(lambda: (found := model(broker)) and found.model)

    listener(port).send_signal(signal.SIGSTOP)

    until(lambda: (found := model(broker)) and found.restarts == 1, seconds=30)
    assert any("embed: answered nothing for" in problem for problem in broker.report("n1").problems)
    assert one.said("and was killed; starting it again")
    until(lambda: model(broker).healthy)


def test_a_stubborn_server_and_what_it_started_die_with_the_agent(broker, agent, publish, until, folder):
    script = folder / "server.sh"
    script.write_text("trap '' TERM\nsleep 4711 &\nwhile true; do sleep 1; done\n")
    publish(node())
    one = agent("--node", "n1", "--serve", f"llm=sh {script}")
    family = until(lambda: (found := psutil.Process(one.process.pid).children(recursive=True))[3:] and found)
    one.kill()
    until(lambda: all(map(gone, family)), seconds=6)


def test_a_server_over_its_cap_is_restarted_and_the_report_says_why(broker, agent, publish, until):
    (port,) = free_ports(1)
    publish(node(embed_port=port, memory_bytes=10_000_000))
    agent("--node", "n1", "--serve", "embed=" + FAKE.format(python=sys.executable, port=port))
    until(lambda: (found := broker.report("n1")) and any("over its cap of" in one for one in found.problems))
    until(lambda: model(broker).restarts >= 1)


def test_stopping_the_agent_stops_its_servers(broker, agent, publish, until):
    (port,) = free_ports(1)
    publish(node(embed_port=port))
    one = agent("--node", "n1", "--serve", "embed=" + FAKE.format(python=sys.executable, port=port))
    server = until(lambda: listener(port))
    assert one.stop() == 0
    assert gone(server)


def test_secrets_are_read_from_files_and_not_logged(broker, agent, publish, until, folder):
    (folder / "key").write_text("k3y\n")
    with FakeModelServer(dimension=16, key="k3y") as fake:
        publish(node(embed_port=fake.port))
        one = agent("--node", "n1", MEMLANE_NODE_KEY_FILE=str(folder / "key"))
        assert until(lambda: model(broker)).healthy
    assert not one.said("k3y")


@pytest.mark.parametrize(
    ("arguments", "environ", "words"),
    [
        (("--node", "n1"), {"REDIS_URL": ""}, "REDIS_URL"),
        (("--node", "n1"), {"REDIS_URL": "gopher://x"}, "REDIS_URL"),
        (("--node", "n1", "--serve", "cook=ls"), {}, "cook"),
        (("--node", "n1", "--servers", "/no/such/file"), {}, "/no/such/file"),
        (("--node", "n1"), {"MEMLANE_NODE_KEY_FILE": "/no/such/key"}, "/no/such/key"),
    ],
)
def test_what_cannot_work_ends_at_once_with_a_reason(agent, arguments, environ, words):
    one = agent(*arguments, **environ)
    assert one.process.wait(10) == 78
    assert one.said(words)


def test_a_node_without_a_name_is_a_usage_error_that_says_so(agent):
    one = agent("--node", "")
    assert one.process.wait(10) == 2
    assert one.said("--node is empty")
