"""The example units: what they start exists, and the files that they name are those the page tells of."""

import configparser
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from memory.inventory import parse
from ops.commands import up

ROOT = Path(__file__).parents[3]
UNITS = sorted((ROOT / "ops" / "systemd").glob("*.service"))
PAGE = (ROOT / "docs" / "howto" / "fleet.md").read_text(encoding="utf-8")


def service(path):
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str
    unit.read_string(path.read_text(encoding="utf-8"))
    assert unit["Install"]["WantedBy"] == "multi-user.target"
    return unit["Service"]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_restarts_and_runs_as_an_ordinary_user(path):
    told = service(path)

    assert told["Restart"] == "always"
    assert told["User"] == "memlane"
    assert told["NoNewPrivileges"] == "yes"
    assert told["EnvironmentFile"].startswith("/etc/memlane/")


@pytest.mark.parametrize("name", ["memlane-worker@.service", "memlane-agent.service"])
def test_what_runs_on_a_node_is_a_command_that_starts(name):
    line = service(ROOT / "ops" / "systemd" / name)["ExecStart"]
    program, *words = line.replace("${NODE}", "card0-node0").replace("%i", "background").split()
    command = [str(Path(sys.executable).parent / Path(program).name), *words, "--help"]

    helped = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert helped.returncode == 0, helped.stderr


def test_the_hosts_unit_gives_options_that_exist():
    words = service(ROOT / "ops" / "systemd" / "memlane-host.service")["ExecStart"].split()
    options = {option for one in up.params if isinstance(one, click.Option) for option in one.opts}

    assert words[1] == "up"
    assert {word for word in words if word.startswith("--")} <= options


def test_commands_on_the_host_are_told_the_folder_and_the_inventory_of_its_unit():
    words = service(ROOT / "ops" / "systemd" / "memlane-host.service")["ExecStart"].split()

    for option, variable in (("--data-dir", "MEMLANE_DATA_DIR"), ("--nodes", "MEMLANE_NODES")):
        assert f"\n{variable}={words[words.index(option) + 1]}\n" in PAGE


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_the_page_tells_of_every_unit_and_every_file_it_reads(path):
    assert path.name in PAGE
    for file in re.findall(r"/etc/memlane/[\w./%-]+", path.read_text(encoding="utf-8")):
        assert file.replace("%i", "embed").replace("<name>", "embed") in PAGE, file


def test_the_example_is_the_reference_fleet():
    nodes = parse((ROOT / "ops" / "inventory.example.toml").read_text(encoding="utf-8"))

    assert [(node.card, node.lane) for node in nodes] == [(0, "interactive")] * 3 + [(1, "background")] * 3
    assert {(node.embed_port, node.rerank_port, node.llm_port) for node in nodes} == {(8080, 8081, 8082)}
