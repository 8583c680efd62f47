"""Which terms of an index a query's term may also mean: its other forms, compounds with it, and its parts.

Most languages inflect at the end of a word, some write words together, and others write articles and prepositions onto
them. Instead of a stemmer for each, a term is compared with the index's own vocabulary:

    compound     an index term that contains the query's, or all but its ending (Haltestellen: Straßenbahnhaltestelle)
    part         an index term with which the query's begins or ends (Apfelkuchen: Kuchen)
    other form   an index term that begins like the query's (газета: газету)
    joined       the query's term and its neighbour as one word (data base: database)

How strongly a row that says such a term says the query's is `AKIN` times the share of letters that both have in common:
a row that says the term itself is always worth more. `memory.lexical` counts each term of the query once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from math import ceil
from typing import Protocol

import regex

# A term akin to the query's is worth less than the term itself, however alike they are. Of a conversation benchmark's
# evidence full text alone finds 0.5 points less in the top 15 with 0.25, and as much with 0.75.
AKIN = 0.5
# More terms than this contain only what is in many words, such as an ending. What no visible row says does not count.
MOST = 30
# The share of letters that two forms of a word have in common, at least. Of inflected queries in 16 languages 0.5 finds
# 98.8 % instead of 98.1 % and 0.7 finds 97.5 %; English loses by none of them. Half a word is often another word.
COMMON = 0.6
# Shorter strings are in words of every kind.
SHORTEST = 4
# Words of these scripts have fewer letters: no short vowels are written, or stems of three letters are common.
_SHORTEST_IN_OTHERS = 3
# By how many letters the endings of two forms differ, at most.
_ENDINGS = 4
# What is left of a word without its ending must still be telling.
_ENDING, _SHORTEST_WITH_ENDING = 2, 7

# Scripts of which the index has pairs of characters instead of words.
_IN_PAIRS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}]")
_LETTERS = regex.compile(r"[\p{L}\p{M}]")
# What Hebrew and Arabic write onto the beginning of a word: articles, prepositions, "and".
_ONTO = {
    "hebrew": "ה ו ב ל מ ש כ וה וב ול ומ וש שה מה כש לכ".split(),
    "arabic": "و ف ب ل ك ال لل وال فال بال كال ولل".split(),
}
_WRITTEN_ON = regex.compile(r"(?P<hebrew>\p{Hebrew})|(?P<arabic>\p{Arabic})")
_LATIN = regex.compile(r"\p{Latin}")


class Vocabulary(Protocol):
    """The terms of an index."""

    def __contains__(self, term: str) -> bool:
        """Say whether a row has this term."""
        ...

    def containing(self, part: str) -> Iterator[str]:
        """Yield the terms that contain a string of four characters or more, the shortest first."""
        ...

    def starting(self, prefix: str, shortest: int, longest: int) -> Iterator[str]:
        """Yield the terms of a length that begin with a string of three characters or more."""
        ...


def kin(term: str, vocabulary: Vocabulary, most: int = MOST) -> Mapping[str, float]:
    """Find the terms of an index that are other forms of a term, compounds with it, or its parts.

    Args:
        term: as segmented.
        vocabulary: of the index, or of a part of it: the nearest of the whole are among the nearest of the parts.
        most: how many at most.

    Returns:
        The nearest, nearest first, each with the share of letters that it has in common with the term: above 0, at most
        1. The term itself is not among them. Of scripts without words, of numbers and of short terms there are none.
    """
    shortest = SHORTEST if _LATIN.match(term) else _SHORTEST_IN_OTHERS
    if len(_LETTERS.findall(term)) < shortest or _IN_PAIRS.search(term):
        return {}
    shares: dict[str, float] = {}
    for other, share in _forms_and_parts(term, shortest, vocabulary):
        if share > shares.get(other, 0.0) and other != term:
            shares[other] = share
    _add_compounds(term, vocabulary, most, shares)
    return _nearest(shares, most)


def strongest(
    term: str, found: Iterable[Mapping[str, float]], joined: Collection[str] = (), most: int = MOST
) -> Mapping[str, float]:
    """Choose what a query's term may also mean, from what `kin` found in each part of an index.

    Args:
        term: as segmented.
        found: by `kin`, at least so many of each part.
        joined: what the term makes when it is written together with its neighbours in the query.
        most: how many at most.

    Returns:
        The nearest, nearest first, each with its strength: above 0, at most `AKIN`.
    """
    shares = dict.fromkeys(joined, 1.0)
    shares.pop(term, None)
    for part in found:
        for other, share in part.items():
            if share > shares.get(other, 0.0):
                shares[other] = share
    return {other: AKIN * share for other, share in _nearest(shares, most).items()}


def _nearest(shares: Mapping[str, float], most: int) -> dict[str, float]:
    return {other: shares[other] for other in sorted(shares, key=lambda other: (-shares[other], other))[:most]}


def _add_compounds(term: str, vocabulary: Vocabulary, most: int, shares: dict[str, float]) -> None:
    """Add the terms that contain a term, or all but its ending, until so many are nearer than any to come."""
    size, length = len(term), 0
    core = term[:-_ENDING] if size >= _SHORTEST_WITH_ENDING else term
    if len(core) < SHORTEST:
        return
    for other in vocabulary.containing(core):
        if len(other) > length:
            length = len(other)
            nearer = len(shares) >= most and sum(share > size / length for share in shares.values())
            if nearer >= most:
                return
        share = (size if term in other else len(core)) / max(size, length)
        if share > shares.get(other, 0.0) and other != term:
            shares[other] = share


def _forms_and_parts(term: str, shortest: int, vocabulary: Vocabulary) -> Iterator[tuple[str, float]]:
    """Yield the other terms that are akin, with the share in common; one may come several times."""
    size = len(term)
    stem = max(shortest, ceil(COMMON * size))
    for other in vocabulary.starting(term[:stem], max(stem, size - _ENDINGS), size + _ENDINGS):
        share = _common(term, other, stem) / max(size, len(other))
        if share >= COMMON:
            yield other, share
    for other in _longer(term):
        if other in vocabulary:
            yield other, size / len(other)
    for length in range(shortest, size):
        for part in (term[:length], term[-length:]):
            if part in vocabulary:
                yield part, length / size


def _longer(term: str) -> Iterator[str]:
    """Yield a term of Hebrew or Arabic with what is written onto its beginning."""
    found = _WRITTEN_ON.match(term)
    if found:
        yield from (one + term for one in _ONTO[found.lastgroup or ""])


def _common(one: str, other: str, known: int) -> int:
    """Return how many characters two strings begin alike, at least those that are known to be."""
    shorter = min(len(one), len(other))
    while known < shorter and one[known] == other[known]:
        known += 1
    return known
