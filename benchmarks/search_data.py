"""Vectors like those of real text, in any number, the same in every run.

The base are sentences from the documentation of Python's standard library, embedded with the shipped model. Rows beyond
the base are its vectors with Gaussian noise of length 0.4 added, normalised: every text has then many that are almost
its equal, which is harder for a search by codes than different texts are.
"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from inference.batches import micro_batches
from inference.minilm import MiniLM, mean_pool
from inference.tokens import token_ids

Floats = npt.NDArray[np.float32]

SEED = 20261201
BASE = 5_000  # sentences embedded: some 30 seconds
QUERIES = 200  # further sentences
NOISE = 0.4
WORDS = (6, 40)  # a sentence has between so many words


def sentences() -> list[str]:
    """Return sentences of the standard library's documentation, each once, in an order made by the seed."""
    folder = Path(sysconfig.get_path("stdlib"))
    found = {sentence for path in folder.glob("*.py") for text in _docstrings(path) for sentence in _split(text)}
    chosen = sorted(found)
    random.Random(SEED).shuffle(chosen)
    return chosen


def _docstrings(path: Path) -> Iterator[str]:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield text


def _split(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?])\s+", " ".join(paragraph.split())):
            if WORDS[0] <= len(sentence.split()) <= WORDS[1] and ">>>" not in sentence:
                yield sentence


def embed(texts: list[str], model: MiniLM) -> Floats:
    """Embed texts; float32 (n, 384), each of length 1."""
    ids = token_ids(texts)
    vectors = np.empty((len(texts), 384), dtype=np.float32)
    for batch in micro_batches([len(one) for one in ids]):
        vectors[batch] = mean_pool(*model.run([ids[position] for position in batch]))
    return vectors


def base_and_queries() -> tuple[list[str], Floats, Floats]:
    """Return the base sentences, their vectors, and the vectors of others that ask."""
    texts = sentences()[: BASE + QUERIES]
    vectors = embed(texts, MiniLM())
    return texts[QUERIES:], vectors[QUERIES:], vectors[:QUERIES]


def grown(base: Floats, count: int) -> Floats:
    """Return so many vectors: the base, then it again and again with noise.

    Args:
        base: float32 (m, dimension), of length 1.
        count: rows wanted.

    Returns:
        float32 (count, dimension), of length 1.
    """
    rng = np.random.default_rng(SEED)
    rows = np.empty((count, base.shape[1]), dtype=np.float32)
    for first in range(0, count, len(base)):
        part = rows[first : first + len(base)]
        part[:] = base[: len(part)]
        if first:
            noise = rng.standard_normal(part.shape, dtype=np.float32)
            part += np.float32(NOISE) * noise / np.linalg.norm(noise, axis=1, keepdims=True)
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    return rows
