from pathlib import Path

import pytest
from click.testing import CliRunner

from memory.errors import InvalidInput
from memory.fleet import FleetNode
from memory.settings import Settings
from ops.commands import up
from ops.part import CannotStart
from ops.wanted import check_broker, choose

HERE = (FleetNode(name="a"), FleetNode(name="b", host="127.0.0.2"), FleetNode(name="c", host="localhost"))
AWAY = (*HERE, FleetNode(name="far", host="10.0.0.7"))
UNIT = Path(__file__).parents[3] / "ops" / "systemd" / "memlane-host.service"


def test_a_fleet_on_this_machine_may_use_the_embedded_broker():
    check_broker(Settings(), HERE)


def test_another_machine_needs_a_real_broker_and_the_message_says_how():
    with pytest.raises(CannotStart, match=r"^far cannot reach the embedded broker.*REDIS_URL.*howto/fleet"):
        check_broker(Settings(), AWAY)


def test_a_broker_for_other_machines_needs_a_password():
    with pytest.raises(CannotStart, match="needs a password"):
        check_broker(Settings(redis_url="redis://10.0.0.1:6379/0"), AWAY)
    check_broker(Settings(redis_url="redis://:pw@10.0.0.1:6379/0"), AWAY)


def test_many_machines_are_counted_and_not_listed():
    with pytest.raises(CannotStart, match="far and 1 more nodes"):
        check_broker(Settings(), (*AWAY, FleetNode(name="farther", host="node7")))


def test_workers_of_no_inventory_are_refused():
    with pytest.raises(CannotStart, match="--nodes"):
        choose(Settings(), workers=True)


def test_without_an_inventory_nothing_is_read_and_this_machine_is_the_node():
    assert choose(Settings()).nodes == ()


def test_the_inventory_is_read_and_checked(tmp_path):
    file = tmp_path / "fleet.toml"
    file.write_text('[[node]]\nname = "n1"\nembed_port = 8080\n', encoding="utf-8")

    wanted = choose(Settings(nodes=str(file)), workers=True)

    assert [node.name for node in wanted.nodes] == ["n1"]
    assert wanted.workers
    assert not wanted.flower


def test_an_inventory_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"none\.toml"):
        choose(Settings(nodes=str(tmp_path / "none.toml")))


def test_the_command_says_why_a_fleet_cannot_be_served_from_here(tmp_path, monkeypatch):
    monkeypatch.delenv("REDIS_URL", raising=False)
    file = tmp_path / "fleet.toml"
    file.write_text('[[node]]\nname = "far"\nhost = "10.0.0.7"\nembed_port = 8080\n', encoding="utf-8")

    ended = CliRunner().invoke(up, ["--nodes", str(file), "--data-dir", str(tmp_path / "data")])

    assert ended.exit_code == 78
    assert "far cannot reach the embedded broker" in ended.output
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("inventory", "environ", "words"),
    [
        ("[[node]]", {}, "`name` is missing"),
        ('[[node]]\nname = "a"\n', {}, "no port"),
        ('[[node]]\nname = "far"\nhost = "10.0.0.9"\nembed_port = 1\n', {}, "embedded broker"),
        (None, {}, "cannot be read"),
        (None, {"MEMLANE_PORT": "many"}, "MEMLANE_PORT"),
        (None, {"MEMLANE_NODE_KEY_FILE": "/nowhere/key"}, "/nowhere/key"),
    ],
)
def test_a_configuration_that_cannot_work_ends_up_with_the_code_that_its_unit_does_not_restart(
    tmp_path, inventory, environ, words
):
    file = tmp_path / "nodes.toml"
    if inventory is not None:
        file.write_text(inventory, encoding="utf-8")

    ended = CliRunner().invoke(up, ["--nodes", str(file), "--data-dir", str(tmp_path / "data")], env=environ)

    assert words in ended.output
    assert f"RestartPreventExitStatus={ended.exit_code}\n" in UNIT.read_text(encoding="utf-8")


def test_a_folder_in_use_may_be_free_later_and_is_no_matter_of_configuration(tmp_path):
    (tmp_path / "file").touch()

    assert CliRunner().invoke(up, ["--data-dir", str(tmp_path / "file" / "data")]).exit_code == 1
