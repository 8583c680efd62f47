"""Composes an answer out of evidence without a writer: the sentences that say it, with the number of their source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

NOTHING_FOUND = "Nothing in memory answers this."

# Below this a row's own relevance is chance: of the best rows for questions about other people, 95 of 100 were under
# 0.36, and 95 of 100 that held the answer were over 0.42 (a conversation benchmark, 882 questions).
RELEVANT = 0.35

# Evidence is what is at least this near to the best of it; the rest would only fill the context.
NEAR_BEST = 0.5

# Sentences that are weighed for an answer: 48 take an embedder about 0.2 seconds.
MOST_QUOTES = 48

# Sentences of an answer: more is what the citations are for.
MOST_SENTENCES = 3

# Another sentence is added while it is nearly as good as the first.
NEARLY = 0.8

# A sentence is chosen for what it says; where it stands breaks near ties.
OWN_SHARE = 0.7

# A longer sentence is a list or code: its beginning is quoted.
LONGEST_QUOTE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A sentence that may be part of an answer."""

    n: int  # number of its citation
    text: str  # as it is shown
    terms: tuple[str, ...]  # segmented
    says: frozenset[str]  # its terms without those of who said it and when
    relevance: float  # of the row it is from, 0..1


def compose(quotes: Sequence[Quote], own: Floats) -> str:
    """Put the best sentences together.

    Args:
        quotes: sentences of the evidence, in the order of their citations.
        own: float32 (quotes,), how well each fits the question by itself, 0..1.

    Returns:
        At most three sentences, each followed by the number of its citation; a sentence that says only what an earlier
        one says is left out.
    """
    if not quotes:
        return NOTHING_FOUND
    ranks = np.array([quote.relevance for quote in quotes], dtype=np.float32)
    scores = OWN_SHARE * own + (1 - OWN_SHARE) * ranks
    order = np.argsort(-scores, kind="stable")
    chosen: list[Quote] = []
    said: set[str] = set()
    for number in order:
        if scores[number] < NEARLY * scores[order[0]] or len(chosen) == MOST_SENTENCES:
            break
        if not quotes[number].says <= said:
            chosen.append(quotes[number])
            said |= quotes[number].says
    return " ".join(f"{_shortened(quote.text)} [{quote.n}]" for quote in chosen)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE].rsplit(maxsplit=1)[0]} ..."
