"""What is kept of passages that were read."""

from __future__ import annotations

import numpy as np
import pytest

from inference.token_states import KeptStates, TokenStates


def states(tokens: int) -> TokenStates:
    return TokenStates.of(np.ones((tokens, 384), np.float32))


def test_what_was_used_last_stays_and_the_bytes_are_bounded() -> None:
    # given room for two passages
    one = states(10)
    kept = KeptStates(2 * one.nbytes)
    kept.keep("a", one)
    kept.keep("b", states(10))
    # when the first is used again and a third comes
    assert kept.get("a") is one
    kept.keep("c", states(10))
    # then the second is gone
    assert kept.get("b") is None
    assert kept.get("a") is one
    assert kept.nbytes == 2 * one.nbytes


def test_a_passage_kept_twice_counts_once_and_one_too_large_is_not_kept() -> None:
    kept = KeptStates(states(10).nbytes)
    kept.keep("a", states(10))
    kept.keep("a", states(10))
    assert kept.nbytes == states(10).nbytes
    kept.keep("b", states(100))
    assert (kept.get("a"), kept.get("b"), kept.nbytes) == (None, None, 0)


def test_a_text_that_is_no_unicode_has_a_key_too() -> None:
    kept = KeptStates()
    kept.keep("\ud800", states(1))
    assert kept.get("\ud800") is not None


def test_nothing_and_zeros_have_no_direction_and_no_cosine() -> None:
    query = np.ones((2, 384), np.float32)
    assert TokenStates.of(np.zeros((0, 384), np.float32)).cosines(query).shape == (0, 2)
    assert not TokenStates.of(np.zeros((1, 384), np.float32)).cosines(query).any()


def test_what_is_kept_is_known_by_a_name_of_this_process_alone() -> None:
    one, other = KeptStates(), KeptStates()
    for kept in (one, other):
        kept.keep("a", states(1))
    assert set(one._kept).isdisjoint(other._kept)


def test_what_nobody_asks_for_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("inference.token_states.time.monotonic", lambda: now)
    kept = KeptStates()
    kept.keep("a", states(10))
    kept.keep("b", states(10))
    now = 5.0
    assert kept.get("a") is not None
    now = 10.0
    kept.forget(6.0)
    assert (kept.get("a") is None, kept.get("b") is None) == (False, True)
    assert kept.nbytes == states(10).nbytes
    kept.forget(0.0)
    assert kept.nbytes == 0
