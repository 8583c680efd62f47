import pytest

from memory.addresses import is_loopback, reachable


@pytest.mark.parametrize("name", ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LOCALHOST"])
def test_this_machine_is_recognised(name):
    assert is_loopback(name)


@pytest.mark.parametrize("name", ["10.0.0.1", "0.0.0.0", "::", "node", "", "127.0.0.1.example.org", "localhost.lan"])
def test_whatever_may_be_another_machine_is_not_taken_for_this_one(name):
    assert not is_loopback(name)


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("box", "box")],
)
def test_the_ready_address_is_one_that_can_be_called(host, expected):
    assert reachable(host) == expected
