"""What the fetches of an installation may contact: its settings and its own machines."""

import socket
from ipaddress import ip_address

import psutil
import pytest

from memory import networks
from memory.errors import InvalidInput, UrlRefused
from memory.fleet import FleetNode
from memory.inventory import LOCAL
from memory.settings import Settings, from_environ
from services.fetching.reach import reach

CARDS = (
    FleetNode(name="a1", host="10.7.0.11", embed_port=8081, rerank_port=8082),
    FleetNode(name="a2", host="card-two.lan", embed_port=8081),
)


def nobody(host):
    raise socket.gaierror(f"no address of {host}")


def card_two(host):
    return {"card-two.lan": ["10.7.0.12", "fd07::12"], "broker.lan": ["10.7.0.2"]}[host]


def contacted(one, address, port):
    try:
        networks.check(ip_address(address), port, one)
    except UrlRefused:
        return False
    return True


def test_without_the_setting_nothing_private_is_reached():
    one = reach(Settings(), CARDS, resolve=nobody)

    assert not contacted(one, "10.7.0.11", 80)
    assert not contacted(one, "127.0.0.1", 80)
    assert contacted(one, "93.184.216.34", 80)


def test_the_card_network_stays_closed_in_an_allowed_lan():
    settings = Settings(allow_private_urls="10.0.0.0/8 fd07::/64", redis_url="redis://:secret@broker.lan:6380/0")

    one = reach(settings, CARDS, resolve=card_two)

    assert contacted(one, "10.7.0.99", 3000)
    for address, port in (("10.7.0.11", 80), ("10.7.0.12", 3000), ("fd07::12", 8081), ("10.7.0.2", 6380)):
        assert not contacted(one, address, port), address
    assert contacted(one, "10.7.0.2", 80), "only the broker's port is Memlane's there"


def test_a_card_with_a_public_address_stays_closed_too():
    cards = (FleetNode(name="a1", host="93.184.216.40", embed_port=8080),)

    one = reach(Settings(), cards, resolve=nobody)

    assert not contacted(one, "93.184.216.40", 8080)
    assert not contacted(one, "64:ff9b::93.184.216.40", 8080)
    assert contacted(one, "93.184.216.41", 8080)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::", ""])
def test_the_own_api_stays_closed_on_every_address_of_this_machine(host):
    settings = Settings(allow_private_urls="0.0.0.0/0 ::/0", host=host, port=8900, embed_url="http://127.0.0.1:9001")
    here = {
        place.address for places in psutil.net_if_addrs().values() for place in places if place.family == socket.AF_INET
    }

    one = reach(settings, LOCAL, resolve=nobody)

    for address in here:
        assert not contacted(one, address, 8900)
        assert not contacted(one, address, 9001)
        assert not contacted(one, f"::ffff:{address}", 8900)
        assert contacted(one, address, 3000)


def test_a_setting_that_names_no_network_is_told_at_the_start():
    with pytest.raises(InvalidInput) as refused:
        from_environ({"MEMLANE_ALLOW_PRIVATE_URLS": "true"})

    assert refused.value.details["field"] == "MEMLANE_ALLOW_PRIVATE_URLS"
