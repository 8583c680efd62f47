import socket
from pathlib import Path

import pytest

from memory.fleet import FleetNode
from memory.settings import Settings, from_environ
from ops.parts import Run, choose_run, free_ports, stack
from ops.wanted import Wanted

RUN = Run(socket_file=Path("/tmp/x.sock"), interactive_port=1001, background_port=1002, node_key="k", writer="w")


def parts(**settings):
    told = Settings(data_dir="/data", **settings)
    return {part.name: part for part in stack(told, RUN, environ={"HOME": "/home/x"})}


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


def test_every_part_knows_of_the_llm():
    for part in parts(llm_url="http://l", llm_model="m").values():
        told = from_environ(part.environment)
        assert (told.llm_url, told.llm_model) == ("http://l", "m")


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


def test_the_api_multiplies_in_one_thread_and_keeps_one_heap():
    api = parts()["api"].environment
    assert (api["OPENBLAS_NUM_THREADS"], api["MALLOC_ARENA_MAX"]) == ("1", "1")


def test_a_part_does_not_show_its_environment():
    assert "node_key" not in repr(parts()["api"])
    assert "HOME" not in repr(parts()["api"])


def test_ports_differ_can_be_listened_on_and_are_given_to_nobody_else():
    ports = free_ports(3)
    assert len(set(ports)) == 3
    for port in ports:
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", port))
        socket.create_server(("127.0.0.1", port)).close()  # sets SO_REUSEADDR


def test_each_run_has_another_key_unless_one_is_set():
    first, second = (choose_run(Settings(), Path("s")) for _ in range(2))
    assert first.node_key != second.node_key
    assert choose_run(Settings(node_key="mine"), Path("s")).node_key == "mine"


FLEET = (
    FleetNode(name="b0", card=1, lane="background", host="10.0.0.2", embed_port=8080, rerank_port=8081),
    FleetNode(name="i0", host="10.0.0.1", embed_port=8080, slots=3),
)


def fleet(workers=False, flower=False, **settings):
    told = Settings(data_dir="/data", nodes="/etc/fleet.toml", redis_url="redis://:pw@10.0.0.9", **settings)
    wanted = Wanted(nodes=FLEET, workers=workers, flower=flower)
    return {part.name: part for part in stack(told, RUN, wanted, {})}


def test_against_an_inventory_only_the_hosts_part_runs_here():
    assert list(fleet()) == ["host", "reconcile", "beat", "api"]


def test_with_workers_every_node_has_both_lanes_and_an_agent_here():
    names = list(fleet(workers=True))

    assert names[:3] == ["interactive@b0", "background@b0", "agent@b0"]
    assert names[3:6] == ["interactive@i0", "background@i0", "agent@i0"]
    assert names[6:] == ["host", "reconcile", "beat", "api"]


def test_everybody_is_told_where_inventory_and_broker_are():
    for part in fleet(workers=True).values():
        told = from_environ(part.environment)
        assert told.nodes == "/etc/fleet.toml"
        assert told.redis_url == "redis://:pw@10.0.0.9"


def test_addresses_of_models_come_from_the_inventory_alone():
    told = {name: from_environ(part.environment) for name, part in fleet(workers=True).items()}

    assert {one.embed_url for one in told.values()} == {""}


def test_a_nodes_worker_is_started_for_its_node_and_lane():
    assert fleet(workers=True)["background@i0"].command[-3:] == ("background", "--node", "i0")


def test_a_node_that_takes_no_work_does_not_hold_up_the_start():
    parts = fleet(workers=True)

    assert not any(part.announces for name, part in parts.items() if "@" in name)
    assert parts["host"].announces


def test_a_fleets_key_is_the_one_that_was_set_and_never_one_made_up():
    assert from_environ(fleet()["api"].environment).node_key == ""
    assert from_environ(fleet(node_key="theirs")["api"].environment).node_key == "theirs"


def test_workers_tell_of_each_task_only_while_flower_looks():
    assert from_environ(fleet(workers=True)["interactive@i0"].environment).task_events == 0
    with_flower = fleet(workers=True, flower=True, flower_port=5001, flower_password="pw")

    assert from_environ(with_flower["interactive@i0"].environment).task_events == 1
    told = from_environ(with_flower["flower"].environment)
    assert (told.flower_host, told.flower_port, told.flower_password) == ("127.0.0.1", 5001, "pw")


def test_no_secret_stands_on_a_command_line():
    told = fleet(workers=True, flower=True, node_key="k3y", flower_password="fl0wer")
    words = " ".join(word for part in told.values() for word in part.command)

    assert not [secret for secret in ("k3y", "fl0wer", "pw@") if secret in words]


def test_an_agent_is_told_where_the_embedded_broker_is():
    wanted = Wanted(nodes=(FleetNode(name="a"),), workers=True)
    found = {part.name: part for part in stack(Settings(data_dir="/data", nodes="f.toml"), RUN, wanted, {})}

    assert from_environ(found["agent@a"].environment).redis_url == "unix:///data/run/broker.sock"
    assert "broker" in found
    assert "models" not in found
