"""What a URL names; the URLs are data."""

import json
from pathlib import Path

import pytest

from memory import networks
from memory.errors import UrlRefused
from memory.networks import PUBLIC_ONLY, Reach
from services.fetching.resolving import check_unresolved
from services.fetching.targets import follow, is_only_url, read

KNOWN = json.loads((Path(__file__).parents[3] / "data" / "fetch_urls.json").read_text(encoding="utf-8"))
PAGE = read("https://example.org/a/b?c")


@pytest.mark.parametrize("url", KNOWN["unreadable"])
def test_what_could_be_read_in_two_ways_is_refused(url):
    with pytest.raises(UrlRefused):
        read(url)


@pytest.mark.parametrize("one", KNOWN["readable"], ids=lambda one: one["url"])
def test_a_url_has_one_plain_form(one):
    target = read(one["url"])

    assert target.url == one["is"]
    assert read(target.url) == target
    check_unresolved(target, Reach(allowed=networks.read("10.0.0.0/8")))


@pytest.mark.parametrize("url", KNOWN["at_the_door"])
def test_what_needs_nobody_else_is_refused_at_the_door(url):
    with pytest.raises(UrlRefused):
        check_unresolved(read(url), PUBLIC_ONLY)


@pytest.mark.parametrize(
    ("location", "leads"),
    [
        ("/x", "https://example.org/x"),
        ("x?y#z", "https://example.org/a/x?y"),
        ("?q", "https://example.org/a/b?q"),
        ("//other.test/x", "https://other.test/x"),
        ("https://other.test:8443/", "https://other.test:8443/"),
        (" /with space/ä ", "https://example.org/with%20space/%C3%A4"),
        ("../../../up", "https://example.org/up"),
    ],
)
def test_a_redirect_is_read_like_a_browser_does(location, leads):
    assert follow(PAGE, location).url == leads


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd", "gopher://127.0.0.1:6379/_", "ftp://example.org/", "javascript:x", "//user@example.org/",
        "https://user:key@example.org/", "http://example.org/", "https://[fe80::1%25lo]/", "//example.org:port/",
        "mailto:x@y", "data:,x",
    ],
)  # fmt: skip
def test_a_redirect_to_what_is_not_fetched_is_refused(location):
    with pytest.raises(UrlRefused):
        follow(PAGE, location)


def test_a_page_of_http_may_lead_to_one_of_https():
    assert follow(read("http://example.org/"), "https://example.org/").scheme == "https"


@pytest.mark.parametrize(
    "text", ["https://example.org/x", " http://x.test ", "HTTPS://X.TEST/?a=b\n", "http://127.0.0.1/"]
)
def test_a_text_that_is_a_url_and_nothing_else_is_one(text):
    assert is_only_url(text)


@pytest.mark.parametrize(
    "text",
    [
        "see https://example.org",
        "https://a.test https://b.test",
        "file:///etc/passwd",
        "example.org",
        "https://",
        "",
        "http",
    ],
)
def test_a_text_that_says_more_stays_a_text(text):
    assert not is_only_url(text)
