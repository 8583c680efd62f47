"""`memlane up --nodes`: the host's part against an inventory; the nodes' processes run here, or are started alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory.settings import Settings
from ops.child import ROOT
from ops.doctor_fleet import examine_fleet
from ops.launched import running, wait_until
from ops.parts import free_ports
from workers.address import redis_url

pytestmark = pytest.mark.timeout(180)
BIN = Path(sys.executable).parent


@pytest.fixture
def inventory(tmp_path):
    """Two nodes that each have one port of one model server."""
    ports = free_ports(2)
    lanes = ("interactive", "background")
    tables = [
        f'[[node]]\nname = "{lane[0]}0"\ncard = {card}\nlane = "{lane}"\nembed_port = {port}\nbusy_limit = 1000.0\n'
        for card, (lane, port) in enumerate(zip(lanes, ports, strict=True))
    ]
    file = tmp_path / "fleet.toml"
    file.write_text("\n".join(tables), encoding="utf-8")
    arguments = ["--interactive-port", str(ports[0]), "--background-port", str(ports[1])]
    with subprocess.Popen([sys.executable, "-m", "inference", *arguments], cwd=ROOT) as server:
        yield file
        server.terminate()


def fleet(tmp_path, inventory, *more):
    told = {"MEMLANE_PAUSE_FILE": str(tmp_path / "paused.json")}
    return running(tmp_path / "data", told, options=("--nodes", str(inventory), *more))


def taking(up):
    return {one["worker"] for one in up.get("/v1/lanes")["workers"] if one["consuming"]}


def remembers(up):
    assert up.post("/v3/documents", content="Rack D6 has a new fan.", wait=True)["status"] == "done"
    return up.search("fan")


def test_with_workers_the_whole_fleet_runs_here_and_doctor_hears_all_of_it(tmp_path, inventory):
    with fleet(tmp_path, inventory, "--with-workers") as up:
        assert not up.children("-m inference")
        wait_until(lambda: taking(up) >= {"interactive@i0", "background@b0"}, seconds=20, what="both lanes are served")

        assert remembers(up)
        settings = Settings(data_dir=str(up.data_dir), nodes=str(inventory))
        found = wait_until(
            lambda: (all_ := list(examine_fleet(settings))) and all(one.state == "ok" for one in all_) and all_,
            seconds=20,
            what="doctor has heard of everybody",
        )
        assert {one.area for one in found} == {"inventory", "broker", "agents", "workers"}


def test_a_nodes_processes_need_the_brokers_address_and_nothing_else(tmp_path, inventory):
    with fleet(tmp_path, inventory) as up:
        address = redis_url(Settings(data_dir=str(up.data_dir)))
        environ = {"PATH": os.environ["PATH"], "REDIS_URL": address}
        commands = [
            [str(BIN / "memlane-worker"), "--node", "i0", "--lane", "interactive"],
            [str(BIN / "memlane-worker"), "--node", "b0", "--lane", "background"],
            [sys.executable, "-m", "nodeagent", "--node", "i0"],
        ]
        started = [subprocess.Popen(command, env=environ, cwd=ROOT) for command in commands]
        try:
            wait_until(lambda: len(taking(up)) == 4, seconds=30, what="both workers take work beside the host's two")
            assert remembers(up)
            wait_until(lambda: _models(up), seconds=20, what="the agent has probed its model server")
        finally:
            for process in started:
                process.terminate()
            codes = [process.wait(30) for process in started]
    assert codes == [0, 0, 0]


def _models(up):
    rows = {row["name"]: row for row in up.get("/v1/lanes")["nodes"]}
    return [one["role"] for one in rows["i0"]["models"] if one["healthy"]] == ["embed"]
