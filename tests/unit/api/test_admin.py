"""The control plane: who is let in, what it makes and ends, and that its keys and those of the data never meet."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from services import admin, keys
from tests.shape import assert_refused

TENANTS = "/v1/admin/tenants"


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def root(host):
    """The header of the admin key."""
    return bearer(admin.first_key(host))


@pytest.fixture
def acme(client):
    return client.post(TENANTS, json={"id": "acme", "name": "Acme"}).get_json()["id"]


def make_key(client, tenant="acme", headers=None, **fields):
    made = client.post(f"{TENANTS}/{tenant}/keys", json={"label": "x", **fields}, headers=headers)
    assert made.status_code == 201, made.get_data(as_text=True)
    return made.get_json()


class TestWhoAdministers:
    def test_the_person_at_this_machine(self, client):
        assert client.get(TENANTS).status_code == 200

    @pytest.mark.parametrize(
        ("name", "value"),
        [("Origin", "http://localhost"), ("Origin", "http://evil.example"), ("Origin", "null"),
         ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site"),
         ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"), ("Referer", "http://localhost/console")],
    )  # fmt: skip
    def test_no_web_page_not_even_one_of_this_server(self, client, name, value):
        for refused in (client.get(TENANTS, headers={name: value}),
                        client.post(TENANTS, json={"id": "acme"}, headers={name: value})):  # fmt: skip
            assert_refused(refused, 403, field=name)
        assert [one["id"] for one in client.get(TENANTS).get_json()["tenants"]] == ["default"]

    def test_a_page_that_has_the_admin_key_may(self, client, root):
        headers = {**root, "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}

        assert client.get(TENANTS, headers=headers).status_code == 200

    @pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-Ip", "X-Forwarded-Host"])
    def test_no_proxy(self, client, name):
        assert_refused(client.get(TENANTS, headers={name: "10.0.0.9"}), 401)

    def test_no_name_that_was_pointed_here(self, client):
        assert_refused(client.get(TENANTS, headers={"Host": "evil.example"}), 403, field="Host")

    def test_nobody_from_elsewhere(self, client):
        assert_refused(client.get(TENANTS, environ_base={"REMOTE_ADDR": "10.0.0.9"}), 401)

    def test_nobody_without_the_key_where_others_can_reach(self, public, root):
        assert_refused(public.get(TENANTS), 401)
        assert public.get(TENANTS, headers=root).status_code == 200

    def test_nobody_without_the_key_where_everybody_needs_one(self, keyed, root):
        assert_refused(keyed.get(TENANTS), 401)
        assert_refused(keyed.get("/v3/documents"), 401)
        assert keyed.get(TENANTS, headers=root).status_code == 200


class TestTwoPlanes:
    def test_a_key_of_data_is_unknown_to_the_control_plane(self, public, host, root):
        person = keys.create(host, label="all there is", actor_kind="person").secret

        answers = [public.get(TENANTS, headers=bearer(one)) for one in (person, "mla_unknown", "mlk_unknown", "x")]

        assert len({assert_refused(one, 401)["error"] for one in answers}) == 1

    def test_an_admin_key_is_unknown_to_the_data(self, public, root):
        known = public.get("/v3/documents", headers=root)
        unknown = public.get("/v3/documents", headers=bearer("mlk_unknown"))

        assert assert_refused(known, 401) == assert_refused(unknown, 401)

    @pytest.mark.parametrize("path", [TENANTS, f"{TENANTS}/acme", f"{TENANTS}/nobody", f"{TENANTS}/acme/keys"])
    def test_a_stranger_learns_of_no_tenant(self, public, host, client, acme, path):
        stranger = public.get(path)
        assert assert_refused(stranger, 401) == assert_refused(public.get(f"{TENANTS}/zzz"), 401)

    def test_the_hash_of_a_key_opens_nothing(self, public, host, root):
        made = keys.create(host, label="a")
        hashed = keys.hash_of(root["Authorization"].split()[1])

        assert_refused(public.get(TENANTS, headers=bearer(hashed)), 401)
        assert_refused(public.get("/v3/documents", headers=bearer(made.key.key_hash)), 401)


class TestAdminKey:
    def test_it_is_made_once_however_many_ask_at_once(self, host):
        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(lambda _: admin.first_key(host), range(8)))

        assert len([one for one in made if one is not None]) == 1

    def test_another_one_ends_it(self, public, host, root):
        new = bearer(admin.renew(host))

        assert_refused(public.get(TENANTS, headers=root), 401)
        assert public.get(TENANTS, headers=new).status_code == 200
        assert admin.first_key(host) is None

    def test_only_its_hash_is_kept(self, host, tmp_path, root):
        secret = root["Authorization"].split()[1]
        host.store.close()
        files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

        assert len(secret) > 40
        assert secret.encode() not in files
        assert keys.hash_of(secret).encode() in files


class TestTenants:
    def test_a_tenant_is_made_listed_renamed(self, client, acme):
        assert client.patch(f"{TENANTS}/acme", json={"name": "Acme Ltd"}).get_json()["name"] == "Acme Ltd"
        assert client.get(f"{TENANTS}/acme").get_json()["name"] == "Acme Ltd"
        assert {one["id"] for one in client.get(TENANTS).get_json()["tenants"]} == {"acme", "default"}

    def test_pages_hold_each_once(self, client):
        for number in range(7):
            client.post(TENANTS, json={"id": f"t{number}"})
        seen, cursor = [], None
        while True:
            page = client.get(TENANTS, query_string={"limit": 3, **({"cursor": cursor} if cursor else {})}).get_json()
            seen += [one["id"] for one in page["tenants"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break

        assert sorted(seen) == ["default", *(f"t{number}" for number in range(7))]

    def test_one_there_is_already_is_a_conflict(self, client, acme):
        assert_refused(client.post(TENANTS, json={"id": "acme"}), 409, field="id")

    @pytest.mark.parametrize(
        "name", ["../x", "A", "a b", "", "-a", "a" * 64, "control.db", "a/b", "\u0430cme", "con\n"]
    )
    def test_an_id_that_could_be_a_path_is_refused(self, client, name):
        assert_refused(client.post(TENANTS, json={"id": name}), 400)
        assert {one["id"] for one in client.get(TENANTS).get_json()["tenants"]} == {"default"}

    @pytest.mark.parametrize("path", ["nobody", "..%2f..%2fetc", "ACME", "%00"])
    def test_a_tenant_there_is_not_is_not_found(self, client, path):
        for answer in (client.get(f"{TENANTS}/{path}"), client.get(f"{TENANTS}/{path}/keys"),
                       client.post(f"{TENANTS}/{path}/keys", json={"label": "x"}),
                       client.patch(f"{TENANTS}/{path}", json={"name": "x"})):  # fmt: skip
            assert_refused(answer, 404)

    def test_a_key_never_makes_a_tenant(self, client, host):
        assert_refused(client.post(f"{TENANTS}/nobody/keys", json={"label": "x"}), 404)
        assert host.store.tenants() == ["default"]

    def test_keys_of_a_tenant_out_of_use_are_unknown_until_it_is_back(self, client, public, acme):
        header = bearer(make_key(client)["secret"])
        made = public.post("/v3/documents", json={"content": "kept"}, headers=header).get_json()["id"]

        assert client.patch(f"{TENANTS}/acme", json={"disabled": True}).get_json()["disabled"]
        refused = public.get("/v3/documents", headers=header)
        assert assert_refused(refused, 401) == assert_refused(
            public.get("/v3/documents", headers=bearer("mlk_unknown")), 401
        )
        client.patch(f"{TENANTS}/acme", json={"disabled": False})
        assert public.get(f"/v3/documents/{made}", headers=header).status_code == 200

    def test_the_tenant_of_this_machine_can_be_out_of_use_too(self, client):
        client.patch(f"{TENANTS}/default", json={"disabled": True})

        assert_refused(client.get("/v3/documents"), 401)
        client.patch(f"{TENANTS}/default", json={"disabled": False})
        assert client.get("/v3/documents").status_code == 200


class TestKeys:
    def test_a_key_does_what_it_was_made_for(self, client, public, acme):
        made = make_key(client, spaces=["a", "a", "b"], read_only=True, actor="person")
        header = bearer(made["secret"])

        assert made["spaces"] == ["a", "b"]
        assert public.get("/v3/documents?containerTag=a", headers=header).status_code == 200
        assert_refused(public.get("/v3/documents?containerTag=c", headers=header), 403)
        assert_refused(public.post("/v3/documents", json={"content": "x", "containerTag": "a"}, headers=header), 403)

    def test_a_secret_is_answered_once(self, client, acme):
        made = make_key(client)

        told = [client.get(f"{TENANTS}/acme/keys"), client.get(f"{TENANTS}/acme/keys/{made['id']}"),
                client.get("/v1/admin/changes"),
                client.patch(f"{TENANTS}/acme/keys/{made['id']}", json={"label": "y"}),
                client.delete(f"{TENANTS}/acme/keys/{made['id']}")]  # fmt: skip
        for answer in told:
            text = answer.get_data(as_text=True)
            assert answer.status_code == 200
            assert made["secret"] not in text
            assert keys.hash_of(made["secret"]) not in text

    def test_a_repeated_request_makes_one_key_and_tells_the_secret_once(self, client, acme):
        headers = {"Idempotency-Key": "k-1"}
        first = make_key(client, headers=headers)
        second = make_key(client, headers=headers)

        assert second["id"] == first["id"]
        assert (first["secret"] is not None, second["secret"]) == (True, None)
        assert second["warning"]
        assert client.get(f"{TENANTS}/acme/keys").get_json()["total"] == 1
        other = client.post(f"{TENANTS}/acme/keys", json={"label": "other"}, headers=headers)
        assert_refused(other, 409, code="idempotency_mismatch")

    def test_requests_at_once_with_one_idempotency_key_make_one_key(self, app, client, acme):
        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(
                lambda _: make_key(app.test_client(), headers={"Idempotency-Key": "k"}), range(6)
            ))  # fmt: skip

        assert len({one["id"] for one in made}) == 1
        assert len([one for one in made if one["secret"]]) == 1

    def test_two_administrators_do_not_share_idempotency_keys(self, client, root, acme):
        make_key(client, headers={"Idempotency-Key": "k"})

        other = client.post(f"{TENANTS}/acme/keys", json={"label": "x"}, headers={**root, "Idempotency-Key": "k"})

        assert_refused(other, 409, code="idempotency_mismatch")

    def test_a_rotated_key_hands_on_its_limits_and_ends(self, client, public, acme):
        old = make_key(client, spaces=["a"], read_only=True, user="ana", agent="bot", actor="service")
        new = client.post(f"{TENANTS}/acme/keys/{old['id']}/rotate").get_json()

        same = ("spaces", "read_only", "user", "agent", "actor", "label", "expires_at", "tenant")
        assert {name: new[name] for name in same} == {name: old[name] for name in same}
        assert new["replaces"] == old["id"]
        assert_refused(public.get("/v3/documents?containerTag=a", headers=bearer(old["secret"])), 401)
        assert public.get("/v3/documents?containerTag=a", headers=bearer(new["secret"])).status_code == 200

    def test_a_rotated_key_may_live_on_for_a_while(self, client, public, host, acme):
        old = make_key(client)
        new = client.post(f"{TENANTS}/acme/keys/{old['id']}/rotate", json={"overlap_seconds": 60}).get_json()

        host.clock.advance(59.9)
        for one in (old, new):
            assert public.get("/v3/documents", headers=bearer(one["secret"])).status_code == 200
        host.clock.advance(0.1)
        assert_refused(public.get("/v3/documents", headers=bearer(old["secret"])), 401)
        assert public.get("/v3/documents", headers=bearer(new["secret"])).status_code == 200

    def test_an_overlap_never_makes_a_key_live_longer(self, client, public, host, acme):
        old = make_key(client)
        client.patch(f"{TENANTS}/acme/keys/{old['id']}", json={"expires_in_seconds": 10})
        new = client.post(f"{TENANTS}/acme/keys/{old['id']}/rotate", json={"overlap_seconds": 3600}).get_json()

        host.clock.advance(10)
        for one in (old, new):
            assert_refused(public.get("/v3/documents", headers=bearer(one["secret"])), 401)

    def test_a_key_that_was_rotated_is_not_brought_back(self, client, acme):
        old = make_key(client)
        path = f"{TENANTS}/acme/keys/{old['id']}"
        client.post(f"{path}/rotate", json={"overlap_seconds": 60})

        assert_refused(client.post(f"{path}/rotate"), 409)
        assert_refused(client.patch(path, json={"expires_in_seconds": 9_999}), 409, field="expires_at")

    @pytest.mark.parametrize("end", ["revoked", "expired"])
    def test_a_key_that_has_ended_is_not_brought_back(self, client, host, acme, end):
        old = make_key(client)
        path = f"{TENANTS}/acme/keys/{old['id']}"
        if end == "revoked":
            client.delete(path)
        else:
            client.patch(path, json={"expires_in_seconds": 1})
            host.clock.advance(1)

        assert client.get(path).get_json()["state"] == end
        assert_refused(client.post(f"{path}/rotate"), 409)
        assert_refused(client.patch(path, json={"expires_in_seconds": 60}), 409, field="expires_at")

    def test_a_key_of_an_erased_user_does_not_come_back_without_what_bound_it(self, client, host, acme):
        old = make_key(client, user="ana")
        from store import keys as stored

        with host.store.control_write() as tx:
            stored.revoke_bound(tx, tenant="acme", user="ana", at=host.clock())

        assert_refused(client.post(f"{TENANTS}/acme/keys/{old['id']}/rotate"), 409)

    @pytest.mark.parametrize(("method", "suffix", "body"), [("GET", "", None), ("DELETE", "", None),
                                                            ("PATCH", "", {"label": "y"}),
                                                            ("POST", "/rotate", {})])  # fmt: skip
    def test_a_key_is_reached_through_its_own_tenant_only(self, client, acme, method, suffix, body):
        client.post(TENANTS, json={"id": "other"})
        key = make_key(client)

        there = client.open(f"{TENANTS}/other/keys/{key['id']}{suffix}", method=method, json=body)
        unknown = client.open(f"{TENANTS}/other/keys/key_unknown{suffix}", method=method, json=body)

        assert (
            assert_refused(there, 404)["error"].replace(key["id"], "key_unknown")
            == assert_refused(unknown, 404)["error"]
        )
        assert client.get(f"{TENANTS}/acme/keys/{key['id']}").get_json()["state"] == "valid"

    @pytest.mark.parametrize(
        ("fields", "field"),
        [({"label": ""}, "label"), ({"spaces": []}, "spaces"), ({"spaces": [""]}, "spaces[0]"),
         ({"expires_at": "2020-01-01"}, "expires_at"), ({"expires_at": "soon"}, "expires_at"),
         ({"actor": "dream"}, "actor"), ({"read_only": "yes"}, "read_only"), ({"tenant": "other"}, "tenant"),
         ({"secret": "mlk_mine"}, "secret"), ({"key_hash": "0" * 64}, "key_hash")],
    )  # fmt: skip
    def test_a_key_that_makes_no_sense_is_not_made(self, client, acme, fields, field):
        answer = client.post(f"{TENANTS}/acme/keys", json={"label": "x", **fields})

        told = assert_refused(answer, 400)["details"]["field"]
        assert told in (field, "spaces")
        assert client.get(f"{TENANTS}/acme/keys").get_json()["total"] == 0

    def test_the_last_use_of_a_key_is_kept_within_a_minute(self, keeping, host, acme):
        client, uses = keeping
        made = make_key(client)
        header = bearer(made["secret"])

        client.get("/v3/documents", headers=header)
        uses.write()
        first = client.get(f"{TENANTS}/acme/keys/{made['id']}").get_json()["last_used_at"]
        host.clock.advance(59)
        client.get("/v3/documents", headers=header)
        uses.write()
        assert client.get(f"{TENANTS}/acme/keys/{made['id']}").get_json()["last_used_at"] == first
        host.clock.advance(2)
        client.get("/v3/documents", headers=header)
        uses.write()
        assert client.get(f"{TENANTS}/acme/keys/{made['id']}").get_json()["last_used_at"] > first


def test_every_change_says_who_made_it_and_none_holds_a_secret(client, root, acme):
    made = make_key(client, headers=root)
    client.delete(f"{TENANTS}/acme/keys/{made['id']}")

    changes = client.get("/v1/admin/changes").get_json()["changes"]

    told = [(one["action"], one["actor"]["kind"], one["tenant"]) for one in changes]
    assert told[:3] == [("key.revoked", "person", "acme"), ("key.created", "service", "acme"),
                        ("tenant.created", "person", "acme")]  # fmt: skip


def test_no_key_is_in_the_log_of_any_request(client, root, acme, caplog):
    with caplog.at_level(logging.DEBUG):
        made = make_key(client, headers=root)
        header = bearer(made["secret"])
        rotated = client.post(f"{TENANTS}/acme/keys/{made['id']}/rotate", headers=root).get_json()
        for path in ("/v3/documents", "/v1/health", TENANTS, "/nowhere", "/v1/jobs/job_1"):
            for headers in (header, root, bearer("mlk_wrong_secret"), {"Authorization": "Basic bXktc2VjcmV0"}):
                client.get(path, headers=headers)
                client.post(path, data=b"{", headers=headers)

    assert len(caplog.records) > 40
    secrets = [made["secret"], rotated["secret"], root["Authorization"].split()[1], "mlk_wrong_secret", "bXktc2VjcmV0"]
    hashes = [keys.hash_of(one) for one in secrets[:3]]
    assert [one for one in (*secrets, *hashes) if one in caplog.text] == []
