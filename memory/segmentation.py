"""Cuts text into search terms, for languages with and without spaces and for code; index and query use the same rule.

The index is fed these terms joined by spaces (`shadow`), so its own tokenizer must only split at white space:
`unicode61 remove_diacritics 0 categories 'L* M* N* Co S* P*'`. `TOKENIZER_VERSION` is stored with what was indexed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import regex

from memory.english import STOP_WORDS, stem
from memory.text_folding import compose, fold, transcribed

TOKENIZER_VERSION: int = 2

# No word people search for is longer; longer runs (base64, minified code) are indexed in slices of this size.
LONGEST_TERM = 64
# A piece without white space that is longer seldom comes again.
_KEPT_CHARS = 24

_JOINED = r"(?:(?:::|->|[-./\\:@'&]|(?<=\d),(?=\d))_*|_+)"
_WORD = r"[[\p{L}\p{M}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}]]"
_TOKEN = regex.compile(
    rf"""(?P<han>[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}ー]+)
       | (?P<cluster>[\p{{Thai}}\p{{Lao}}\p{{Khmer}}\p{{Myanmar}}]+)
       | (?P<hangul>\p{{Hangul}}+)
       | (?P<word>{_WORD}++(?:{_JOINED}{_WORD}++)*+(?:\+\+|\#(?![\p{{L}}\p{{N}}]))?)
       | (?P<emoji>\p{{RI}}\p{{RI}}|[\p{{Extended_Pictographic}}--\p{{ASCII}}])
       | (?P<sign>\p{{Sc}})
    """,
    regex.VERBOSE | regex.VERSION1,
)
_SEPARATOR = regex.compile(r"(?:->|[-./\\:@'&_,])+")
_CASE_PARTS = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+")
_GRAPHEME = regex.compile(r"\X")
_HIRAGANA = regex.compile(r"[\p{Hiragana}ー]")
_THOUSANDS = regex.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
# What may stand around a word of a sentence.
_AROUND = ".,;:!?\"'()[]«»„“”¿¡"
_CLITICS = frozenset("s t m d ll re ve".split())
_PARTICLES = (
    "에서",
    "으로",
    "에게",
    "까지",
    "부터",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "의",
    "도",
    "로",
    "와",
    "과",
)
_ARTICLES = ("وال", "بال", "كال", "فال", "ال", "لل")


def segment(text: str) -> list[str]:
    """Cut a text into index terms, in order, repeated terms included.

    Args:
        text: any text.

    Returns:
        Terms without white space. A word gives its stem; a compound such as `src/main.rs`, `parseHTTPHeader` or `don't`
        gives the whole and its parts; Han and Kana give pairs and single characters; Thai, Lao, Khmer and Burmese pairs
        of clusters; Hangul the word, without particle too, and its pairs.
    """
    return list(_terms(text, single_han=True))


def shadow(text: str) -> str:
    """Return the index terms of a text joined by single spaces: what the full-text index is fed."""
    return " ".join(_terms(text, single_han=True))


def query_terms(text: str) -> list[str]:
    """Return the terms of a query, each once.

    Args:
        text: a question or key words.

    Returns:
        The terms without English stop words, unless nothing else remains. An empty list means that nothing can match;
        it never means everything. Single Han characters are only searched for in runs of at most two.
    """
    terms = list(dict.fromkeys(_terms(text, single_han=False)))
    return [term for term in terms if term not in _STOP_TERMS] or terms


def joined_terms(text: str) -> dict[str, list[str]]:
    """Return what the terms of a query make when two words that stand side by side are written as one.

    Args:
        text: a question or key words.

    Returns:
        By term of either word, the terms of both in one: "wi fi" gives wifi for wi and for fi.
    """
    joined: dict[str, list[str]] = {}
    words = [piece.strip(_AROUND) for piece in compose(text).split()]
    for pair in pairwise(words):
        if all(word.isalpha() for word in pair) and sum(map(len, pair)) <= LONGEST_TERM:
            whole = _term(fold("".join(pair)))
            for term in (term for word in pair for term in _kept_slices(word)):
                joined.setdefault(term, []).append(whole)
    return joined


def _terms(text: str, *, single_han: bool) -> Iterator[str]:
    # A token of nothing but marks folds to nothing.
    return filter(None, _raw_terms(text, single_han))


def _raw_terms(text: str, single_han: bool) -> Iterator[str]:
    # No token holds white space, so a text is cut piece by piece.
    for piece in compose(text).replace("’", "'").replace("‘", "'").split():
        yield from _kept_piece(piece, single_han) if len(piece) <= _KEPT_CHARS else _piece_terms(piece, single_han)


@lru_cache(maxsize=16_384)
def _kept_piece(piece: str, single_han: bool) -> tuple[str, ...]:
    """Return the terms of a short piece; kept, because most words of a text are among the last few thousand."""
    return tuple(_piece_terms(piece, single_han))


def _piece_terms(piece: str, single_han: bool) -> Iterator[str]:
    for found in _TOKEN.finditer(piece):
        kind, token = found.lastgroup, found.group()
        if kind == "word":
            yield from _compound(token) if _needs_parts(token) else _slices(token)
        elif kind == "han":
            yield from _han(token, single_han)
        elif kind == "cluster":
            yield from _pairs(_GRAPHEME.findall(token))
        elif kind == "hangul":
            yield from _hangul(token)
        else:
            yield token


def _needs_parts(token: str) -> bool:
    return not (token.isalpha() and (token.islower() or token[1:].islower()))


def _slices(word: str) -> Iterator[str]:
    """Yield a plain word's term: its stem, or slices when it is too long to be a word."""
    folded = fold(word)
    if len(folded) > LONGEST_TERM:
        yield from (folded[at : at + LONGEST_TERM] for at in range(0, len(folded), LONGEST_TERM))
        return
    yield _term(folded)
    if folded.isascii():
        other = None if word.isascii() else transcribed(word)
        if other:
            yield _term(other)
    elif bare := _without_article(folded):
        yield bare


@lru_cache(maxsize=4_096)
def _kept_word(word: str) -> tuple[str, ...]:
    return tuple(_slices(word))


def _kept_slices(word: str) -> Iterable[str]:
    return _kept_word(word) if len(word) <= _KEPT_CHARS else _slices(word)


def _compound(token: str) -> Iterator[str]:
    """Yield a compound's terms: the whole, its joined spelling and its parts."""
    if _THOUSANDS.fullmatch(token):
        yield token.replace(",", "")
        return
    pieces = _SEPARATOR.split(token)
    word = token
    if len(pieces) > 1 and token[-2:].lower() == "'s":
        word = token[:-2]
        pieces.pop()
    if len(pieces) > 1:
        yield from _wholes(fold(word), len(pieces))
    kept = [piece for piece in pieces if len(piece) > 1 or not (piece.isascii() and piece.isalpha())]
    for piece in kept if len(pieces) > 1 else pieces:
        if not ("'" in word and piece.lower() in _CLITICS):
            yield from _piece(piece)


def _wholes(folded: str, pieces: int) -> Iterator[str]:
    """Yield a compound as written and, for two parts such as e-mail or don't, written as one word."""
    if len(folded) > LONGEST_TERM:
        return
    yield folded
    joined = folded.replace("-", "").replace("'", "")
    if pieces == 2 and joined.isalpha():
        yield _term(joined)


def _piece(piece: str) -> Iterator[str]:
    """Yield the terms of a compound's part: itself, and what camel case or digits make of it."""
    bare = piece.removesuffix("++").removesuffix("#")
    if bare != piece:
        yield fold(piece)
    yield from _slices(bare)
    parts = _CASE_PARTS.findall(bare) if len(bare) <= LONGEST_TERM else []
    if len(parts) > 1:
        for part in parts:
            if len(part) > 1 or part.isdigit():
                yield from _slices(part)


def _term(folded: str) -> str:
    return stem(folded) if folded.isascii() and folded.isalpha() else folded


def _han(run: str, singles: bool) -> Iterator[str]:
    folded = fold(run)
    yield from (folded[at : at + 2] for at in range(len(folded) - 1))
    if singles or len(folded) <= 2:
        yield from (char for char in folded if len(folded) == 1 or not _HIRAGANA.match(char))


def _pairs(units: list[str]) -> Iterator[str]:
    if len(units) == 1:
        yield units[0]
    yield from (first + second for first, second in pairwise(units))


def _hangul(word: str) -> Iterator[str]:
    if len(word) <= LONGEST_TERM:
        yield word
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) > len(particle):
            yield word[: -len(particle)][:LONGEST_TERM]
            break
    if len(word) > 2:
        yield from (word[at : at + 2] for at in range(len(word) - 1))


def _without_article(word: str) -> str | None:
    """Return an Arabic word without its article and what is written together with it, None when it has none."""
    for article in _ARTICLES:
        if word.startswith(article) and len(word) - len(article) >= 2:
            return word[len(article) :]
    return None


_STOP_TERMS = (
    STOP_WORDS | {stem(word) for word in STOP_WORDS} | {word.replace("'", "") for word in STOP_WORDS if "'" in word}
)
