"""Who has no valid key is told so at every address of a route, whatever stands where an id belongs."""

import re
from dataclasses import replace
from urllib.parse import quote

import pytest

from api.openapi.bare import bare_app
from api.request_hooks import OPEN
from tests.shape import assert_refused

RULES = sorted(
    (method, rule.rule)
    for rule in bare_app().url_map.iter_rules()
    if rule.endpoint not in OPEN and "<" in rule.rule
    for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
)
# In place of an id, as they are sent: other kinds, other scripts, escapes, controls, half characters, far too long.
NO_IDS = ("abc", "-1", "0", "1.5", "1e9", "٣", "9" * 400, "null", "true", " ", "a%20b", "%00", "%0a", "%25", "%ff",
          "a%2Fb", "%2e%2e", "..", "~", "'", "%22", ";", "a;b=c", "%F0%9F%90%8B", "x" * 4000)  # fmt: skip


@pytest.fixture
def strangers(public):
    """A server that asks for keys, and does not count how often a stranger asks."""
    app = public.application
    host = app.extensions["memlane.host"]
    app.extensions["memlane.host"] = replace(host, settings=replace(host.settings, stranger_rate=0.0))
    return public


def told(client, method, rule, text, **more):
    path = quote(re.sub(r"<[^>]+>", lambda _: text, rule), safe="/%:;=~'")
    return client.open(path, method=method, environ_overrides={"REQUEST_URI": path}, **more)


@pytest.mark.parametrize(("method", "rule"), RULES)
def test_a_wrong_key_is_told_before_what_is_wrong_with_the_address(strangers, method, rule):
    for text in NO_IDS:
        for headers in ({"Authorization": "Bearer mlk_wrong"}, {}):
            assert_refused(told(strangers, method, rule, text, headers=headers), 401)


@pytest.mark.parametrize(("method", "rule"), RULES)
def test_who_may_is_told_that_there_is_no_such_thing(client, method, rule):
    for text in NO_IDS:
        answer = told(client, method, rule, text, json={} if method not in ("GET", "DELETE") else None)
        assert answer.status_code < 500 or answer.status_code in (501, 503), (text, answer.get_data(as_text=True))


def test_number_that_is_none_is_not_found_before_the_writer_is_asked(client):
    for text in ("abc", "-1", "1.5", "٣", "9" * 400, "1%0a"):
        for method, rest in (("DELETE", ""), ("POST", "/switch"), ("POST", "/rollback")):
            answer = told(client, method, f"/v1/generations/{text}{rest}", "")
            assert_refused(answer, 404, code="not_found")
