"""No route takes a name in its query string that it does not know: a misspelt one would act as if it were not there."""

import re

import pytest

from api.openapi.bare import bare_app
from tests.shape import assert_refused

ROUTES = sorted(
    (method, re.sub(r"<[^>]+>", "1", rule.rule))
    for rule in bare_app().url_map.iter_rules()
    for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
)
NOT_OFFERED = "/v3/connections"


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_unknown_name_in_a_query_string_is_refused_by_name(client, method, path):
    for query, field in (
        ("zzzzzzzz=1", "zzzzzzzz"),
        ("zzzzzzzz", "zzzzzzzz"),
        ("%ff=1", "query"),
        ("Limit=1", "Limit"),
    ):
        answer = client.open(f"{path}?{query}", method=method)
        if path.startswith(NOT_OFFERED):
            assert_refused(answer, 501)
        else:
            assert_refused(answer, 400, field=field)


def test_name_of_the_body_in_the_query_string_is_told_where_it_belongs(client):
    answer = client.post("/v3/documents?containerTag=yard", json={"content": "A crane."})

    assert "body" in assert_refused(answer, 400, field="containerTag")["details"]["hint"]
    assert client.get("/v3/documents").get_json()["pagination"]["totalItems"] == 0


def test_empty_query_string_is_none(client):
    assert client.get("/v1/lanes?").status_code == 200


def test_who_has_no_key_is_told_that_first(public):
    assert_refused(public.post("/v3/documents?zzzzzzzz=1", json={}), 401)
