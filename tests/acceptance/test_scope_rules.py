"""The rules of scope and of keys, one test for each sentence, on a stack as people start it."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from ops.child import ROOT
from ops.launched import Launched, wait_until
from ops.parts import free_ports

Call = Callable[..., requests.Response]


@pytest.fixture
def call(stack: Launched) -> Call:
    """Ask the stack, with a key or as the person at this machine."""

    def ask(method: str, path: str, key: str | None = None, **more: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        headers |= more.pop("headers", {})
        return stack.http.request(method, stack.url + path, headers=headers, timeout=60, **more)

    return ask


@pytest.fixture
def tenant(call: Call, space: str) -> str:
    """A tenant of the test's own."""
    name = "t" + hashlib.sha256(space.encode()).hexdigest()[:20]
    assert call("POST", "/v1/admin/tenants", json={"id": name}).status_code == 201
    return name


@pytest.fixture
def key(call: Call, tenant: str) -> Callable[..., str]:
    """Make a key of that tenant."""

    def make(**limits: Any) -> str:
        made = call("POST", f"/v1/admin/tenants/{tenant}/keys", json={"label": "test", **limits})
        assert made.status_code == 201, made.text
        secret: str = made.json()["secret"]
        return secret

    return make


def add(call: Call, content: str, key: str, **fields: Any) -> dict[str, Any]:
    """Hand in a document and wait for it."""
    answer = call("POST", "/v3/documents", key, json={"content": content, "wait": True, **fields})
    assert answer.status_code in (200, 202), answer.text
    made: dict[str, Any] = answer.json()
    wait_until(
        lambda: call("GET", f"/v1/jobs/{made['jobId']}", key).json()["state"] not in ("queued", "running"),
        seconds=60, what="the document is done",
    )  # fmt: skip
    return made


def contents(call: Call, key: str, **fields: Any) -> list[str]:
    answer = call("POST", "/v3/documents/list", key, json={"includeContent": True, **fields})
    return sorted(one["content"] for one in answer.json()["memories"])


def test_an_absent_tag_is_the_space_default_never_all(call: Call, key: Any) -> None:
    secret = key()
    add(call, "In the default space.", secret)
    add(call, "In a space with a name.", secret, containerTag="named")

    assert contents(call, secret) == contents(call, secret, containerTag="default") == ["In the default space."]
    found = call("POST", "/v3/search", secret, json={"q": "In a space with a name."}).json()["results"]
    assert {one["title"] for one in found} <= {None, ""} or all("name" not in str(one["chunks"]) for one in found)


def test_no_tag_is_a_wildcard(call: Call, key: Any) -> None:
    secret = key()
    add(call, "In a space with a name.", secret, containerTag="named")

    for tag in ("nam*", "n_med", "name%", "NAMED"):
        assert contents(call, secret, containerTag=tag) == []
    for tag in ("*", "%", ""):  # a name has a letter or a digit
        assert call("POST", "/v3/documents/list", secret, json={"containerTag": tag}).status_code == 400


def test_a_write_names_one_space(call: Call, key: Any) -> None:
    for path, body in (
        ("/v3/documents", {"content": "x"}),
        ("/v4/memories", {"memories": [{"content": "x"}]}),
        ("/v4/conversations", {"conversationId": "c", "messages": [{"role": "user", "content": "x"}]}),
    ):
        refused = call("POST", path, key(), json={**body, "containerTags": ["a", "b"]})
        assert (refused.status_code, refused.json()["code"]) == (400, "one_space"), path


def test_a_read_may_name_several(call: Call, key: Any) -> None:
    secret = key()
    for tag in ("a", "b", "c"):
        add(call, f"In {tag}.", secret, containerTag=tag)

    assert contents(call, secret, containerTags=["a", "c"]) == ["In a.", "In c."]


def test_a_row_of_a_user_is_returned_only_to_who_names_it_or_is_not_bound(call: Call, key: Any) -> None:
    open_key, ana, bo = key(), key(user="ana"), key(user="bo")
    made = add(call, "A note of Ana.", open_key, userId="ana")
    add(call, "A note of nobody.", open_key)

    assert contents(call, ana) == contents(call, open_key) == ["A note of Ana.", "A note of nobody."]
    assert contents(call, open_key, userId="ana") == ["A note of Ana.", "A note of nobody."]
    assert contents(call, bo) == contents(call, open_key, userId="bo") == ["A note of nobody."]
    assert call("GET", f"/v3/documents/{made['id']}", bo).status_code == 404
    assert call("GET", f"/v1/jobs/{made['jobId']}", bo).status_code == 404
    assert call("POST", f"/v1/jobs/{made['jobId']}/cancel", bo).status_code == 404
    assert call("GET", f"/v1/jobs/{made['jobId']}", ana).status_code == 200


@pytest.mark.parametrize("field", ["agentId", "sessionId"])
def test_so_is_a_row_of_an_agent_or_a_session(call: Call, key: Any, field: str) -> None:
    secret = key()
    add(call, "A note of one.", secret, **{field: "one"})

    assert contents(call, secret) == contents(call, secret, **{field: "one"}) == ["A note of one."]
    assert contents(call, secret, **{field: "other"}) == []


def test_every_list_count_job_change_and_export_is_limited_to_the_spaces_of_the_key(call: Call, key: Any) -> None:
    everything, inside = key(actor="person"), key(spaces=["inside"], actor="person")
    add(call, "# Wombat\n\nThe wombat sleeps in the garden.", everything, containerTag="inside")
    add(call, "# Okapi\n\nThe okapi drinks at the river.", everything, containerTag="outside")
    for tag, fact in (("inside", "The wombat is brown."), ("outside", "The okapi is shy.")):
        wrote = call("POST", "/v4/memories", everything, json={"memories": [{"content": fact}], "containerTag": tag})
        assert wrote.status_code in (200, 201, 202), wrote.text

    reads = ("/v1/jobs", "/v3/jobs", "/v1/changes", "/v1/spaces", "/v1/stats", "/v1/conflicts", "/v1/sessions",
             "/v1/export", "/v3/documents/processing", "/v1/lanes", "/v1/nodes", "/v1/health")  # fmt: skip
    seen = {path: call("GET", path, inside) for path in reads}

    for path, answer in seen.items():
        assert answer.status_code in (200, 403), (path, answer.text)
        assert not re.search(r"okapi|outside", answer.text, re.IGNORECASE), path
    assert seen["/v1/stats"].json()["documents"] == 1
    assert (
        seen["/v1/stats"].json()["memories"]["live"] < call("GET", "/v1/stats", everything).json()["memories"]["live"]
    )
    assert [one["name"] for one in seen["/v1/spaces"].json()["spaces"]] == ["inside"]
    assert "okapi" in call("GET", "/v1/export", everything).text.lower(), "The owner is told."


def test_a_space_the_key_may_not_use_is_refused_whether_it_is_there_or_not(call: Call, key: Any) -> None:
    everything, inside = key(), key(spaces=["inside"])
    add(call, "In outside.", everything, containerTag="outside")

    told = [call("POST", "/v3/documents/list", inside, json={"containerTag": tag}) for tag in ("outside", "nowhere")]

    assert [one.status_code for one in told] == [403, 403]
    assert told[0].json() == told[1].json()


def test_on_loopback_the_person_at_this_machine_needs_no_key(call: Call, space: str) -> None:
    assert call("GET", "/v3/documents", params={"containerTag": space}).status_code == 200


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_a_web_page_is_not_that_person(call: Call, headers: dict[str, str]) -> None:
    assert call("GET", "/v3/documents", headers=headers).status_code == 403


def test_any_other_address_refuses_to_start_without_keys(tmp_path: Path) -> None:
    port, nowhere = free_ports(2)
    environment = {**os.environ, "MEMLANE_DATA_DIR": str(tmp_path), "MEMLANE_PORT": str(port),
                   "MEMLANE_HOST": "0.0.0.0", "REDIS_URL": f"redis://127.0.0.1:{nowhere}/0"}  # fmt: skip
    ended = subprocess.run([sys.executable, "-m", "api"], cwd=ROOT, env=environment, timeout=60, capture_output=True,
                           text=True)  # fmt: skip

    assert ended.returncode == 78
    assert "memlane keys create" in ended.stderr
    assert "mla_" not in ended.stderr, "A server that does not start shows no admin key."


def test_keys_are_stored_hashed(stack: Launched, key: Any) -> None:
    secret = key()
    kept = b"".join(path.read_bytes() for path in stack.data_dir.rglob("control.db*"))

    assert secret.encode() not in kept
    assert hashlib.sha256(secret.encode()).hexdigest().encode() in kept


def test_a_key_belongs_to_one_tenant(call: Call, key: Any, tenant: str) -> None:
    secret = key()
    made = add(call, "Of this tenant.", secret)

    assert call("GET", f"/v3/documents/{made['id']}", secret).status_code == 200
    unknown = call("GET", f"/v3/documents/{made['id'][:-6]}ZZZZZZ")
    other = call("GET", f"/v3/documents/{made['id']}")
    assert (other.status_code, unknown.status_code) == (404, 404)
    assert other.json()["error"].replace(made["id"], "") == unknown.json()["error"].replace(
        f"{made['id'][:-6]}ZZZZZZ", ""
    )
    for named in ("default", "nobody"):
        assert call("GET", "/v3/documents", secret, headers={"X-Memlane-Tenant": named}).status_code == 403


def test_a_key_may_be_limited_to_reading(call: Call, key: Any) -> None:
    secret = key(read_only=True)

    assert call("GET", "/v3/documents", secret).status_code == 200
    assert call("POST", "/v3/documents", secret, json={"content": "x"}).status_code == 403


def test_a_key_can_expire(call: Call, key: Any, tenant: str) -> None:
    secret = key()
    (made,) = call("GET", f"/v1/admin/tenants/{tenant}/keys").json()["keys"]
    path = f"/v1/admin/tenants/{tenant}/keys/{made['id']}"
    assert call("PATCH", path, json={"expires_in_seconds": 1}).status_code == 200

    wait_until(lambda: call("GET", "/v3/documents", secret).status_code == 401, seconds=10, what="the key ends")


def test_the_admin_key_is_shown_once_and_no_key_is_in_the_log(call: Call, stack: Launched, key: Any) -> None:
    secret = key()
    call("GET", "/v3/documents", secret)
    call("GET", "/v1/admin/tenants", secret)
    call("GET", "/v3/documents", "mlk_wrong_but_secret")
    log = stack.log.read_text(encoding="utf-8", errors="replace")

    assert len(re.findall(r"mla_[\w-]{20,}", log)) == 1
    assert "mlk_" not in log


def test_no_key_is_in_the_arguments_or_the_environment_of_a_process(stack: Launched, key: Any) -> None:
    secret = key()
    log = stack.log.read_text(encoding="utf-8", errors="replace")
    (shown,) = re.findall(r"mla_[\w-]{20,}", log)

    family = [stack.supervisor(), *stack.supervisor().children(recursive=True)]
    assert len(family) > 3
    for process in family:
        told = " ".join((*process.cmdline(), *process.environ().values()))
        assert secret not in told
        assert shown not in told


def test_a_key_is_used_and_said_to_be(call: Call, key: Any, tenant: str) -> None:
    secret = key()
    before = time.time()
    call("GET", "/v3/documents", secret)

    def used() -> Any:
        return call("GET", f"/v1/admin/tenants/{tenant}/keys").json()["keys"][0]["last_used_at"]

    assert wait_until(used, seconds=10, what="the use is kept") >= time.strftime("%Y-%m-%dT%H:%M", time.gmtime(before))
