"""Late interaction: a passage is scored by how well each word of the question is met somewhere in it (MaxSim).

For each token of the query the largest cosine with any token of the passage, averaged with weights. With weights of
ln((N + 1) / (df + 0.5)), which the caller computes over its own space, this found 71.0 % of the evidence in the top 10
of a conversation benchmark against 68.1 % with equal weights and 67.3 % without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

# A word that is everywhere, and punctuation, still count for a little.
LEAST_WEIGHT = 0.05


def text_states(states: Floats, mask: Mask) -> tuple[Floats, Mask]:
    """L2-normalise token states and leave the special tokens out.

    Args:
        states: float32 (texts, tokens, dimension) with [CLS] first and [SEP] last among the real ones.
        mask: bool (texts, tokens), true where real.

    Returns:
        The states from the second token on, each of length 1, float32 (texts, tokens - 1, dimension); and which of
        them belong to the text, bool (texts, tokens - 1), all false for an empty text.
    """
    inner = states[:, 1:, :]
    norms = np.sqrt(np.einsum("btd,btd->bt", inner, inner))
    # The last real token is [SEP]: a token belongs to the text when its successor is real.
    belongs = np.zeros(inner.shape[:2], dtype=np.bool_)
    belongs[:, :-1] = mask[:, 2:]
    return inner / np.maximum(norms, np.float32(1e-12))[:, :, None], belongs


def max_similarities(query: Floats, passages: Floats, mask: Mask) -> Floats:
    """Find the best match of each query token in each passage.

    Args:
        query: float32 (query tokens, dimension), each row of length 1.
        passages: float32 (passages, tokens, dimension), each row of length 1.
        mask: bool (passages, tokens), which tokens count.

    Returns:
        float32 (passages, query tokens), cosines from -1 to 1; 0 for a passage without tokens.
    """
    count, tokens, dimension = passages.shape
    cosines = (passages.reshape(count * tokens, dimension) @ query.T).reshape(count, tokens, len(query))
    cosines[~mask] = -2.0
    best: Floats = cosines.max(axis=1, initial=-2.0)
    best[~mask.any(axis=1)] = 0.0
    return best


def passage_scores(query: Floats, weights: Floats, passages: Floats, mask: Mask) -> Floats:
    """Score passages against a query.

    Args:
        query: float32 (query tokens, dimension), each row of length 1.
        weights: float32 (query tokens,), positive.
        passages: float32 (passages, tokens, dimension), each row of length 1.
        mask: bool (passages, tokens), which tokens count.

    Returns:
        float32 (passages,): the weighted mean of the best cosines, -1 to 1, higher is better; all 0 for a query
        without tokens.
    """
    if not len(query):
        return np.zeros(len(passages), dtype=np.float32)
    return np.asarray(max_similarities(query, passages, mask) @ (weights / weights.sum()), dtype=np.float32)


def piece_weights(names: Sequence[tuple[str, str]], idf: Mapping[str, float] | None) -> Floats:
    """Look up the weight of each query token.

    A word's weight goes to each of its pieces; without one the piece's own counts. What the mapping does not know gets
    the mean of its weights when it is a word or number, and the least weight when it is punctuation.

    Args:
        names: (word, piece) of each token.
        idf: weight by word or piece; None or empty for equal weights.

    Returns:
        float32 (tokens,), each at least 0.05.
    """
    if not idf:
        return np.ones(len(names), dtype=np.float32)
    usual = sum(idf.values()) / len(idf)
    found = [idf.get(word, idf.get(piece, usual if _is_word(word) else 0.0)) for word, piece in names]
    return np.maximum(np.array(found, dtype=np.float32), np.float32(LEAST_WEIGHT))


def _is_word(text: str) -> bool:
    return any(character.isalnum() for character in text)
