"""What holds for every input of the pure parts."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from inference.batches import micro_batches, padded
from inference.late_interaction import passage_score
from inference.token_states import TokenStates
from inference.tokens import split_pieces, token_ids
from inference.wire_answers import answer_json, read_scores, read_vectors, refusal
from memory.errors import ModelError
from memory.vectors import decode_vectors, encode_vectors

lengths = st.lists(st.integers(1, 300), max_size=60)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["data", "results", "index", "embedding", "relevance_score", "error", "message"]), inner
        )
    ),
    max_leaves=12,
)


@given(lengths, st.integers(1, 600))
def test_batches_hold_every_text_once_and_keep_the_budget(lengths: list[int], budget: int) -> None:
    batches = micro_batches(lengths, budget)
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[position] for position in batch) <= budget


@given(st.lists(st.lists(st.integers(1, 30_000), min_size=1, max_size=9), min_size=1, max_size=9))
def test_padding_loses_nothing(batch: list[list[int]]) -> None:
    ids, mask = padded(batch)
    assert [row[real].tolist() for row, real in zip(ids, mask, strict=True)] == batch


@given(
    arrays.arrays(
        np.float32, st.tuples(st.integers(0, 5), st.just(3)), elements=st.floats(-(2.0**100), 2.0**100, width=32)
    )
)
def test_vectors_survive_the_wire_bit_for_bit(vectors: np.ndarray) -> None:
    assert decode_vectors(encode_vectors(vectors), 3).tobytes() == vectors.tobytes()


@given(st.text(st.characters(), max_size=80))
def test_pieces_and_ids_agree_on_every_text(text: str) -> None:
    pieces = split_pieces(text)
    assert list(pieces.ids) == token_ids([text])[0]
    assert len(pieces.names) == len(pieces.ids) - 2


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 60))
def test_a_score_is_bounded_and_hardly_changed_by_rounding(seed: int, words: int, tokens: int) -> None:
    # given a query and a passage as any model might make them
    generator = np.random.default_rng(seed)
    query = generator.standard_normal((words, 384)).astype(np.float32)
    query /= np.linalg.norm(query, axis=1, keepdims=True)
    passage = (generator.standard_normal((tokens, 384)) * generator.uniform(0.1, 9)).astype(np.float32)
    weights = generator.uniform(0.05, 9, words).astype(np.float32)
    # when
    score = passage_score(query, weights, TokenStates.of(passage))
    # then it is what unrounded states give, whatever their order
    exact = (query @ (passage / np.linalg.norm(passage, axis=1, keepdims=True)).T).max(axis=1) @ weights / weights.sum()
    assert -1 <= score <= 1
    assert abs(score - exact) < 0.005
    assert passage_score(query, weights, TokenStates.of(passage[::-1])) == pytest.approx(score, abs=1e-5)


@given(json_values, st.integers(1, 3))
def test_an_answer_of_any_shape_is_read_or_refused(answer: object, count: int) -> None:
    for read in (lambda: read_vectors(answer, count, None), lambda: read_scores(answer, count)):
        try:
            values = read()
        except ModelError:
            continue
        assert len(values) == count
        assert np.isfinite(values).all()


@given(st.sampled_from([200, 302, 400, 401, 404, 413, 429, 500, 501, 503]), st.binary(max_size=60))
def test_bytes_of_any_kind_are_an_answer_or_an_error(status: int, raw: bytes) -> None:
    assert isinstance(refusal(status, raw), ModelError)
    with suppress(ModelError):
        answer_json(raw)
