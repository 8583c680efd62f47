"""Every command and option is in docs/cli.md, in the section of its command or in the one shared by all."""

import re
from pathlib import Path

import click
import pytest

from memlane.cli import EXIT_CODES, OWN, memlane

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
SHARED = PAGE.split("## Commands")[0]
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
CONTEXT = click.Context(memlane)
NAMES = memlane.list_commands(CONTEXT)


def inner(command):
    """The command and, of a group, its commands."""
    return [command, *(one for below in getattr(command, "commands", {}).values() for one in inner(below))]


def missing(name):
    told = SHARED + SECTIONS.get(name, "")
    options = {
        option
        for command in inner(memlane.get_command(CONTEXT, name))
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    return sorted(option for option in options if not re.search(rf"{re.escape(option)}(?![\w-])", told))


@pytest.mark.parametrize("name", NAMES)
def test_a_command_has_a_section_with_an_example(name):
    assert f"    memlane {name}" in SECTIONS.get(name, ""), f"Add `### {name}` with an example to docs/cli.md."


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_documented(name):
    assert not missing(name), f"docs/cli.md does not tell {missing(name)} of `{name}`."


@pytest.mark.parametrize("name", OWN)
def test_every_own_command_takes_json(name):
    commands = [one for one in inner(memlane.get_command(CONTEXT, name)) if not isinstance(one, click.Group)]

    assert all("--json" in option.opts for one in commands for option in one.params if option.name == "as_json")
    assert all(any(option.name == "as_json" for option in one.params) for one in commands)


@pytest.mark.parametrize("name", ["list", "show", "retry", "cancel"])
def test_every_command_of_jobs_is_documented(name):
    assert f"memlane jobs {name}" in SECTIONS["jobs"]


@pytest.mark.parametrize("name", ["list", "pause", "resume", "drain"])
def test_every_command_of_nodes_is_documented(name):
    assert f"memlane nodes {name}" in SECTIONS["nodes"]


def test_every_exit_code_of_the_help_is_documented():
    codes = re.findall(r"^  (\d+) ", EXIT_CODES, re.MULTILINE)

    assert [code for code in codes if f"| {code} |" not in SHARED] == []
    assert len(codes) == 7


@pytest.mark.parametrize("name", ["MEMLANE_URL", "MEMLANE_API_KEY", "MEMLANE_DEBUG", "XDG_STATE_HOME"])
def test_every_variable_is_documented(name):
    assert f"| `{name}` |" in SHARED
