"""Counting the tokens of a request's messages."""

from __future__ import annotations

import time

import pytest

from inference.tokens import count_tokens
from services.token_counts import of_each


def test_the_texts_of_a_usual_request_are_counted_one_by_one() -> None:
    assert of_each(count_tokens, ["unaffable", "", "a b c"]) == [3, 0, 3]


def test_many_texts_cost_no_more_than_one_long_text() -> None:
    count_tokens("")
    began = time.thread_time()
    found = of_each(count_tokens, ["x y. " * 20_000] * 50)
    assert time.thread_time() - began < 0.6
    assert found == [pytest.approx(60_000, rel=0.01)] * 50
