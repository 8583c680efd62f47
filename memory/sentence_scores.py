"""Scores the sentences of a text against a query, or by how much they stand for the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memory.lexical import Posting, relative_lengths, score_terms
from memory.retrieval import WEIGHTS, cosines, fuse

Floats = npt.NDArray[np.float32]


def against_query(
    query: Sequence[str], sentences: Sequence[Sequence[str]], vectors: Floats | None, vector: Floats | None
) -> Floats:
    """Score sentences by what they share with a query: `own` of `memory.retrieval`, with the sentences as the space.

    Args:
        query: terms of the query.
        sentences: each segmented.
        vectors: float32 (n, dimension) of the sentences; None without a model.
        vector: float32 (dimension,) of the query; None without a model.

    Returns:
        float32 (n,), 0..1.
    """
    everything = np.ones(len(sentences), dtype=np.bool_)
    lengths = np.array([len(terms) for terms in sentences], dtype=np.int32)
    relative = relative_lengths(lengths, np.zeros(len(sentences), dtype=np.int8), everything)
    postings = _postings(query, sentences)
    lexical = score_terms(postings, everything, relative)
    arms = {"lexical": lexical.coverage}
    if vectors is not None and vector is not None:
        arms["vectors"] = cosines(vectors, vector)
    return fuse(arms, {"lexical": WEIGHTS.lexical, "vectors": WEIGHTS.vectors})


def for_the_whole(sentences: Sequence[Sequence[str]], vectors: Floats | None) -> Floats:
    """Score sentences by how close they are to the middle of their text.

    Args:
        sentences: the telling terms of each.
        vectors: float32 (n, dimension); None without a model: then the words it repeats stand for it.

    Returns:
        float32 (n,), 0..1.
    """
    if vectors is not None and len(vectors):
        middle = vectors.mean(axis=0)
        return cosines(vectors, middle / max(float(np.linalg.norm(middle)), 1e-12))
    distinct = [set(terms) for terms in sentences]
    said = Counter(term for terms in distinct for term in terms)
    # The share of the other sentences that say a word, averaged over the words.
    others = max(1, len(sentences) - 1)
    return np.array(
        [sum(said[term] - 1 for term in terms) / (max(1, len(terms)) * others) for terms in distinct], dtype=np.float32
    )


def _postings(terms: Sequence[str], sentences: Sequence[Sequence[str]]) -> dict[str, Posting]:
    counted = [Counter(sentence) for sentence in sentences]
    postings = {}
    for term in terms:
        slots = [slot for slot, counts in enumerate(counted) if term in counts]
        counts = [counted[slot][term] for slot in slots]
        postings[term] = Posting(np.array(slots, dtype=np.int32), np.array(counts, dtype=np.int32))
    return postings
