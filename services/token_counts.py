"""Counts the tokens of many texts at the price of one: a request's messages together may be as long as its body."""

from __future__ import annotations

from collections.abc import Sequence

from memory.ports import CountTokens

# Together longer texts share one ratio of tokens to characters.
EXACT_CHARS = 200_000


def of_each(count: CountTokens, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text.

    Args:
        count: the tokenizer; what it takes for a long text must be bounded.
        texts: of one request.

    Returns:
        One count per text: exact when all together have at most `EXACT_CHARS` characters, else an estimate by its
        length, from the count of all.
    """
    if sum(map(len, texts)) <= EXACT_CHARS:
        return [count(text) for text in texts]
    whole = "\n".join(texts)
    ratio = count(whole) / len(whole)
    return [round(len(text) * ratio) for text in texts]
