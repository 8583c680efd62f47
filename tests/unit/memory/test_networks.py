"""Which addresses may be contacted on a stranger's word; the addresses are data."""

import json
from ipaddress import ip_address
from pathlib import Path

import pytest

from memory import networks
from memory.errors import InvalidInput, UrlRefused
from memory.networks import PUBLIC_ONLY, Reach

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "fetch_addresses.json").read_text(encoding="utf-8"))
EVERYTHING = Reach(allowed=networks.read("0.0.0.0/0, ::/0"))


@pytest.mark.parametrize("text", [*KNOWN["never"], *KNOWN["private"]])
def test_an_address_that_is_not_public_is_refused(text):
    with pytest.raises(UrlRefused) as refused:
        networks.check(networks.parse(text), 80, PUBLIC_ONLY)

    assert "not allowed" in refused.value.message


@pytest.mark.parametrize("text", KNOWN["never"])
def test_some_addresses_are_refused_also_when_everything_is_allowed(text):
    with pytest.raises(UrlRefused):
        networks.check(networks.parse(text), 80, EVERYTHING)


@pytest.mark.parametrize("text", KNOWN["private"])
def test_a_private_address_is_let_pass_where_its_network_is_allowed(text):
    assert networks.check(networks.parse(text), 80, EVERYTHING)


@pytest.mark.parametrize(("text", "contacted"), KNOWN["public"])
def test_a_public_address_is_let_pass_in_its_plain_form(text, contacted):
    assert networks.check(networks.parse(text), 443, PUBLIC_ONLY) == ip_address(contacted)


@pytest.mark.parametrize("text", ["fe80::1%eth0", "::1%1", "nonsense", "", "1.2.3", "08.8.8.8"])
def test_what_a_resolver_should_not_say_is_refused(text):
    with pytest.raises(UrlRefused):
        networks.parse(text)


def test_an_allowed_network_opens_itself_and_nothing_beside_it():
    reach = Reach(allowed=networks.read("192.168.1.0/24 fd12::/64,10.0.0.7"))

    for inside in ("192.168.1.9", "fd12::5", "10.0.0.7", "::ffff:192.168.1.9"):
        assert networks.check(networks.parse(inside), 3000, reach)
    for outside in ("192.168.2.9", "fd12:0:0:1::5", "10.0.0.8", "127.0.0.1"):
        with pytest.raises(UrlRefused):
            networks.check(networks.parse(outside), 3000, reach)


def test_memlanes_own_services_stay_closed_in_an_allowed_network():
    own = frozenset({(ip_address("10.0.0.5"), 8900), (ip_address("10.0.0.6"), None)})
    reach = Reach(allowed=networks.read("10.0.0.0/8"), own=own)

    assert networks.check(networks.parse("10.0.0.5"), 80, reach)
    for text, port in (("10.0.0.5", 8900), ("10.0.0.6", 80), ("::ffff:10.0.0.5", 8900)):
        with pytest.raises(UrlRefused, match="own services"):
            networks.check(networks.parse(text), port, reach)


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "192.168.1.5/24",
        "10.0.0.0/33",
        "example.org",
        "169.254.0.0/16",
        "169.254.169.254",
        "ff00::/8",
        "fe80::/64",
    ],
)
def test_a_network_that_cannot_be_allowed_is_told(text):
    with pytest.raises(InvalidInput) as refused:
        networks.read(text, field="MEMLANE_ALLOW_PRIVATE_URLS")

    assert refused.value.details["field"] == "MEMLANE_ALLOW_PRIVATE_URLS"
