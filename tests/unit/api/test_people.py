"""People whom an issuer signs in: members of tenants with a role, owners and administrators."""

from dataclasses import replace

import pytest

from api.app import create_app
from services import keys, oidc
from tests.issuer import AUDIENCE, NAME, FakeIssuer
from tests.shape import assert_refused

ISSUER = FakeIssuer()
TENANTS = "/v1/admin/tenants"


@pytest.fixture
def issuer():
    return ISSUER.begin_anew()


@pytest.fixture
def web(host, issuer):
    """A server that other machines reach, where an issuer signs people in."""
    settings = replace(host.settings, host="0.0.0.0", oidc_issuer=NAME, oidc_audience=AUDIENCE, oidc_admins="root")
    signing_in = oidc.configured(settings, host.clock, fetch=issuer.jwks)
    return create_app(replace(host, settings=settings, issuer=signing_in)).test_client()


@pytest.fixture
def signed_in(host, issuer):
    """Headers of somebody who has signed in."""

    def header(subject="ada", tenant=None, **claims):
        token = issuer.token(host.clock() / 1e6, sub=subject, **claims)
        return {"Authorization": f"Bearer {token}", **({"X-Memlane-Tenant": tenant} if tenant else {})}

    return header


@pytest.fixture
def root(signed_in):
    return signed_in("root")


@pytest.fixture
def two(web, root):
    """Tenants a and b."""
    for one in ("a", "b"):
        assert web.post(TENANTS, json={"id": one}, headers=root).status_code == 201


def join(web, root, tenant, role, **named):
    made = web.post(f"{TENANTS}/{tenant}/members", json={"role": role, **named}, headers=root)
    assert made.status_code == 201, made.get_data(as_text=True)
    return made.get_json()


def add(web, headers, content="a note"):
    return web.post("/v3/documents", json={"content": content}, headers=headers)


class TestRoles:
    @pytest.mark.parametrize(("role", "status"), [("owner", 202), ("editor", 202), ("reader", 403)])
    def test_what_a_member_may_write(self, web, root, signed_in, two, role, status):
        join(web, root, "a", role, subject="ada")

        assert add(web, signed_in()).status_code == status
        assert web.get("/v3/documents", headers=signed_in()).status_code == 200

    def test_a_member_acts_as_a_person_named_by_the_membership(self, web, root, signed_in, two):
        member = join(web, root, "a", "editor", subject="ada")
        assert_refused(web.post("/v1/erasures", json={"kind": "document", "id": "doc_1"}, headers=signed_in()), 404)
        key = keys_header(web, root, "a")
        assert_refused(web.post("/v1/erasures", json={"kind": "document", "id": "doc_1"}, headers=key), 403,
                       code="person_only")  # fmt: skip
        assert member["id"].startswith("mbr_")

    @pytest.mark.parametrize(("role", "status"), [("owner", 202), ("editor", 403), ("reader", 403)])
    def test_only_an_owner_erases_what_goes_over_everything(self, web, root, signed_in, two, role, status):
        join(web, root, "a", role, subject="ada")

        answer = web.post("/v1/erasures", json={"kind": "tenant", "confirm": "a"}, headers=signed_in())

        assert answer.status_code == status, answer.get_data(as_text=True)

    def test_another_role_counts_from_the_next_request_on(self, web, root, signed_in, two):
        member = join(web, root, "a", "editor", subject="ada")
        path = f"{TENANTS}/a/members/{member['id']}"

        web.patch(path, json={"role": "reader"}, headers=root)
        assert_refused(add(web, signed_in()), 403)
        gone = web.delete(path, headers=root)
        assert (gone.status_code, gone.data) == (204, b"")
        assert "Content-Type" not in gone.headers
        assert_refused(web.get("/v3/documents", headers=signed_in()), 403)
        assert_refused(web.delete(path, headers=root), 404)


def keys_header(web, root, tenant):
    made = web.post(f"{TENANTS}/{tenant}/keys", json={"label": "x"}, headers=root).get_json()
    return {"Authorization": f"Bearer {made['secret']}"}


class TestWhichTenant:
    def test_the_only_one_needs_no_name(self, web, root, signed_in, two):
        join(web, root, "a", "editor", subject="ada")
        made = add(web, signed_in()).get_json()["id"]

        assert web.get(f"/v3/documents/{made}", headers=keys_header(web, root, "a")).status_code == 200

    def test_of_several_one_is_named(self, web, root, signed_in, two):
        for one in ("a", "b"):
            join(web, root, one, "editor", subject="ada")
        made = add(web, signed_in(tenant="b")).get_json()["id"]

        told = assert_refused(web.get("/v3/documents", headers=signed_in()), 400, field="X-Memlane-Tenant")
        assert "a, b" in told["details"]["hint"]
        assert web.get(f"/v3/documents/{made}", headers=signed_in(tenant="b")).status_code == 200
        assert_refused(web.get(f"/v3/documents/{made}", headers=signed_in(tenant="a")), 404)

    def test_one_that_is_not_theirs_and_one_there_is_not_are_told_apart_by_nobody(self, web, root, signed_in, two):
        join(web, root, "a", "editor", subject="ada")

        answers = [web.get("/v3/documents", headers=signed_in(tenant=one)) for one in ("b", "nobody", "../a", "A", "")]

        told = [assert_refused(one, 403) for one in answers[:4]]
        assert all(one == told[0] for one in told)

    def test_who_is_no_member_at_all_is_refused(self, web, root, signed_in, two):
        told = [assert_refused(web.get("/v3/documents", headers=signed_in("eve", tenant)), 403)
                for tenant in (None, "a", "nobody")]  # fmt: skip

        assert told[0] == told[1] == told[2]

    def test_an_administrator_reads_no_data(self, web, root, two):
        assert_refused(web.get("/v3/documents", headers=root), 403)
        assert_refused(web.get("/v3/documents", headers={**root, "X-Memlane-Tenant": "a"}), 403)

    def test_a_member_of_a_tenant_out_of_use_is_no_member(self, web, root, signed_in, two):
        join(web, root, "a", "owner", subject="ada")
        web.patch(f"{TENANTS}/a", json={"disabled": True}, headers=root)

        assert_refused(web.get("/v3/documents", headers=signed_in()), 403)
        assert_refused(web.get(TENANTS, headers=signed_in()), 403)

    def test_a_key_opens_its_own_tenant_whatever_the_header_says(self, web, root, two):
        key = keys_header(web, root, "a")
        told = [assert_refused(web.get("/v3/documents", headers={**key, "X-Memlane-Tenant": one}), 403)
                for one in ("b", "nobody")]  # fmt: skip

        assert told[0] == told[1]
        assert web.get("/v3/documents", headers={**key, "X-Memlane-Tenant": "a"}).status_code == 200

    def test_the_person_at_this_machine_has_one_tenant(self, client):
        client.post(TENANTS, json={"id": "a"})

        assert_refused(client.get("/v3/documents", headers={"X-Memlane-Tenant": "a"}), 403)


ADA = {"email": "ada@example.org", "email_verified": True}


class TestByAddress:
    def test_the_first_sign_in_is_the_person_and_nobody_after(self, web, root, signed_in, two):
        member = join(web, root, "a", "editor", email="Ada@Example.org")
        assert member["subject"] is None

        assert add(web, signed_in("ada-1", **ADA)).status_code == 202
        # the address was given to somebody else since
        assert_refused(add(web, signed_in("eve-2", **ADA)), 403)
        # and the person is still the same with another address
        assert add(web, signed_in("ada-1", email="new@example.org", email_verified=True)).status_code == 202
        assert web.get(f"{TENANTS}/a/members", headers=root).get_json()["members"][0]["subject"] == "ada-1"

    @pytest.mark.parametrize("claims", [{"email": "ada@example.org"}, {"email": "ada@example.org", "email_verified": 0},
                                        {"email": "ada@example.org.evil.test", "email_verified": True},
                                        {"email": "ada@example.org\u200b", "email_verified": True}])  # fmt: skip
    def test_an_address_that_is_not_verified_opens_nothing(self, web, root, signed_in, two, claims):
        join(web, root, "a", "editor", email="ada@example.org")

        assert_refused(add(web, signed_in("eve", **claims)), 403)

    def test_a_person_named_twice_has_the_role_of_the_subject(self, web, root, signed_in, two):
        join(web, root, "a", "owner", email="ada@example.org")
        join(web, root, "a", "reader", subject="ada")

        assert_refused(add(web, signed_in("ada", **ADA)), 403)

    @pytest.mark.parametrize(
        "named",
        [{}, {"subject": "a", "email": "a@b.org"}, {"email": "no address"}, {"email": "\u212ate@example.org"},
         {"subject": "a\nb"}, {"subject": " "}],
    )  # fmt: skip
    def test_who_is_not_named_is_no_member(self, web, root, two, named):
        assert_refused(web.post(f"{TENANTS}/a/members", json={"role": "owner", **named}, headers=root), 400)

    def test_a_member_is_made_once(self, web, root, two):
        join(web, root, "a", "reader", email="ada@example.org")

        again = web.post(f"{TENANTS}/a/members", json={"role": "owner", "email": "ADA@example.org"}, headers=root)

        assert_refused(again, 409)


class TestOwners:
    @pytest.fixture
    def owner(self, web, root, signed_in, two):
        join(web, root, "a", "owner", subject="ada")
        return signed_in()

    def test_an_owner_makes_keys_and_members_of_their_tenant(self, web, owner):
        assert web.post(f"{TENANTS}/a/keys", json={"label": "x"}, headers=owner).status_code == 201
        assert join(web, owner, "a", "reader", subject="bo")["role"] == "reader"
        assert [one["id"] for one in web.get(TENANTS, headers=owner).get_json()["tenants"]] == ["a"]

    @pytest.mark.parametrize(
        ("method", "suffix", "body"),
        [("GET", "", None), ("PATCH", "", {"name": "x"}), ("PATCH", "", {"disabled": True}),
         ("POST", "/keys", {"label": "x"}), ("GET", "/keys", None), ("GET", "/keys/key_1", None),
         ("DELETE", "/keys/key_1", None), ("POST", "/keys/key_1/rotate", {}), ("PATCH", "/keys/key_1", {"label": "y"}),
         ("POST", "/members", {"role": "owner", "subject": "ada"}), ("GET", "/members", None),
         ("PATCH", "/members/mbr_1", {"role": "owner"}), ("DELETE", "/members/mbr_1", None)],
    )  # fmt: skip
    def test_another_tenant_is_like_none(self, web, owner, method, suffix, body):
        theirs = web.open(f"{TENANTS}/b{suffix}", method=method, json=body, headers=owner)
        unknown = web.open(f"{TENANTS}/q{suffix}", method=method, json=body, headers=owner)

        assert assert_refused(theirs, 404)["error"].replace("'b'", "'q'") == assert_refused(unknown, 404)["error"]

    def test_an_owner_makes_no_tenant_and_takes_none_out_of_use(self, web, owner):
        assert_refused(web.post(TENANTS, json={"id": "mine"}, headers=owner), 403)
        assert_refused(web.patch(f"{TENANTS}/a", json={"disabled": True}, headers=owner), 403)
        assert web.patch(f"{TENANTS}/a", json={"name": "Ours"}, headers=owner).get_json()["name"] == "Ours"

    def test_an_owner_sees_the_changes_of_their_tenant_alone(self, web, root, owner):
        keys_header(web, root, "b")

        told = web.get("/v1/admin/changes", headers=owner).get_json()

        assert {one["tenant"] for one in told["changes"]} == {"a"}

    @pytest.mark.parametrize("role", ["editor", "reader"])
    def test_who_is_no_owner_administers_nothing(self, web, root, signed_in, two, role):
        join(web, root, "a", role, subject="bo")

        for path in (TENANTS, f"{TENANTS}/a", f"{TENANTS}/b", f"{TENANTS}/nobody", "/v1/admin/changes"):
            assert_refused(web.get(path, headers=signed_in("bo")), 403)

    def test_an_owner_is_no_owner_of_a_tenant_they_only_read(self, web, root, owner):
        join(web, root, "b", "reader", subject="ada")

        assert_refused(web.get(f"{TENANTS}/b", headers=owner), 404)


def test_a_token_is_no_key_where_nobody_is_signed_in(public, host, issuer):
    token = issuer.token(host.clock() / 1e6)
    told = [assert_refused(public.get(path, headers={"Authorization": f"Bearer {token}"}), 401)
            for path in ("/v3/documents", TENANTS)]  # fmt: skip

    assert "token" not in told[0]["error"]


def test_members_need_an_issuer(client):
    client.post(TENANTS, json={"id": "a"})

    assert_refused(client.post(f"{TENANTS}/a/members", json={"role": "owner", "subject": "x"}), 409)


def test_an_issuer_that_is_down_is_said_to_be_and_keys_work_on(web, host, issuer, signed_in):
    issuer.broken = OSError("down")

    refused = web.get("/v3/documents", headers=signed_in())
    assert_refused(refused, 503, code="issuer_down")
    assert int(refused.headers["Retry-After"]) > 0
    header = {"Authorization": f"Bearer {keys.create(host, label='x').secret}"}
    assert web.get("/v3/documents", headers=header).status_code == 200
