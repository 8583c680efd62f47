import pytest

from api.auth import is_loopback
from services import keys
from tests.shape import assert_refused


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def key(host):
    def make(**limits):
        return keys.create(host, label="test", **limits).secret

    return make


def test_person_at_this_machine_needs_no_key(client):
    assert client.get("/v3/documents").status_code == 200


@pytest.mark.parametrize("header", ["Bearer local", "bearer  local ", "Bearer ", ""])
def test_word_for_no_key_is_no_key(client, header):
    assert client.get("/v3/documents", headers={"Authorization": header}).status_code == 200


@pytest.mark.parametrize("header", ["Bearer mlk_wrong", "Bearer x", "Basic bWxr", "Token abc"])
def test_wrong_key_is_refused_on_loopback_too(client, header):
    response = client.get("/v3/documents", headers={"Authorization": header})

    assert_refused(response, 401, code="unauthenticated")
    assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "name", ["evil.example", "evil.example:8900", "127.0.0.1.evil.example", "0.0.0.0", "[::2]", "10.0.0.1"]
)
def test_page_that_points_its_own_name_here_is_refused(client, name):
    assert_refused(client.get("/v3/documents", headers={"Host": name}), 403, field="Host")


@pytest.mark.parametrize("name", ["127.0.0.1:8900", "localhost", "localhost:8900", "[::1]:8900", "127.1.2.3"])
def test_loopback_names_are_this_machine(client, name):
    assert client.get("/v3/documents", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost:3000", "https://127.0.0.1:8900", "http://127.0.0.1:1", ""],
)
def test_page_of_another_origin_is_refused(client, origin):
    headers = {"Host": "127.0.0.1:8900", "Origin": origin}

    assert_refused(client.post("/v4/search", json={"q": "a"}, headers=headers), 403, field="Origin")
    assert "Access-Control-Allow-Origin" not in client.options("/v4/search", headers=headers).headers


def test_page_of_this_server_is_let_in(client):
    headers = {"Host": "127.0.0.1:8900", "Origin": "http://127.0.0.1:8900"}

    assert client.get("/v3/documents", headers=headers).status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-Ip", "X-Forwarded-Host"])
def test_proxy_is_not_the_person_at_this_machine(client, header):
    assert_refused(client.get("/v3/documents", headers={header: "10.0.0.9"}), 401)


def test_connection_from_elsewhere_needs_a_key(client):
    assert_refused(client.get("/v3/documents", environ_base={"REMOTE_ADDR": "10.0.0.9"}), 401)


def test_public_server_asks_for_a_key_even_on_loopback(public, key):
    assert_refused(public.get("/v3/documents"), 401)
    assert_refused(public.get("/v3/documents", headers=bearer("local")), 401)
    assert public.get("/v3/documents", headers={**bearer(key()), "Host": "memory.example"}).status_code == 200


def test_health_says_one_word_to_strangers_and_more_to_callers(public, key):
    stranger = public.get("/v1/health").get_json()
    known = public.get("/v1/health", headers=bearer(key())).get_json()

    assert set(stranger) == {"status"}
    assert set(known) > {"status"}


def test_revoked_and_expired_keys_are_refused_with_the_words_of_unknown_ones(public, host, key):
    revoked = keys.create(host, label="gone")
    expired = key(expires_at=host.clock() + 1_000_000)
    assert public.get("/v3/documents", headers=bearer(expired)).status_code == 200

    keys.revoke(host, revoked.key.id)
    host.clock.advance(2)

    answers = [public.get("/v3/documents", headers=bearer(one)) for one in (revoked.secret, expired, "mlk_unknown")]
    assert len({assert_refused(answer, 401)["error"] for answer in answers}) == 1


def test_key_opens_its_own_tenant_only(public, key):
    a, b = bearer(key(tenant="tenant-a")), bearer(key(tenant="tenant-b"))

    made = public.post("/v3/documents", json={"content": "of a"}, headers=a).get_json()["id"]

    assert public.get(f"/v3/documents/{made}", headers=a).status_code == 200
    assert_refused(public.get(f"/v3/documents/{made}", headers=b), 404)
    assert public.get("/v3/documents", headers=b).get_json()["pagination"]["totalItems"] == 0


WRITES = [
    ("POST", "/v3/documents", {"content": "a"}),
    ("DELETE", "/v3/documents/doc_1", None),
    ("POST", "/v4/conversations", {"conversationId": "c", "messages": [{"role": "user", "content": "a"}]}),
    ("POST", "/v4/memories", {"memories": [{"content": "a"}]}),
    ("PATCH", "/v4/memories", {"id": "mem_1", "newContent": "b"}),
    ("DELETE", "/v4/memories", {"id": "mem_1"}),
    ("POST", "/v4/memories/forget-matching", {"query": "a"}),
    ("POST", "/v1/memories/mem_1/restore", {}),
    ("POST", "/v1/memories/restore", {"batch_id": "fgt_1"}),
    ("POST", "/v1/jobs/job_1/retry", {}),
    ("POST", "/v1/jobs/job_1/cancel", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_key_that_reads_only_writes_nothing(public, key, method, path, body):
    response = public.open(path, method=method, json=body, headers=bearer(key(read_only=True)))

    assert_refused(response, 403, code="forbidden")


def test_key_that_reads_only_may_read_and_preview(public, key):
    headers = bearer(key(read_only=True))
    preview = {"query": "a", "dryRun": True}

    assert public.post("/v4/search", json={"q": "a"}, headers=headers).status_code == 200
    assert public.post("/v4/memories/forget-matching", json=preview, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("name", "expected"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True), ("LOCALHOST", True), ("0.0.0.0", False),
     ("::", False), ("", False), ("localhost.evil.example", False), ("192.168.0.1", False)],
)  # fmt: skip
def test_loopback_is_told_apart(name, expected):
    assert is_loopback(name) is expected


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("bound", [{"user": "ann"}, {"agent": "helper"}])
def test_a_key_of_one_user_or_agent_leaves_the_buckets_of_the_space_alone(public, key, method, bound):
    body = {"key": "safety", **({"description": "Alarms"} if method == "PUT" else {})}

    response = public.open("/v1/profile/buckets", method=method, json=body, headers=bearer(key(**bound)))

    assert_refused(response, 403, code="forbidden")
