"""Other orders in which an English statement says the same.

Each needs its own form words, which say who does what to whom, so that no order swaps two roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.pairs.quantities import Quantity

Part = str | Quantity
# The words and values of a statement, each with the article before it.
Words = Sequence[tuple[str, Part]]

# What these begin may stand at either end: "in the hall smoking is forbidden", "under the mat lies the key".
_MOVING = frozenset("in on at under behind near after before during until from for with without every since".split())
_OWN = frozenset(("my", "our"))
_IS = frozenset(("is", "are"))
_WAS = frozenset(("was", "were"))
_PLACES = frozenset(("in", "on", "at"))


def orders(words: Words) -> Iterator[Words]:
    """Return the other orders of a statement's words."""
    if len(words) > 2:
        yield from _moved(words)
        yield from _turned(words)
        yield from _active(words)
        yield from _having(words)


def _moved(words: Words) -> Iterator[Words]:
    """Move what opens a statement, a preposition and what belongs to it, to its end."""
    if words[0][1] not in _MOVING:
        return
    for cut in range(2, len(words) - 1):
        rest = words[cut:]
        yield [*rest, *words[:cut]]
        # A verb that came before its subject goes back behind it.
        yield [*rest[1:], rest[0], *words[:cut]]


def _turned(words: Words) -> Iterator[Words]:
    """Turn "my middle name is Ruth" round; "cats are animals" says another thing when turned."""
    at = [place for place, (_, part) in enumerate(words) if part == "is"]
    if len(at) != 1 or not 0 < at[0] < len(words) - 1 or any(part == "not" for _, part in words):
        return
    before, after = words[: at[0]], words[at[0] + 1 :]
    if any(one[0][0] == "the" or one[0][1] in _OWN for one in (before, after)):
        yield [*after, words[at[0]], *before]


def _active(words: Words) -> Iterator[Words]:
    """Say "the board approved the draft" for "the draft was approved by the board"."""
    for at in range(3, len(words) - 1):
        (_, state), (_, done), (_, by) = words[at - 2 : at + 1]
        if by != "by" or not isinstance(done, str) or not done.endswith("ed"):
            continue
        verbs = [done] if state in _WAS else _present(done) if state in _IS else []
        for verb in verbs:
            yield [*words[at + 1 :], ("", verb), *words[: at - 2]]


def _present(done: str) -> list[str]:
    bases = (done.removesuffix("ed"), done.removesuffix("d"))
    return [base + end for base in bases for end in ("", "s")]


def _having(words: Words) -> Iterator[Words]:
    """Say "the choir has 32 singers" for "there are 32 singers in the choir"."""
    places = [at for at, (_, part) in enumerate(words) if part in _PLACES]
    if words[0][1] != "there" or words[1][1] not in _IS or len(places) != 1 or not 2 < places[0] < len(words) - 1:
        return
    for verb in ("has", "have"):
        yield [*words[places[0] + 1 :], ("", verb), *words[2 : places[0]]]
