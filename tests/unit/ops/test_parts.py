import socket
from pathlib import Path

import pytest

from memory.settings import Settings, from_environ
from ops.parts import Run, choose_run, free_ports, reachable, stack

RUN = Run(socket_file=Path("/tmp/x.sock"), interactive_port=1001, background_port=1002, node_key="k", writer="w")


def parts(**settings):
    return {part.name: part for part in stack(Settings(data_dir="/data", **settings), RUN, {"HOME": "/home/x"})}


def test_a_stack_has_a_part_for_each_lane_and_server():
    assert list(parts()) == [
        "broker", "models", "interactive", "background", "host", "reconcile", "beat", "api",
    ]  # fmt: skip


def test_every_part_reads_back_the_settings_of_the_run():
    for part in parts(port=9001, host="127.0.0.2", node="n7").values():
        told = from_environ(part.environment)
        assert (told.data_dir, told.port, told.host, told.node) == ("/data", 9001, "127.0.0.2", "n7")
        assert (told.node_key, told.writer) == ("k", "w")
        assert part.environment["HOME"] == "/home/x"


def test_only_background_work_goes_to_the_background_port():
    ports = {name: from_environ(part.environment).embed_url[-4:] for name, part in parts().items() if part.announces}
    assert {name for name, port in ports.items() if port == "1002"} == {"background"}


def test_servers_of_the_users_replace_the_embedded_ones():
    own = parts(redis_url="redis://r", embed_url="http://e", rerank_url="http://r")
    assert "broker" not in own
    assert "models" not in own
    told = from_environ(own["interactive"].environment)
    assert (told.embed_url, told.rerank_url) == ("http://e", "http://r")


def test_the_embedded_server_reranks_for_a_user_who_has_only_an_embedder():
    own = parts(embed_url="http://e")
    told = from_environ(own["api"].environment)
    assert "models" in own
    assert (told.embed_url, told.rerank_url) == ("http://e", "http://127.0.0.1:1001")


def test_the_broker_is_stopped_last_and_the_api_first():
    stages = {name: part.stage for name, part in parts().items()}
    assert stages["api"] < stages["background"] == stages["beat"] < stages["models"] < stages["broker"]
    slowest = {stage: max(p.stop_seconds for p in parts().values() if p.stage == stage) for stage in stages.values()}
    assert sum(slowest.values()) <= 10.0


def test_a_part_does_not_show_its_environment():
    assert "node_key" not in repr(parts()["api"])
    assert "HOME" not in repr(parts()["api"])


def test_ports_are_free_and_differ():
    ports = free_ports(3)
    assert len(set(ports)) == 3
    for port in ports:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def test_each_run_has_another_key_unless_one_is_set():
    first, second = (choose_run(Settings(), Path("s")) for _ in range(2))
    assert first.node_key != second.node_key
    assert choose_run(Settings(node_key="mine"), Path("s")).node_key == "mine"


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("box", "box")],
)
def test_the_ready_address_is_one_that_can_be_called(host, expected):
    assert reachable(host) == expected
