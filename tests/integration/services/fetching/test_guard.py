"""The guard on an internet of the test's own, where every address there is has a canary (`tests/internet.py`)."""

import json
from pathlib import Path

import pytest

from tests.internet import Internet

DATA = Path(__file__).parents[3] / "data"
NOT_PUBLIC = json.loads((DATA / "fetch_addresses.json").read_text(encoding="utf-8"))
URLS = json.loads((DATA / "fetch_urls.json").read_text(encoding="utf-8"))
PUBLIC, OTHER, PUBLIC_6 = "93.184.216.34", "151.101.1.6", "2606:4700::1111"
PRIVATE = ["127.0.0.1", "169.254.169.254", "172.31.0.1", "::1", "fd00:ec2::254", "::ffff:10.0.0.1", "64:ff9b::7f00:1"]


@pytest.fixture(scope="module")
def internet():
    one = Internet()
    yield one
    one.close()


@pytest.fixture
def page(internet):
    internet(
        "serve", pages={"/page": {"body": "<p>hello</p>", "headers": {"Content-Type": "text/html; charset=UTF-8"}}}
    )
    internet("resolve", names={"page.test": [[PUBLIC]], "other.test": [[OTHER]]})
    return internet


def places(found):
    return [(one["address"], one["port"]) for one in found["contacts"]]


def test_a_page_is_fetched_from_the_address_that_was_judged_under_its_own_name(page):
    for scheme, port in (("http", 80), ("https", 443)):
        found = page("fetch", url=f"{scheme}://page.test/page?q#part")

        assert found["body"] == "<p>hello</p>"
        assert (found["media_type"], found["charset"]) == ("text/html", "utf-8")
        assert found["final_url"] == f"{scheme}://page.test/page?q"
        assert places(found) == [(PUBLIC, port)]
        assert found["contacts"][0]["headers"]["host"] == "page.test"
    assert found["contacts"][0]["sni"] == "page.test"


def test_a_name_in_another_script_is_the_same_for_certificate_and_server(page):
    page("resolve", names={"xn--bcher-kva.test": [[PUBLIC]]})

    found = page("fetch", url="https://Bücher.test/page")

    assert found["body"] == "<p>hello</p>"
    assert (found["contacts"][0]["sni"], found["contacts"][0]["headers"]["host"]) == ("xn--bcher-kva.test",) * 2


@pytest.mark.parametrize("private", PRIVATE)
def test_a_name_that_answers_public_first_and_private_second_is_asked_once(page, private):
    page("resolve", names={"rebind.test": [[PUBLIC], [private]]})

    first = page("fetch", url="http://rebind.test/page")
    second = page("fetch", url="http://rebind.test/page")

    assert places(first) == [(PUBLIC, 80)]
    assert second["error"] == "url_refused"
    assert places(second) == []


@pytest.mark.parametrize("private", PRIVATE)
def test_one_private_address_among_the_answers_refuses_them_all(page, private):
    for answer in ([PUBLIC, private], [private, PUBLIC], [PUBLIC_6, PUBLIC, private]):
        page("resolve", names={"both.test": [answer]})

        found = page("fetch", url="http://both.test/page")

        assert found["error"] == "url_refused"
        assert "not allowed" in found["message"]
        assert private not in found["message"], "a stranger could ask for the names in here"
        assert places(found) == []


@pytest.mark.parametrize("address", [*NOT_PUBLIC["never"], *NOT_PUBLIC["private"]])
def test_no_address_that_is_not_public_is_contacted_whoever_names_it(page, address):
    page("resolve", names={"named.test": [[address]]})
    written = f"[{address}]" if ":" in address else address

    for port in ("", ":8080"):
        for host in ("named.test", written):
            found = page("fetch", url=f"http://{host}{port}/page")

            assert found["error"] == "url_refused", host
            assert places(found) == []


def test_no_spelling_of_an_address_gets_through(page):
    for url in (*URLS["unreadable"], *URLS["at_the_door"]):
        found = page("fetch", url=url)

        assert found["error"] == "url_refused", url
        assert places(found) == [], url


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:6379/", "//169.254.169.254/latest/", "http://[::ffff:127.0.0.1]/page", "http://2130706433/page",
        "http://inside.test/page", "file:///etc/passwd", "gopher://127.0.0.1:6379/_", "http://user:key@page.test/page",
        "http://localhost/page", "http://other.test:25/", "",
    ],
)  # fmt: skip
def test_a_redirect_is_judged_like_the_first_address(page, code, location):
    page(
        "serve", pages={"/from": {"status": f"{code} Moved", "headers": {"Location": location}}, "/page": {"body": "x"}}
    )
    page("resolve", names={"page.test": [[PUBLIC]], "inside.test": [["10.0.0.1"]], "other.test": [[OTHER]]})

    found = page("fetch", url="http://page.test/from")

    assert "error" in found
    assert places(found) == [(PUBLIC, 80)]


def test_a_redirect_resolves_its_name_anew(page):
    page("serve", pages={"/from": {"status": "302 Found", "headers": {"Location": "/page"}}, "/page": {"body": "x"}})
    page("resolve", names={"rebind.test": [[PUBLIC], ["127.0.0.1"]]})

    found = page("fetch", url="http://rebind.test/from")

    assert found["error"] == "url_refused"
    assert places(found) == [(PUBLIC, 80)]


def test_what_is_kept_is_where_the_last_redirect_led_and_nothing_is_carried_there(page):
    headers = {"Location": "https://other.test/page", "Set-Cookie": "session=1", "WWW-Authenticate": "Basic"}
    page("serve", pages={"/from": {"status": "301 Moved", "headers": headers}, "/page": {"body": "x"}})

    found = page("fetch", url="http://page.test/from")

    assert found["final_url"] == "https://other.test/page"
    assert places(found) == [(PUBLIC, 80), (OTHER, 443)]
    sent = found["contacts"][1]["headers"]
    assert sent["host"] == "other.test"
    assert not sent.keys() & {"cookie", "authorization", "referer", "proxy-authorization"}


@pytest.mark.parametrize(("hops", "follows"), [(1, True), (5, True), (6, False), (30, False)])
def test_five_redirects_are_followed_and_no_more(page, hops, follows):
    chain = {f"/{n}": {"status": "302 Found", "headers": {"Location": f"/{n - 1}"}} for n in range(1, hops + 1)}
    page("serve", pages={**chain, "/0": {"body": "there"}})

    found = page("fetch", url=f"http://page.test/{hops}")

    assert (found.get("body") == "there") is follows
    assert len(found["contacts"]) == min(hops + 1, 6)


def test_a_loop_ends(page):
    page("serve", pages={"/loop": {"status": "307 Again", "headers": {"Location": "/loop"}}})

    found = page("fetch", url="http://page.test/loop")

    assert "redirects more than 5 times" in found["message"]
    assert len(found["contacts"]) == 6


def test_https_does_not_lead_to_http(page):
    page("serve", pages={"/from": {"status": "302 Found", "headers": {"Location": "http://page.test/page"}}})

    found = page("fetch", url="https://page.test/from")

    assert found["error"] == "url_refused"
    assert places(found) == [(PUBLIC, 443)]


def test_what_a_page_says_of_moving_on_is_not_followed(page):
    body = '<meta http-equiv="refresh" content="0; url=http://127.0.0.1/"><p>stay</p>'
    page("serve", pages={"/meta": {"body": body, "headers": {"Refresh": "0; url=http://127.0.0.1/"}}})

    found = page("fetch", url="http://page.test/meta")

    assert found["body"] == body
    assert places(found) == [(PUBLIC, 80)]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://93.184.216.35/page", "no valid certificate"),
        ("https://untrusted.test/page", "no valid certificate"),
        ("http://page.test/none", "answers 404"),
        ("http://page.test/empty", "empty"),
        ("http://nowhere.test/", "no address"),
        ("http://page.test:8000/none", "answers 404"),
    ],
)
def test_what_cannot_be_fetched_says_why(page, url, says):
    page("serve", pages={"/empty": {"status": "204 No Content"}, "/page": {"body": "x"}})
    page("resolve", names={"page.test": [[PUBLIC]], "untrusted.test": [[PUBLIC]]})

    found = page("fetch", url=url)

    assert (found["error"], says in found["message"]) == ("fetch_failed", True)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "slow",
    [{"raw": "", "drip": 0.05}, {"raw": "HTTP/1.1 200 OK\r\n", "drip": 0.05}, {"body": "x", "drip": 0.05}],
    ids=["no byte", "in the headers", "in the body"],
)
def test_a_slow_page_ends_by_the_clock_on_the_wall(page, scheme, slow):
    page("serve", pages={"/slow": slow})

    found = page("fetch", url=f"{scheme}://page.test/slow", seconds=0.5)

    assert "timed out" in found["message"]
    assert found["seconds"] < 5


def test_time_runs_on_over_redirects(page):
    hop = {"raw": "HTTP/1.1 302 Found\r\nLocation: /slow\r\n\r\n"}
    page("serve", pages={"/from": hop, "/slow": {"body": "x", "drip": 0.1}})

    found = page("fetch", url="http://page.test/from", seconds=0.5)

    assert "timed out" in found["message"]
    assert found["seconds"] < 5


def test_an_allowed_network_is_fetched_from_and_no_other(page):
    page("resolve", names={"wiki.lan": [["192.168.1.9"]], "printer.lan": [["192.168.2.9"]]})

    inside = page("fetch", url="http://wiki.lan:3000/page", allowed="192.168.1.0/24")
    beside = page("fetch", url="http://printer.lan:3000/page", allowed="192.168.1.0/24")

    assert places(inside) == [("192.168.1.9", 3000)]
    assert beside["error"] == "url_refused"
    assert places(beside) == []


def test_an_endless_page_stops_at_the_limit(page):
    page("serve", pages={"/endless": {"body": "", "endless": 65536}})

    found = page("fetch", url="http://page.test/endless", body_bytes=1_000_000)

    assert "too large" in found["message"]
    assert found["seconds"] < 10
