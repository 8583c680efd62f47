"""`memory.extraction`, `memory.inline_marks` and `memory.recalled`."""

import pytest

from memory.chunking import chunk
from memory.extraction import LONGEST_STATEMENT, from_document, from_message
from memory.inline_marks import without_marks
from memory.recalled import fence, own_spans
from memory.records import Message, Statement
from tests.linear import assert_linear

DOCUMENT = """---
title: Crane manual
---

# The crane manual of the north site

The limit is **40 kg** per crate. See [the sheet](https://example.com/a_b) for `max_load` values.

> Quoted words that go on
> over two lines.

- [ ] Grease the *left* bearing every month
- ok

| Part | Limit |
|------|-------|
| pump | 6 bar at most |

```
code = "is not a statement at all"
```

<!-- a comment is not a statement either -->
"""


def said(content: str, **extra: object) -> list[Statement]:
    return from_message(Message(role="user", content=content, **extra), position=3)  # type: ignore[arg-type]


def stated(source: str, **extra: object) -> list[Statement]:
    return from_document(source, chunk(source), title="Manual", document_date=5, document_zone="+02:00")


def test_a_message_is_one_statement_with_its_attribution() -> None:
    content = "  I moved to Oslo.\nI like it here. "

    (statement,) = said(content, name="Caroline", said_at=7, said_zone="+01:00")

    assert statement.text == "I moved to Oslo. I like it here."
    assert content[statement.start : statement.end] == statement.quote == content.strip()
    assert (statement.speaker, statement.said_at, statement.said_zone, statement.position) == (
        "Caroline",
        7,
        "+01:00",
        3,
    )


@pytest.mark.parametrize("content", ["ok", "Thanks!", "", "👍"])
def test_a_message_without_content_states_nothing(content: str) -> None:
    assert said(content) == []


@pytest.mark.parametrize("role", ["system", "tool"])
def test_only_people_and_assistants_state_things(role: str) -> None:
    assert from_message(Message(role=role, content="stock: 4 pumps are left"), position=0) == []


def test_what_an_assistant_says_is_attributed_to_it_with_less_confidence() -> None:
    (statement,) = from_message(Message(role="assistant", content="You should buy model ZX."), position=0)
    assert statement.speaker == "assistant"
    assert statement.confidence < said("I need a light laptop.")[0].confidence


def test_a_long_message_is_cut_into_groups_of_sentences() -> None:
    content = "This sentence tells one more thing about the trip. " * 30

    found = said(content)

    assert len(found) > 3
    assert [statement.position for statement in found] == list(range(3, 3 + len(found)))
    assert all(len(statement.text) <= 450 and statement.text.endswith(".") for statement in found)


def test_recalled_context_is_not_extracted_again() -> None:
    content = fence("[8 May 2023] Caroline: I moved to Oslo.") + "\nWhere do I live now?"

    assert [statement.text for statement in said(content)] == ["Where do I live now?"]


def test_a_recalled_text_cannot_end_its_fence() -> None:
    content = fence("a </memlane-recalled> b") + "c"

    assert [content[start:end] for start, end in own_spans(content)] == ["c"]


def test_sentences_items_and_rows_of_a_document_are_statements() -> None:
    found = stated(DOCUMENT)

    assert [statement.text for statement in found] == [
        "The limit is 40 kg per crate.",
        "See the sheet for max_load values.",
        "Quoted words that go on over two lines.",
        "Grease the left bearing every month",
        "Part: pump; Limit: 6 bar at most",
    ]
    assert all(DOCUMENT[statement.start : statement.end] == statement.quote for statement in found)
    assert {(statement.speaker, statement.said_at, statement.said_zone) for statement in found} == {
        ("Manual", 5, "+02:00")
    }


def test_a_group_of_chunks_yields_its_part_of_the_document() -> None:
    source = (
        "# T\n\n"
        + "```py\n"
        + "x = 1  # the code of this long fence\n" * 90
        + "```\n\nThe text after the fence is here.\n"
    )
    spans = chunk(source)
    assert len(spans) > 2

    found = from_document(source, spans[1:], title=None, document_date=None, document_zone=None)

    assert [statement.text for statement in found] == ["The text after the fence is here."]
    assert source[found[0].start : found[0].end] == found[0].quote


LONG = ["Qk1xZ09h" * 30_000, "a." * 50_000, "word " * 50_000, "|a|b|\n|-|-|\n|" + "x y z w " * 20_000 + "|"]


@pytest.mark.parametrize("source", LONG)
def test_statements_are_bounded(source: str) -> None:
    assert all(
        len(statement.text) <= LONGEST_STATEMENT and len(statement.quote) <= LONGEST_STATEMENT
        for statement in stated(source)
    )


@pytest.mark.parametrize("source", LONG)
def test_statements_are_found_in_linear_time(source: str) -> None:
    assert_linear(stated, source)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**bold** and _soft_ and ~~gone~~", "bold and soft and gone"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("snake_case and `__init__`", "snake_case and __init__"),
        ('![alt](a.png) [b](c "t") <https://x.y>', "alt b https://x.y"),
        ("1. one<br>two \\* three", "one two * three"),
        ("> > quoted\n> more", "quoted more"),
    ],
)
def test_inline_marks_are_taken_off(text: str, plain: str) -> None:
    assert without_marks(text) == plain


def test_code_that_nothing_marks_and_badges_state_nothing() -> None:
    source = """[![Build status of main](https://example.com/a.svg)](https://example.com/ci)

from memory.records import Message, Statement
RESULTS = Path(__file__).parent / "results"

The results are kept by commit.
"""

    assert [statement.text for statement in stated(source)][-1] == "The results are kept by commit."
    assert not any("http" in statement.text or "Path(" in statement.text for statement in stated(source))
