"""Micro-batches."""

from __future__ import annotations

from inference.batches import BATCH_TOKENS, micro_batches, padded


def test_long_texts_go_alone_and_short_ones_together() -> None:
    batches = micro_batches([256, 12, 256, 12, 12])
    assert batches == [[1, 3, 4], [0], [2]]


def test_the_default_fits_one_long_text_or_many_short_ones() -> None:
    assert [BATCH_TOKENS // length for length in (256, 100, 40, 12)] == [1, 4, 12, 40]


def test_nothing_makes_no_batch() -> None:
    assert micro_batches([]) == []


def test_padding_is_marked() -> None:
    ids, mask = padded([[5, 6, 7], [8]])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[True, True, True], [True, False, False]]
