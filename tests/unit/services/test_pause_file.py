"""Which pause file a stack goes by: its own, that of the machine, or the one that was named."""

import os

import pytest

from memory.fleet import FleetNode
from memory.settings import Settings
from services import pause_file

NODES = (FleetNode(name="local"),)


def test_a_stack_of_one_machine_has_a_file_of_its_own(tmp_path):
    ours, theirs = (Settings(data_dir=str(tmp_path / name)) for name in ("ours", "theirs"))

    pause_file.change(ours, lambda ends: ends.update(local=60_000_000), now=1, nodes=NODES)

    assert pause_file.places(ours) == (tmp_path / "ours" / "run" / "paused.json",)
    assert pause_file.read(ours, now=1, nodes=NODES).until == {"local": 60_000_000}
    assert pause_file.read(theirs, now=1, nodes=NODES).until == {}


def test_the_host_of_a_fleet_has_the_file_of_its_machine(tmp_path):
    places = pause_file.places(Settings(data_dir=str(tmp_path), nodes="inventory.toml"))

    assert str(places[0]) == "/run/memlane/paused.json"


@pytest.mark.parametrize("nodes", ["", "inventory.toml"])
def test_a_file_that_is_named_is_the_one(tmp_path, nodes):
    named = tmp_path / "elsewhere" / "paused.json"

    assert pause_file.places(Settings(data_dir=str(tmp_path), nodes=nodes, pause_file=str(named))) == (named,)


def test_no_test_can_write_the_file_of_the_machine():
    with pytest.raises(AssertionError, match="must not write outside"):
        os.open("/run/memlane/paused.json", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(AssertionError, match="must not write outside"):
        os.mkdir("/run/memlane-of-a-test")
