"""What holds for every input of the pure parts."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from inference.batches import micro_batches, padded
from inference.late_interaction import passage_scores
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


@given(st.permutations(range(5)))
def test_a_score_does_not_depend_on_the_order_of_the_passages(order: list[int]) -> None:
    generator = np.random.default_rng(5)
    passages = generator.standard_normal((5, 4, 8)).astype(np.float32)
    mask = np.array([[True] * n + [False] * (4 - n) for n in (0, 1, 2, 3, 4)])
    query, weights = generator.standard_normal((3, 8)).astype(np.float32), np.ones(3, np.float32)
    straight = passage_scores(query, weights, passages, mask)
    assert np.allclose(passage_scores(query, weights, passages[order], mask[order]), straight[order], atol=1e-5)


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
