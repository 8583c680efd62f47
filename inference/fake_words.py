"""A model made of words: vectors that are near when texts share words, scores that are the share of words met. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_WORD = re.compile(r"\w+")


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def word_vectors(texts: Sequence[str], dimension: int) -> Floats:
    """Embed texts as bags of words: equal texts are equal, texts with common words are near.

    Args:
        texts: any texts, at least one.
        dimension: length of a vector.

    Returns:
        float32 (texts, dimension), each of length 1.
    """
    vectors = np.stack([_bag(text, dimension) for text in texts])
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def word_overlaps(query: str, passages: Sequence[str]) -> Floats:
    """Score passages by the share of the query's words they contain.

    Args:
        query: any text.
        passages: any texts.

    Returns:
        float32 (passages,), 0 to 1.
    """
    asked = set(split_words(query))
    shares = [len(asked & set(split_words(passage))) / max(1, len(asked)) for passage in passages]
    return np.array(shares, dtype=np.float32)


def _bag(text: str, dimension: int) -> Floats:
    # The empty word is in every text, so that none has a zero vector; it weighs little.
    vector = _word(" ", dimension) * np.float32(0.01)
    for word in split_words(text):
        vector = vector + _word(word, dimension)
    return vector


@lru_cache(maxsize=20_000)
def _word(word: str, dimension: int) -> Floats:
    seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
