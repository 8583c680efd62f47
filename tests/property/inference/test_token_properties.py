"""Counting in pieces is counting the whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference import tokens

words = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["unaffable", "Cafe\u0301", "ab1" * 20, "日本", "🙂", "\x1c", "\x85", "\u2003", "\u0301x", "\ud83d", "\ude42"]
    ),
)
texts = st.lists(st.tuples(words, st.sampled_from(["", " ", "\t", "\n", "\r\n", "  "])), max_size=30).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)


@settings(max_examples=300, deadline=None)
@given(text=texts, size=st.integers(0, 20))
def test_the_counts_of_pieces_add_up_to_the_count_of_the_text(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tokens, "_PIECE_CHARS", size)
        assert "".join(tokens._cut(text)) == text
        assert tokens.count_tokens(text) == tokens._count(text)
