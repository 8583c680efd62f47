"""Every route of the app asks who is there, before it says anything else."""

import re
from dataclasses import replace

import pytest

from api.openapi.bare import bare_app
from api.request_hooks import OPEN
from services import admin, keys
from tests.shape import assert_refused

ROUTES = sorted(
    (method, re.sub(r"<[^>]+>", "1", rule.rule), rule.endpoint)
    for rule in bare_app().url_map.iter_rules()
    for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
)
ASKING = [(method, path) for method, path, endpoint in ROUTES if endpoint not in OPEN]


def test_what_is_open_says_no_more_than_how_to_ask():
    assert {endpoint for _, _, endpoint in ROUTES} >= OPEN
    assert len(OPEN) <= 3


@pytest.mark.parametrize(("method", "path"), ASKING)
def test_nobody_gets_in_without_a_key_of_the_right_plane(public, host, method, path):
    public.application.extensions["memlane.host"] = host_without_rates(public)
    control = path.startswith("/v1/admin")
    data, root = keys.create(host, label="x", actor_kind="person").secret, admin.renew(host)
    wrong = [None, "local", "mlk_wrong", "mla_wrong", "a.b.c", data if control else root]

    told = []
    for secret in wrong:
        headers = {"Authorization": f"Bearer {secret}"} if secret is not None else {}
        # A body that nobody could read is not looked at.
        answer = public.open(path, method=method, headers=headers, data=b"{", content_type="application/json")
        told.append(assert_refused(answer, 401)["error"])

    assert len(set(told)) <= 2, "No key, and a wrong one."


def host_without_rates(client):
    one = client.application.extensions["memlane.host"]
    return replace(one, settings=replace(one.settings, stranger_rate=0.0))
