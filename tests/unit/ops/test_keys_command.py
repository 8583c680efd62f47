import json

import pytest
from click.testing import CliRunner

from ops.keys_command import keys_group
from services import keys
from services.fakes import fake_host


@pytest.fixture
def run(tmp_path):
    def invoke(*arguments):
        command, *rest = arguments
        return CliRunner().invoke(keys_group, [command, "--data-dir", str(tmp_path), *rest])

    return invoke


def test_create_prints_the_secret_and_nothing_else(run, tmp_path):
    made = run("create", "--label", "laptop", "--space", "a", "--space", "b", "--read-only")

    assert made.exit_code == 0, made.output
    host = fake_host(tmp_path)
    caller = keys.resolve(host, made.stdout.strip())
    host.store.close()
    assert (caller.tenant, caller.spaces, caller.read_only, caller.actor.kind) == ("default", ("a", "b"), True, "agent")


def test_json_names_every_limit_and_list_never_has_the_secret(run):
    made = json.loads(
        run("create", "--label", "x", "--days", "3", "--actor", "person", "--user", "ana", "--json").stdout
    )
    listed = json.loads(run("list", "--json").output)

    assert made["secret"].startswith("mlk_")
    assert made["expires_at"].endswith("Z")
    assert listed == [{name: value for name, value in made.items() if name != "secret"}]
    assert (listed[0]["actor"], listed[0]["user"]) == ("person", "ana")


def test_revoked_key_is_listed_as_such(run):
    made = json.loads(run("create", "--label", "x", "--json").stdout)

    assert made["id"] in run("revoke", made["id"]).output
    assert "revoked" in run("list").output


def test_a_key_that_does_not_exist_is_not_found(run):
    assert run("revoke", "key_none").exit_code == 4


def test_no_keys_is_said_beside_an_empty_list(run):
    run("create", "--label", "x")
    listed = run("list", "--tenant", "other")

    assert (listed.exit_code, listed.stdout, listed.stderr) == (0, "", "No keys.\n")
    assert json.loads(run("list", "--tenant", "other", "--json").stdout) == []


@pytest.mark.parametrize("arguments", [("list",), ("revoke", "key_1"), ("rotate", "key_1")])
def test_a_folder_without_a_store_is_named_and_stays_empty(run, tmp_path, arguments):
    refused = run(*arguments)

    assert (refused.exit_code, list(tmp_path.iterdir())) == (4, [])
    assert f"There is no store in {tmp_path}; name the folder with --data-dir." in refused.stderr


def test_create_says_where_it_makes_a_store(run, tmp_path):
    assert f"A store is made in {tmp_path}." in run("create", "--label", "x").stderr
    assert "is made in" not in run("create", "--label", "y").stderr


def test_a_key_of_an_unknown_tenant_is_refused_and_makes_no_tenant(run, tmp_path):
    run("create", "--label", "x")
    refused = run("create", "--label", "y", "--tenant", "typo")

    assert (refused.exit_code, "No tenant 'typo'." in refused.stderr) == (4, True)
    assert (tmp_path / "control.db").exists()
    assert list(tmp_path.rglob("typo*")) == []


def test_list_shows_when_a_key_ends(run):
    made = json.loads(run("create", "--label", "x", "--days", "3", "--json").stdout)
    run("create", "--label", "y")

    assert f"ends {made['expires_at']}" in run("list").stdout
    assert "never ends" in run("list").stdout


@pytest.mark.parametrize(
    "arguments",
    [("revoke", "key_none"), ("create", "--label", "x", "--tenant", "Not/ok"), ("create",),
     ("create", "--label", "x", "--days", "0"), ("create", "--label", "x", "--actor", "boss")],
)  # fmt: skip
def test_what_cannot_be_done_is_said_and_fails(run, arguments):
    failed = run(*arguments)

    assert failed.exit_code != 0
    assert "Error" in failed.output
    assert "Traceback" not in failed.output
