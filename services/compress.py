"""Compress: a text in, the sentences that matter out, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory import compression
from memory.errors import ModelError
from memory.ports import Vectors
from memory.records import Compressed, Scope
from memory.segmentation import query_terms, segment
from memory.sentence_scores import against_query, for_the_whole
from services.host import Host

# Without a budget a text is cut to this part of its tokens.
DEFAULT_SHARE = 4

# A longer text is cut into joined sentences: 512 of them are about 2 seconds of an embedder on one core.
MOST_UNITS = 512

# Texts of one call to the embedder: 32 sentences take about 0.1 seconds, so that other callers come in between.
CALL = 32


def compress(scope: Scope, host: Host, text: str, *, q: str | None = None, budget: int | None = None) -> Compressed:
    """Keep what matters of a text.

    Args:
        scope: who asks; nothing is read or kept.
        host: the adapters.
        text: what to cut down.
        q: what matters; None: what stands for the whole text, each thing once.
        budget: most tokens of the result, 1 or more; a quarter of the text's when left out.

    Returns:
        Whole sentences in their own order, never over the budget; the best one is cut short when not even one fits.
    """
    before = host.count_tokens(text)
    budget = max(1, before // DEFAULT_SHARE) if budget is None else budget
    spans = compression.units(text, MOST_UNITS)
    if before <= budget or not spans:
        return Compressed(text=text, tokens_before=before, tokens_after=before, kept=len(spans), dropped=0)
    pieces = [text[start:end] for start, end in spans]
    vectors, degraded = embed_all(host, [*pieces, q] if q else pieces)
    if q:
        meant = None if vectors is None else vectors[-1]
        scores = against_query(
            query_terms(q), [segment(piece) for piece in pieces], None if vectors is None else vectors[:-1], meant
        )
    else:
        scores = for_the_whole([query_terms(piece) for piece in pieces], vectors)
    costs = [host.count_tokens(piece) for piece in pieces]
    redundancy = 0.0 if q else compression.REDUNDANCY
    picked = compression.select(scores, costs, budget, vectors=None if q else vectors, redundancy=redundancy)
    kept = compression.join(text, spans, picked) if picked else _cut(host, pieces[int(np.argmax(scores))], budget)
    return Compressed(
        text=kept,
        tokens_before=before,
        tokens_after=host.count_tokens(kept),
        kept=len(picked) or 1,
        dropped=len(spans) - (len(picked) or 1),
        degraded=degraded,
    )


def embed_all(host: Host, texts: Sequence[str]) -> tuple[Vectors | None, tuple[str, ...]]:
    """Embed texts in small calls.

    Returns:
        The vectors, float32 (texts, dimension), or None when the model did not answer; and what a person should know.
    """
    parts: list[Vectors] = []
    notes: list[str] = []
    for start in range(0, len(texts), CALL):
        try:
            embedded = host.models.embed(texts[start : start + CALL])
        except ModelError as error:
            return None, (f"Sentences were compared by their words alone: {error.message}",)
        parts.append(embedded.vectors)
        notes += [embedded.degraded] if embedded.degraded else []
    return (np.concatenate(parts) if parts else None), tuple(dict.fromkeys(notes))


def _cut(host: Host, sentence: str, budget: int) -> str:
    """Return the longest beginning of a sentence, in whole characters, that is within a budget."""
    low, high = 0, len(sentence)
    while low < high:
        middle = (low + high + 1) // 2
        if host.count_tokens(sentence[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    kept = sentence[:low]
    # A word cut in two reads as another word; a text without spaces has no other place to be cut.
    whole = kept.rsplit(maxsplit=1)[0] if low < len(sentence) and len(kept.split()) > 1 else kept
    return whole.rstrip()
