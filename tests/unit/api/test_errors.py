import logging

import pytest

from api.errors import RETRY_AFTER_SECONDS, STATUS, status_of
from memory import errors
from services.log_lines import OfRequest
from tests.shape import assert_refused


def family(base):
    return [base, *(error for child in base.__subclasses__() for error in family(child))]


def raising(app, error):
    def fail():
        raise error

    app.add_url_rule("/fail", view_func=fail)
    return app.test_client()


@pytest.mark.parametrize("kind", [one for one in family(errors.MemlaneError) if one is not errors.Pending])
def test_every_error_of_the_tree_has_a_status_and_the_shape(app, kind):
    response = raising(app, kind(field="limit")).get("/fail")

    assert_refused(response, status_of(kind()), field="limit", code=kind.code)


@pytest.mark.parametrize("kind", [errors.Busy, errors.BrokerDown, errors.ModelUnavailable, errors.StoreError])
def test_what_may_work_later_says_when_to_try_again(app, kind):
    assert raising(app, kind()).get("/fail").headers["Retry-After"] == str(RETRY_AFTER_SECONDS)


def test_class_without_a_row_of_its_own_has_that_of_its_parent():
    assert errors.NotLive not in STATUS
    assert status_of(errors.NotLive()) == 409


def test_what_is_pending_is_accepted_and_not_refused(app):
    response = raising(app, errors.Pending(id="req_1")).get("/fail")

    assert response.status_code == 202
    body = response.get_json()
    assert (body["id"], body["status"]) == ("req_1", "pending")
    assert body["warning"]


def test_unforeseen_failure_is_logged_and_not_shown(app, caplog):
    caplog.handler.addFilter(OfRequest())
    with caplog.at_level(logging.ERROR, logger="memlane.api"):
        response = raising(app, ZeroDivisionError("a secret")).get("/fail", headers={"X-Request-Id": "mine-1"})

    body = assert_refused(response, 500, code="internal")
    assert "secret" not in response.get_data(as_text=True)
    assert body["details"]["request_id"] == "mine-1"
    assert {record.request for record in caplog.records} == {"request=mine-1 "}
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("path", ["/", "/v3", "/v3/documents/", "/v1/nothing", "/v4/search/", "/static/app.js"])
def test_unknown_address_is_404_in_the_shape(client, path):
    assert_refused(client.get(path), 404)


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v4/search"), ("PUT", "/v3/documents"), ("POST", "/v1/health"), ("DELETE", "/v3/documents")],
)
def test_wrong_method_is_405_in_the_shape_and_names_the_right_ones(client, method, path):
    response = client.open(path, method=method)

    assert_refused(response, 405, code="method_not_allowed")
    assert response.headers["Allow"]


def test_answer_carries_a_new_request_id_or_the_callers(client):
    ours = {client.get("/v1/stats").headers["X-Request-Id"] for _ in range(2)}
    theirs = client.get("/v1/stats", headers={"X-Request-Id": "abc.1_2-3"}).headers["X-Request-Id"]
    nonsense = client.get("/v1/stats", headers={"X-Request-Id": "a b" * 50}).headers["X-Request-Id"]

    assert len(ours) == 2
    assert theirs == "abc.1_2-3"
    assert nonsense.startswith("req_")


def test_log_tells_the_outcome_and_no_content(client, caplog):
    with caplog.at_level(logging.INFO, logger="memlane.api"):
        client.get("/v3/documents/a-secret-name?containerTag=private")

    assert "status=404" in caplog.text
    assert "/v3/documents/<path:ref>" in caplog.text
    assert "secret" not in caplog.text
    assert "private" not in caplog.text
