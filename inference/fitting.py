"""Asks a model server for texts that may be over its limit of tokens: learns the limit from its refusal and fits.

Characters do not tell: dense text has one token for two of them, prose one for four or five.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference.wire import ModelServer
from memory.errors import InputTooLong, ModelTimeout

Floats = npt.NDArray[np.float32]

# Below this a refusal is not about length; a token has rarely more characters.
SHORTEST_CHARS = 16
# Of the length that the refusal speaks for: tokens are not spread evenly over a text.
MARGIN = 0.9
# A cut halves at worst: 2^20 characters are far over any request's limit.
MOST_CUTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What a server made of texts that were cut where it needed that."""

    values: Floats  # vectors (n, dimension) or scores (n,)
    cut: bool = False  # whether something was left out


def embed_whole(server: ModelServer, texts: Sequence[str], *, timeout: float | None = None) -> Floats:
    """Embed texts, each whole: one that is too long is embedded in parts, whose vectors are averaged.

    Args:
        server: the embedder.
        texts: any texts.
        timeout: seconds for each call.

    Returns:
        float32 (n, dimension), each row of length 1, in the order of the texts.

    Raises:
        InputTooLong: even a few characters are too much.
        ModelError: as `ModelServer.embed`.
    """
    try:
        return server.embed(texts, timeout=timeout)
    except InputTooLong as refusal:
        if len(texts) > 1:
            middle = len(texts) // 2
            halves = [embed_whole(server, part, timeout=timeout) for part in (texts[:middle], texts[middle:])]
            return np.concatenate(halves)
        parts = _parts(texts[0], refusal)
    vectors = embed_whole(server, parts, timeout=timeout)
    weights = np.array([len(part) for part in parts], dtype=np.float32)
    mean = weights @ vectors
    norm = float(np.linalg.norm(mean))
    # Parts that point in opposite directions cancel out; the first then speaks for all.
    return np.asarray((mean / norm if norm > 1e-6 else vectors[0])[np.newaxis], dtype=np.float32)


def embed_beginnings(server: ModelServer, texts: Sequence[str], *, timeout: float) -> Fitted:
    """Embed texts that somebody waits for: of one that is too long, the beginning.

    Args:
        server: the embedder.
        texts: any texts.
        timeout: seconds in all.

    Returns:
        Vectors.

    Raises:
        InputTooLong: even a few characters are too much.
        ModelError: as `ModelServer.embed`.
    """
    return _fit(texts, timeout, lambda fitting, left: server.embed(fitting, timeout=left))


def rerank_fitting(
    server: ModelServer, query: str, passages: Sequence[str], idf: Mapping[str, float] | None, *, timeout: float
) -> Fitted:
    """Score passages; where one is too long its beginning is scored, and of the query as much as fits with it.

    Args:
        server: the reranker.
        query: what they are scored against.
        passages: any texts.
        idf: weights of the query's words.
        timeout: seconds in all.

    Returns:
        Scores.

    Raises:
        InputTooLong: even a few characters are too much.
        ModelError: as `ModelServer.rerank`.
    """

    def ask(fitting: Sequence[str], left: float) -> Floats:
        return server.rerank(fitting[0], fitting[1:], idf, timeout=left)

    return _fit((query, *passages), timeout, ask)


def _fit(texts: Sequence[str], timeout: float, ask: Callable[[Sequence[str], float], Floats]) -> Fitted:
    until = time.monotonic() + timeout
    fitting = list(texts)
    for _ in range(MOST_CUTS):
        left = until - time.monotonic()
        if left <= 0:
            raise ModelTimeout()
        try:
            return Fitted(values=ask(fitting, left), cut=fitting != list(texts))
        except InputTooLong as refusal:
            longest = max(map(len, fitting))
            if longest <= SHORTEST_CHARS:
                raise
            size = _fitting_chars(longest, refusal)
            fitting = [text[:size] for text in fitting]
    raise InputTooLong()


def _parts(text: str, refusal: InputTooLong) -> list[str]:
    """Cut a text into parts that should fit, at white space where there is some near."""
    if len(text) <= SHORTEST_CHARS:
        raise refusal
    size = _fitting_chars(len(text), refusal)
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + size)
        if end < len(text):
            space = text.rfind(" ", start + size // 2, end)
            end = space + 1 if space >= 0 else end
        parts.append(text[start:end])
        start = end
    return parts


def _fitting_chars(length: int, refusal: InputTooLong) -> int:
    """Return how many characters of a refused text should fit: by the refusal's numbers, or half."""
    tokens, limit = refusal.details.get("tokens"), refusal.details.get("limit")
    half = max(1, length // 2)
    if not (isinstance(tokens, int) and isinstance(limit, int) and 0 < limit < tokens):
        return half
    # No fewer than an eighth: a server that states nonsense must not shred a text.
    return max(length // 8, min(int(length * limit / tokens * MARGIN), length - 1), 1)
