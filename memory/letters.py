"""How sure a model is of each letter it may answer: read from the probabilities of its first token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.errors import BadAnswer

# Below this share of all tokens, a model that did not answer with a letter meant something else: the letters it shows
# are the tail of a sentence's first word.
MEANT = 0.5
# A letter that is not shown is less likely than the least likely token that is; how much less is not known.
FLOOR = 0.5

Shown = Sequence[tuple[str, float]]  # token and natural logarithm of its probability


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """An answer by letters."""

    probabilities: Mapping[str, float]  # by letter, 0 to 1, sum 1
    model: str  # what the server calls itself
    prompt_tokens: int


def read_letters(content: str, shown: Shown, letters: Sequence[str]) -> dict[str, float]:
    """Read how sure a model is of each letter.

    The server shows probabilities from before the grammar, so that other tokens are among them; they are left out, and
    the rest is made to sum to 1.

    Args:
        content: what was answered.
        shown: the likeliest first tokens; none when the server tells no probabilities.
        letters: what may be answered, at least one.

    Returns:
        A probability for each letter, sum 1.

    Raises:
        BadAnswer: neither an allowed answer nor probabilities of one.
    """
    answer = content.strip()
    if not shown:
        if answer not in letters:
            raise BadAnswer(answer=answer[:40])
        return {letter: float(letter == answer) for letter in letters}
    seen = _seen(shown, letters)
    mass = sum(seen.values())
    if mass <= 0.0 or (answer not in letters and mass < MEANT):
        raise BadAnswer(answer=answer[:40])
    floor = _floor(shown, missing=len(letters) - len(seen))
    weights = {letter: seen.get(letter, floor) for letter in letters}
    total = sum(weights.values())
    return {letter: weight / total for letter, weight in weights.items()}


def _seen(shown: Shown, letters: Sequence[str]) -> dict[str, float]:
    seen: dict[str, float] = {}
    for token, logarithm in shown:
        letter = token.strip()
        if letter in letters:
            seen[letter] = seen.get(letter, 0.0) + math.exp(logarithm)
    return seen


def _floor(shown: Shown, *, missing: int) -> float:
    """Return the weight of a letter that is not shown; together they cannot have more than what is left over."""
    probabilities = [math.exp(logarithm) for _, logarithm in shown]
    left = max(0.0, 1.0 - sum(probabilities))
    return min(FLOOR * min(probabilities), left / max(1, missing))
