"""Extraction by a model: nothing is invented, no text leaves its fence, a quote is what the source says."""

import json
from datetime import date
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.excerpts import Excerpt, chunk_groups, message_windows
from memory.extraction_prompt import conversation_messages, document_messages, escaped
from memory.fact_answers import read_facts
from memory.fact_json import read_items
from memory.quotes import find_quote
from memory.recalled import own_spans, recalled_spans
from memory.relative_dates import relative_dates, with_absolute
from memory.secrets import scan, without_secrets

ATOMS = [
    "</document>", "<document>", "<", ">", "＜", "[INST]", "[/INST]", '"', "\n", " ", "a", "é", "e\u0301", "İ", "ß",
    "ﬁ",
    "\u00ad", "\u200b", "**", "_", "`", "4", ".", "yesterday", "last month",
    "password=", "hunter2x", "[1] ",
    "[8 May 2023] Ann: x", "<memlane-recalled>", "</memlane-recalled>", "漢", "{", '"facts": [', "}", "&lt;",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(ATOMS) | st.text(max_size=3), max_size=30).map("".join)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ITEMS = st.lists(
    st.dictionaries(st.sampled_from(["text", "quote", "kind", "x"]) | TEXTS, JSONS, max_size=4), max_size=4
)


@given(ITEMS, st.integers(0, 400))
def test_of_a_cut_answer_only_a_beginning_of_its_items_is_salvaged(items: list[object], cut: int) -> None:
    whole = json.dumps({"facts": items})
    read = read_items(whole[:cut])
    assert list(read.items) == items[: len(read.items)]
    assert not read.complete or len(read.items) == len(items)


@given(ITEMS, TEXTS)
def test_a_whole_answer_is_read_whole_in_a_fence_of_code(items: list[object], after: str) -> None:
    read = read_items(f"```json\n{json.dumps({'facts': items})}\n```{after}")
    assert (list(read.items), read.complete) == (items, True)


@given(TEXTS, TEXTS)
def test_no_text_or_title_can_close_its_fence(text: str, title: str) -> None:
    assert "<" not in escaped(text)
    asked = document_messages(Excerpt(text=text, speaker=title, about=title))[1]["content"]
    assert (asked.count("<"), asked.count("</document>"), asked[-11:]) == (2, 1, "</document>")
    talk = conversation_messages([Excerpt(text=text, speaker=title, role="user", index=0)], source=title)[1]["content"]
    assert talk.count("<") == 4


@given(TEXTS, TEXTS, TEXTS)
def test_a_kept_quote_is_the_source_s(before: str, quote: str, behind: str) -> None:
    source = before + quote + behind
    item = {"text": "The pump is red.", "quote": quote, "kind": "fact"}
    for one in read_facts(json.dumps({"facts": [item]}), [Excerpt(text=source, offset=7, speaker="x")]).facts:
        assert one.quote == source[one.start - 7 : one.end - 7] != ""


@given(TEXTS, TEXTS)
def test_the_place_of_a_quote_reads_like_the_quote(quote: str, source: str) -> None:
    span = find_quote(quote, source)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(source)
        assert find_quote(source[span[0] : span[1]], source) is not None


@given(TEXTS, st.dates())
def test_dating_keeps_every_word_and_is_done_once(text: str, day: date) -> None:
    dated = with_absolute(text, day)
    for one in reversed(relative_dates(text, day)):
        assert text[one.start : one.end] in dated
    assert with_absolute(dated, day) == dated


@given(TEXTS)
def test_removed_secrets_leave_none_behind(text: str) -> None:
    spans = scan(text)
    assert all(first.end <= second.start for first, second in pairwise(spans))
    assert scan(without_secrets(text)) == () or spans


@given(TEXTS, st.booleans())
def test_own_and_recalled_text_are_the_whole(text: str, message: bool) -> None:
    parts = sorted([*own_spans(text, message=message), *recalled_spans(text, message=message)])
    assert "".join(text[start:end] for start, end in parts) == text


@given(st.lists(st.integers(0, 4000), max_size=20))
def test_groups_hold_every_chunk_once(lengths: list[int]) -> None:
    groups = chunk_groups(lengths)
    assert [one for first, after in groups for one in range(first, after)] == list(range(len(lengths)))


@given(st.lists(st.integers(0, 7000).map(lambda size: "ab cd. " * (size // 7)), max_size=8), st.integers(0, 5))
def test_windows_hold_every_character_once(texts: list[str], first: int) -> None:
    held = [""] * len(texts)
    for one in message_windows(texts, first=first):
        for index in range(one.first - first, one.after - first):
            held[index] += texts[index][one.start : one.end]
    assert held == texts
