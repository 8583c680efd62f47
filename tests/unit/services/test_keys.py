import hashlib

import pytest

from memory.errors import InvalidInput, NotFound, Unauthenticated
from memory.records import Actor
from services import keys
from services.fakes import fake_host

DAY = 24 * 3600 * 1_000_000


@pytest.fixture
def host(tmp_path):
    one = fake_host(tmp_path, tenants=())
    yield one
    one.store.close()


def test_secret_is_shown_once_and_only_its_hash_is_kept(host, tmp_path):
    made = keys.create(host, label="laptop")
    host.store.close()

    assert made.secret.startswith("mlk_")
    assert len(made.secret) > 40
    assert made.key.key_hash == hashlib.sha256(made.secret.encode()).hexdigest()
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert made.secret.encode() not in files
    assert made.key.key_hash.encode() in files


def test_secrets_and_ids_differ(host):
    made = [keys.create(host, label="same") for _ in range(5)]

    assert len({one.secret for one in made}) == len({one.key.id for one in made}) == 5


def test_key_resolves_to_its_caller(host):
    made = keys.create(
        host, tenant="acme", label="reader", actor_kind="service", spaces=["a", "b"], read_only=True, user="ana",
        agent="x",
    )  # fmt: skip

    caller = keys.resolve(host, made.secret)

    assert caller == keys.Caller(
        tenant="acme", actor=Actor(kind="service", id=made.key.id), spaces=("a", "b"), read_only=True, user="ana",
        agent="x",
    )  # fmt: skip
    assert host.store.tenants() == ["acme"]


def test_no_key_is_the_person_at_this_machine(host):
    caller = keys.resolve(host, None)

    assert (caller.tenant, caller.actor, caller.spaces) == ("default", Actor(kind="person", id="local"), None)


@pytest.mark.parametrize("secret", ["", "mlk_", "mlk_unknown", "é", "\udcff", "x" * 100_000])
def test_unknown_secret_is_refused(host, secret):
    keys.create(host, label="other")

    with pytest.raises(Unauthenticated):
        keys.resolve(host, secret)


def test_hash_of_a_key_is_no_key(host):
    made = keys.create(host, label="a")

    with pytest.raises(Unauthenticated):
        keys.resolve(host, made.key.key_hash)


def test_key_ends_at_its_time_and_not_before(host):
    made = keys.create(host, label="a day", expires_at=host.clock() + DAY)

    host.clock.advance(24 * 3600 - 0.000001)
    assert keys.resolve(host, made.secret).actor.id == made.key.id
    host.clock.advance(0.000001)
    with pytest.raises(Unauthenticated):
        keys.resolve(host, made.secret)


def test_revoked_key_is_refused_and_stays_in_the_list_with_its_first_revocation(host):
    made = keys.create(host, label="a")
    first = keys.revoke(host, made.key.id)
    host.clock.advance(10)
    second = keys.revoke(host, made.key.id)

    assert first.revoked_at == second.revoked_at
    assert [key.revoked_at for key in keys.listing(host)] == [first.revoked_at]
    with pytest.raises(Unauthenticated):
        keys.resolve(host, made.secret)


def test_revoking_what_is_not_there_is_not_found(host):
    with pytest.raises(NotFound):
        keys.revoke(host, "key_none")


def test_list_is_of_one_tenant_or_all(host):
    keys.create(host, tenant="a", label="1")
    keys.create(host, tenant="b", label="2")

    assert [key.label for key in keys.listing(host, tenant="b")] == ["2"]
    assert {key.label for key in keys.listing(host)} == {"1", "2"}


def test_only_a_valid_key_counts_as_one(host):
    assert not keys.any_valid(host)
    made = keys.create(host, label="a", expires_at=host.clock() + DAY)
    assert keys.any_valid(host)
    host.clock.advance(24 * 3600)
    assert not keys.any_valid(host)
    keys.revoke(host, keys.create(host, label="b").key.id)
    assert not keys.any_valid(host)
    assert made.key.label == "a"


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({"spaces": []}, "spaces"),
        ({"spaces": ["team", ""]}, "spaces"),
        ({"expires_at": 0}, "expires_at"),
        ({"tenant": "../x"}, "tenant"),
        ({"tenant": ""}, "tenant"),
    ],
)
def test_key_that_makes_no_sense_is_not_made(host, limits, field):
    with pytest.raises(InvalidInput) as refused:
        keys.create(host, label="a", **limits)

    assert refused.value.details["field"] == field
    assert keys.listing(host) == ()


def test_key_is_limited_to_a_space_as_requests_spell_it(host):
    # given a name with its accent as a character of its own, as some keyboards send it
    made = keys.create(host, label="a", spaces=["cafe\u0301"])
    # then it is the composed one that every request is brought to
    assert keys.resolve(host, made.secret).spaces == ("caf\u00e9",)
