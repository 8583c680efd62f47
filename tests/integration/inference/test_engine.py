"""The engine on the real model, in this process."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from inference.engine import Engine
from inference.minilm import MiniLM
from memory.errors import ModelUnavailable


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture
def engine(model: MiniLM) -> Iterator[Engine]:
    started = Engine(model)
    yield started
    started.close()


def test_a_closed_engine_says_that_it_stops(engine: Engine) -> None:
    engine.close()
    with pytest.raises(ModelUnavailable, match="stopping"):
        engine.embed("background", ["a"])


def test_resting_changes_nothing_that_is_answered(engine: Engine) -> None:
    before = engine.embed("interactive", ["Anna lives in Oslo"]).values
    engine.rest(0.0)
    engine.rest(0.0)
    assert np.array_equal(engine.embed("interactive", ["Anna lives in Oslo"]).values, before)


def test_what_was_kept_of_passages_goes_when_nobody_asks_for_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = engine.rerank("interactive", "a", ["a b"]).tokens
    engine.rest(1000.0)
    assert engine.rerank("interactive", "a", ["a b"]).tokens < first
    monkeypatch.setattr("inference.engine.KEPT_SECONDS", 0.0)
    engine.rest(1000.0)
    assert engine.rerank("interactive", "a", ["a b"]).tokens == first


def test_the_tokens_that_were_read_are_counted(engine: Engine) -> None:
    assert engine.embed("interactive", ["a b", ""]).tokens == 6
    assert engine.rerank("interactive", "a", ["a b", ""]).tokens == 9


def test_a_passage_scores_the_same_alone_and_among_others(engine: Engine) -> None:
    passages = ["Anna moved to Oslo.", "word " * 120, "", "Copper."]
    together = engine.rerank("background", "Where is Anna?", passages).values
    alone = [engine.rerank("background", "Where is Anna?", [passage]).values[0] for passage in passages]
    assert together == pytest.approx(alone, abs=1e-4)
    assert together[2] == 0.0


def test_a_passage_that_was_kept_scores_as_one_that_is_new_and_costs_no_run(engine: Engine) -> None:
    passages = ["Anna moved to Oslo.", "Copper fell again.", "Anna moved to Oslo."]
    new = engine.rerank("interactive", "Where is Anna?", passages)
    kept = engine.rerank("interactive", "Where is Anna?", passages)
    assert kept.values.tolist() == new.values.tolist()
    assert new.values[0] == new.values[2]
    assert kept.tokens < new.tokens
