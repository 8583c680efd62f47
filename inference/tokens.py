"""BERT's WordPiece tokens: what the embedded model reads, and the unit in which context is counted.

The tokenizer is loaded at the first use, so that a process that never counts does not pay for it. Special tokens are
put around the text here, not by the library: a text that happens to contain "[SEP]" stays text.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from memory.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

VOCAB_PATH = Path(__file__).parent / "vocab" / "bert-base-uncased.txt"

# Ids of [CLS] and [SEP], lines 102 and 103 of the vocabulary.
CLS_ID = 101
SEP_ID = 102
UNKNOWN = "[UNK]"
UNKNOWN_ID = 100  # line 101

# Longer words are one [UNK] to the model, whatever they say.
_MODEL_WORD_CHARS = 100
# Longer words are counted by their size: looking for pieces takes the square of the length.
_COUNTED_WORD_CHARS = 40
_IN_WORD = r"[[\p{L}\p{M}\p{N}]--\p{Han}]"
_LONG_WORD = regex.compile(rf"(?V1)(?<!{_IN_WORD}){_IN_WORD}{{{_COUNTED_WORD_CHARS + 1},}}+")
# For a word that the vocabulary cannot spell. cl100k makes 0.32 tokens of a byte of Thai, 0.53 of Khmer, 0.67 of
# Burmese, 0.70 of Lao and of emoji, where `estimate_tokens` says 0.33; it is right for base64 and Korean.
_TOKENS_PER_BYTE = 0.5

# A text is counted in pieces of about this size: 50 MB at once would take 2 GB, and hold up every other thread.
_PIECE_CHARS = 10_000
# A longer text is estimated. The worst text of this size, a sign a token, takes about 0.2 seconds.
EXACT_CHARS = 200_000
# No word goes on past these for the model. Other white space of Unicode is dropped by it as a control character.
_BREAKS = " \t\n\r"
_BREAK = regex.compile(f"[{_BREAKS}]")

# The length all-MiniLM-L6-v2 was trained with, special tokens included.
MAX_TOKENS = 256

_loading = threading.Lock()
_tokenizer: Tokenizer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """A text as the model reads it."""

    ids: tuple[int, ...]  # with [CLS] and [SEP]
    names: tuple[tuple[str, str], ...]  # (word, piece) of each id but [CLS] and [SEP]; lower case, without accents


def count_tokens(text: str) -> int:
    """Count the tokens of a text, untruncated and without special tokens.

    The count is exact up to `EXACT_CHARS` characters. A longer text is estimated from as many characters of it, in
    pieces spread evenly over the text, so that no text costs more than about 0.3 seconds.

    The model reads a word that the vocabulary cannot spell, or of more than 100 characters, as one [UNK]. A language
    model reads all of it, so such a word, and every one of more than 40 characters, counts by its size: text in a
    script without spaces, base64 and emoji are not free.

    Args:
        text: any text; lone surrogates count as replacement characters.

    Returns:
        The number of WordPiece tokens, with an estimate in place of each such word's; 0 for an empty text.
    """
    if len(text) <= EXACT_CHARS:
        return sum(map(_count, _cut(text)))
    sample = _spread(text)
    return max(1, round(sum(map(_count, sample)) * len(text) / sum(map(len, sample))))


def _cut(text: str) -> Iterator[str]:
    """Cut a text at white space; a word stays whole, so that the counts of the pieces add up to the text's."""
    start = 0
    while start < len(text):
        found = _BREAK.search(text, start + _PIECE_CHARS)
        end = found.end() if found else len(text)
        yield text[start:end]
        start = end


def _spread(text: str) -> list[str]:
    """Return pieces from the first to the last of a long text, at white space where there is some."""
    count = EXACT_CHARS // _PIECE_CHARS
    starts = [number * (len(text) - _PIECE_CHARS) // (count - 1) for number in range(count)]
    return [_whole_words(text[start : start + _PIECE_CHARS]) for start in starts]


def _whole_words(piece: str) -> str:
    first = _BREAK.search(piece)
    last = max(piece.rfind(one) for one in _BREAKS)
    return piece[first.start() : last] if first and first.start() < last else piece


def _count(text: str) -> int:
    text = _without_surrogates(text)
    unknown = _LONG_WORD.findall(text)
    if unknown:
        text = _LONG_WORD.sub(" ", text)
    encoding = _encode(text)
    ids = encoding.ids
    spelled = len(ids) - ids.count(UNKNOWN_ID)
    if spelled < len(ids):
        unknown += [
            text[start:end] for one, (start, end) in zip(ids, encoding.offsets, strict=True) if one == UNKNOWN_ID
        ]
    return spelled + sum(map(_size, unknown))


def _size(word: str) -> int:
    """Return about how many tokens a language model makes of a word, 1 or more."""
    return max(1, math.ceil(max(estimate_tokens(word), _TOKENS_PER_BYTE * len(word.encode()))))


def token_ids(texts: Sequence[str], limit: int = MAX_TOKENS) -> list[list[int]]:
    """Turn texts into the ids the model reads.

    Args:
        texts: any texts.
        limit: most ids of one text, special tokens included; what is beyond is cut off.

    Returns:
        One list per text, [CLS] first and [SEP] last, not padded.
    """
    return [[CLS_ID, *_encode(text).ids[: limit - 2], SEP_ID] for text in texts]


def split_pieces(text: str, limit: int = MAX_TOKENS) -> Pieces:
    """Turn a text into ids together with the words and pieces they stand for.

    Args:
        text: any text.
        limit: most ids, special tokens included.

    Returns:
        The ids and, for each but the special ones, its word and its piece.
    """
    text = _without_surrogates(text)
    encoding = _encode(text)
    words = _words(text, encoding)
    kept = encoding.ids[: limit - 2]
    names = tuple(
        (words[word], piece) for word, piece in zip(encoding.word_ids, encoding.tokens, strict=True) if word is not None
    )
    return Pieces(ids=(CLS_ID, *kept, SEP_ID), names=names[: limit - 2])


def _words(text: str, encoding: Encoding) -> dict[int, str]:
    """Join the pieces of each word; a word the vocabulary cannot spell is taken from the text."""
    words: dict[int, str] = {}
    for word, piece, (start, end) in zip(encoding.word_ids, encoding.tokens, encoding.offsets, strict=True):
        if word is not None:
            spelled = text[start:end].lower() if piece == UNKNOWN else piece.removeprefix("##")
            words[word] = words.get(word, "") + spelled
    return words


def _encode(text: str) -> Encoding:
    return _load().encode(_without_surrogates(text), add_special_tokens=False)


def _without_surrogates(text: str) -> str:
    # JSON can carry half a surrogate pair; the tokenizer refuses such a string.
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _load() -> Tokenizer:
    global _tokenizer
    with _loading:
        if _tokenizer is None:
            _tokenizer = _build(VOCAB_PATH)
        return _tokenizer


def _build(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    lines = path.read_text(encoding="utf-8").split("\n")
    vocabulary = {piece: number for number, piece in enumerate(lines) if piece}
    tokenizer = Tokenizer(WordPiece(vocab=vocabulary, unk_token=UNKNOWN, max_input_chars_per_word=_MODEL_WORD_CHARS))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer
