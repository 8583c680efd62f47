"""Vectors as text."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from memory.errors import InvalidInput
from memory.vectors import decode_vectors, encode_vectors


def test_vectors_come_back_as_they_were() -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4) / 7
    assert np.array_equal(decode_vectors(encode_vectors(vectors), 4), vectors)


def test_the_bytes_are_little_endian_float32() -> None:
    assert base64.b64decode(encode_vectors(np.array([1.0]))) == b"\x00\x00\x80\x3f"


def test_big_endian_and_double_arrays_are_written_alike() -> None:
    values = [0.25, -3.5]
    assert encode_vectors(np.array(values, dtype=">f4")) == encode_vectors(np.array(values, dtype=np.float64))


def test_no_vectors_are_an_empty_text() -> None:
    assert encode_vectors(np.zeros((0, 384), dtype=np.float32)) == ""
    assert decode_vectors("", 384).shape == (0, 384)


def test_decoded_vectors_can_be_written_to() -> None:
    vectors = decode_vectors(encode_vectors(np.ones(4)), 4)
    vectors[0, 0] = 2.0
    assert vectors.dtype == np.float32


@pytest.mark.parametrize("bad", [np.array([np.nan]), np.array([np.inf]), np.array([1e39]), np.zeros((1, 1, 1))])
def test_what_cannot_be_written_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(InvalidInput):
        encode_vectors(bad)


@pytest.mark.parametrize(
    ("text", "dimension"),
    [("not base64!", 1), ("é", 1), ("AAAA", 1), ("AACAPw==", 2), ("AADAfw==", 1), ("AACAPw==", 0), ("AACAPw", 1)],
    ids=["alphabet", "not ascii", "three bytes", "half a vector", "nan", "no dimension", "padding lost"],
)
def test_what_cannot_be_read_is_refused(text: str, dimension: int) -> None:
    with pytest.raises(InvalidInput):
        decode_vectors(text, dimension)
