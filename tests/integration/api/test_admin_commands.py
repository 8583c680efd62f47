"""`memlane tenants` and `memlane keys --url` against a server that other machines reach, with the admin key."""

import json
import threading
from dataclasses import replace

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from api.app import create_app
from memlane.commands.tenants import tenants
from memory.settings import Settings
from ops.keys_command import keys_group
from services import admin, keys, oidc
from services.clock import system_clock
from services.fakes import fake_host
from tests.issuer import AUDIENCE, NAME


@pytest.fixture
def host(tmp_path):
    # As the people who type commands, it goes by the real time.
    settings = Settings(data_dir=str(tmp_path), host="0.0.0.0", oidc_issuer=NAME, oidc_audience=AUDIENCE)
    one = fake_host(tmp_path, settings=settings, clock=system_clock)
    yield replace(one, issuer=oidc.configured(settings, system_clock, fetch=dict))
    one.store.close()


@pytest.fixture
def url(host):
    server = make_server("127.0.0.1", 0, create_app(host), threaded=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(host, url):
    secret = admin.first_key(host)

    def invoke(group, *arguments, key=secret, **more):
        environment = {"MEMLANE_ADMIN_KEY": key, "MEMLANE_API_KEY": "mlk_of_no_use"}
        return CliRunner().invoke(group, [*arguments, "--url", url], env=environment, **more)

    return invoke


def test_a_tenant_is_made_and_its_key_opens_it(run, host):
    made = run(tenants, "create", "acme", "--name", "Acme")
    secret = run(keys_group, "create", "--tenant", "acme", "--label", "x", "--space", "a", "--days", "2").stdout.strip()

    assert (made.exit_code, made.stdout) == (0, "acme  in use  Acme\n")
    caller = keys.resolve(host, secret)
    assert (caller.tenant, caller.spaces) == ("acme", ("a",))


def test_a_key_is_rotated_ended_later_and_revoked(run, host):
    first = json.loads(run(keys_group, "create", "--label", "x", "--json").stdout)
    second = json.loads(run(keys_group, "rotate", first["id"], "--overlap-hours", "1", "--json").stdout)

    assert keys.resolve(host, first["secret"]).tenant == keys.resolve(host, second["secret"]).tenant == "default"
    assert "ends at" in run(keys_group, "expire", second["id"], "--days", "3").stdout
    assert run(keys_group, "revoke", second["id"]).stdout == f"{second['id']} is revoked.\n"
    listed = json.loads(run(keys_group, "list", "--json").stdout)
    assert [(one["id"], one["state"], one["replaces"]) for one in listed] == [
        (first["id"], "valid", None), (second["id"], "revoked", first["id"])
    ]  # fmt: skip


def test_the_people_of_a_tenant_are_named(run):
    run(tenants, "create", "acme")
    person = ("--role", "editor", "--email", "a@b.org")
    added = json.loads(run(tenants, "members", "add", "acme", *person, "--json").stdout)
    run(tenants, "members", "role", "acme", added[0]["id"], "reader")

    listed = json.loads(run(tenants, "members", "list", "acme", "--json").stdout)
    assert [(one["email"], one["role"]) for one in listed] == [("a@b.org", "reader")]
    assert run(tenants, "members", "remove", "acme", added[0]["id"]).exit_code == 0
    assert json.loads(run(tenants, "members", "list", "acme", "--json").stdout) == []
    assert run(tenants, "members", "remove", "acme", added[0]["id"]).exit_code == 4
    told = json.loads(run(tenants, "changes", "--json").stdout)
    assert [one["action"] for one in told][:3] == ["member.removed", "member.changed", "member.added"]


@pytest.mark.parametrize("key", ["mla_wrong", "", "local"])
def test_without_the_admin_key_nothing_is_done(run, key):
    for group, arguments in ((tenants, ("list",)), (keys_group, ("list",)), (tenants, ("create", "acme"))):
        refused = run(group, *arguments, key=key)
        assert refused.exit_code == 1
        assert "Traceback" not in refused.output


def test_the_key_of_a_tenant_is_never_sent_in_place_of_the_admin_key(host, url):
    person = keys.create(host, label="x", actor_kind="person").secret
    environment = {"MEMLANE_ADMIN_KEY": "", "MEMLANE_API_KEY": person}

    assert CliRunner().invoke(tenants, ["list", "--url", url], env=environment).exit_code == 1


def test_a_disabled_tenant_is_shown_as_such_and_unknown_ones_are_not_found(run):
    run(tenants, "create", "acme")

    assert "disabled" in run(tenants, "disable", "acme").stdout
    assert "in use" in run(tenants, "enable", "acme").stdout
    assert run(tenants, "rename", "acme", "Ours").stdout == "acme  in use  Ours\n"
    assert run(tenants, "disable", "nobody").exit_code == 4
    assert run(tenants, "create", "acme").exit_code == 4
    assert run(keys_group, "revoke", "key_none").exit_code == 4


def test_another_admin_key_is_made_on_the_folder_and_ends_the_first(run, host, tmp_path):
    arguments = ["admin", "--data-dir", str(tmp_path)]
    assert CliRunner().invoke(keys_group, arguments, input="n\n").exit_code == 1
    assert run(tenants, "list").exit_code == 0

    made = CliRunner().invoke(keys_group, [*arguments, "--yes"])

    assert made.stdout.startswith("mla_")
    assert run(tenants, "list").exit_code == 1
    assert run(tenants, "list", key=made.stdout.strip()).exit_code == 0
