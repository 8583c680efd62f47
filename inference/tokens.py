"""BERT's WordPiece tokens: what the embedded model reads, and the unit in which context is counted.

The tokenizer is loaded at the first use, so that a process that never counts does not pay for it. Special tokens are
put around the text here, not by the library: a text that happens to contain "[SEP]" stays text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

VOCAB_PATH = Path(__file__).parent / "vocab" / "bert-base-uncased.txt"

# Ids of [CLS] and [SEP], lines 102 and 103 of the vocabulary.
CLS_ID = 101
SEP_ID = 102
UNKNOWN = "[UNK]"

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

    Args:
        text: any text; lone surrogates count as replacement characters.

    Returns:
        The number of WordPiece tokens, 0 for an empty text.
    """
    return len(_encode(text).ids)


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
    tokenizer = Tokenizer(WordPiece(vocab=vocabulary, unk_token=UNKNOWN, max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer
