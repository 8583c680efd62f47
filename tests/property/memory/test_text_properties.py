"""Properties of the text modules of `memory/`, for any input."""

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.chunking import chunk
from memory.conversations import align
from memory.errors import HistoryDiffers, InvalidInput
from memory.extraction import from_document
from memory.filters import matches, parse
from memory.recalled import fence, own_spans
from memory.segmentation import query_terms, segment, shadow
from memory.sentences import sentences
from memory.statements import equality_key, normalised, same_slot, states_something
from memory.temporal import parse_instant, to_iso

TEXT = st.text(max_size=300)
TURNS = st.lists(st.sampled_from("abc"), max_size=12).map(lambda words: [("user", None, word) for word in words])
SCALAR = st.one_of(
    st.text(max_size=5), st.integers(-9, 9), st.floats(), st.booleans(), st.none(), st.sampled_from("ab")
)
LEAF = st.fixed_dictionaries(
    {"key": st.sampled_from("abc"), "value": SCALAR},
    optional={
        "filterType": st.sampled_from(["metadata", "numeric", "array_contains", "string_contains"]),
        "numericOperator": st.sampled_from([">", "<", ">=", "<=", "="]),
        "negate": st.booleans(),
        "ignoreCase": st.sampled_from(["true", "false", True]),
    },
)
FILTER = st.recursive(
    LEAF,
    lambda inner: st.builds(
        lambda joint, items: {joint: items}, st.sampled_from(["AND", "OR"]), st.lists(inner, max_size=4)
    ),
)
METADATA = st.dictionaries(st.sampled_from("abc"), st.one_of(SCALAR, st.lists(SCALAR, max_size=3)), max_size=3)


@given(TEXT)
def test_terms_hold_no_white_space_and_are_never_empty(text: str) -> None:
    terms = segment(text)
    assert all(term and not any(char.isspace() for char in term) for term in terms)
    assert shadow(text).split(" ") == (terms or [""])


@given(TEXT)
def test_query_terms_are_unique_and_findable(text: str) -> None:
    terms = query_terms(text)
    assert len(terms) == len(set(terms))
    assert set(terms) <= set(segment(text))
    assert bool(terms) == bool(segment(text))


@given(TEXT)
def test_sentences_are_ordered_inside_and_lose_only_white_space(text: str) -> None:
    spans = sentences(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


@given(TEXT, TEXT)
def test_statement_functions_take_any_text(one: str, other: str) -> None:
    assert normalised(normalised(one)) == normalised(normalised(normalised(one)))
    assert equality_key(one, other) == equality_key(one, other)
    assert not same_slot(one, one)
    assert isinstance(states_something(one), bool)


@given(
    st.lists(
        st.sampled_from(
            ["# T", "One sentence with five words.", "- item of four words", "```", "| a | b |", "|---|---|", "> q", ""]
        )
    )
)
def test_quotes_stand_in_the_source(lines: list[str]) -> None:
    source = "\n".join(lines)
    for statement in from_document(source, chunk(source), title="T", document_date=None, document_zone=None):
        assert source[statement.start : statement.end] == statement.quote
        assert statement.quote.strip() == statement.quote


@given(TURNS, TURNS)
def test_alignment_finds_the_longest_tail_or_says_why_not(stored: list[Any], incoming: list[Any]) -> None:
    index, known = -1, None
    try:
        known = align(stored, incoming)
    except HistoryDiffers as error:
        index = error.details["index"]
    if known is None:
        assert 0 <= index < len(stored)
        return
    assert 0 <= known <= len(incoming)
    longest = max(
        size
        for size in range(len(incoming) + 1)
        if stored[len(stored) - size :] == incoming[:size] and size <= len(stored)
    )
    assert known == longest or known == len(incoming)


@given(TURNS, TURNS)
def test_a_full_resend_appends_only_what_is_new(stored: list[Any], new: list[Any]) -> None:
    if stored:
        assert align(stored, stored) == len(stored)
        assert align(stored, [*stored, *new]) >= len(stored)


@given(TURNS)
def test_unknown_messages_are_appended_wholly(stored: list[Any]) -> None:
    assert align(stored, [("user", None, "x"), ("user", None, "y")]) == 0


@given(FILTER, METADATA)
@settings(max_examples=200)
def test_a_parsed_filter_never_raises(condition: Any, metadata: dict[str, Any]) -> None:
    try:
        parsed = parse(condition)
    except InvalidInput:
        return
    assert isinstance(matches(parsed, metadata), bool)


@given(st.datetimes(timezones=st.timezones() | st.none()))
def test_a_written_instant_is_read_back(moment: Any) -> None:
    try:
        micros, zone = parse_instant(moment.isoformat())
    except InvalidInput:
        return  # an offset of seconds, or one that leaves the years 1 to 9999
    assert parse_instant(to_iso(micros, zone))[0] == micros


@given(TEXT, TEXT)
def test_fenced_context_vanishes(recalled: str, own: str) -> None:
    content = fence(recalled) + own
    assert "".join(content[start:end] for start, end in own_spans(content)) == own
