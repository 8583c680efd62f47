"""What waitress makes of a request's head, with what we change of it."""

import pytest
from waitress.adjustments import Adjustments

from api.heads import RoutedParser

HEAD = "{} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n{}\r\n"


@pytest.mark.parametrize("more", ["", "Content-Length: 0\r\n"])
def test_who_has_no_body_is_not_waited_for(more):
    parser = RoutedParser(Adjustments())

    parser.received(HEAD.format("GET /v1/health", more).encode())

    assert parser.completed
    assert not parser.expect_continue


def test_who_has_a_body_is_told_to_send_it():
    parser = RoutedParser(Adjustments())

    parser.received(HEAD.format("POST /v4/search", "Content-Length: 2\r\n").encode())

    assert not parser.completed
    assert parser.expect_continue
