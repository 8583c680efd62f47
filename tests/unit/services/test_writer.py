import pytest

from memory.errors import Fenced
from memory.settings import Settings
from services.fakes import fake_host
from services.writer import WriterLease


@pytest.fixture
def host(tmp_path):
    host = fake_host(tmp_path, tenants=("acme", "default"), settings=Settings(writer_lease_seconds=15))
    yield host
    host.store.close()


def test_one_of_two_holders_writes(host):
    first, second = WriterLease(host, "a"), WriterLease(host, "b")

    assert first.token is None
    assert (first.renew(), second.renew()) == (1, None)
    assert (first.token, second.token) == (1, None)


def test_renewing_keeps_the_token(host):
    first, second = WriterLease(host, "a"), WriterLease(host, "b")
    for _ in range(10):
        assert first.renew() == 1
        assert second.renew() is None
        host.clock.advance(14)


def test_a_lease_that_ran_out_has_no_token_and_is_taken_up_again_if_nobody_came(host):
    lease = WriterLease(host, "a")
    lease.renew()
    host.clock.advance(15)

    assert lease.token is None
    assert lease.renew() == 1


def test_who_slept_past_the_lease_is_shut_out_of_every_tenant_before_the_next_one_reads(host):
    sleeper, next_one = WriterLease(host, "a"), WriterLease(host, "b")
    believed = sleeper.renew()
    host.clock.advance(16)
    assert next_one.renew() == believed + 1

    for tenant in ("acme", "default"):
        with pytest.raises(Fenced), host.store.fenced(tenant, believed):
            pass
    assert sleeper.renew() is None


def test_a_released_lease_is_taken_at_once(host):
    first, second = WriterLease(host, "a"), WriterLease(host, "b")
    first.renew()
    first.release()
    first.release()

    assert first.token is None
    assert second.renew() == 2


def test_tokens_never_go_back_behind_a_tenants_fence(host):
    with host.store.fenced("acme", 70):
        pass

    assert WriterLease(host, "a").renew() == 71
