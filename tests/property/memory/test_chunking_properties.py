"""Properties of `memory.chunking` for any text."""

import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memory.chunk_body import LONGEST_BLANK
from memory.chunking import chunk
from memory.markdown_blocks import scan_blocks

SIZE = 200
LINES = st.sampled_from(
    [
        *["", "# Title", "## Sub", "text with some ordinary words in it.", "- item", "  nested", "> quote", "> ```"],
        *[
            "```",
            "```py title=x",
            "~~~",
            "    code",
            "---",
            "===",
            "<!--",
            "-->",
            "<div>",
            "1. one",
            "   ```",
            "  ~~~~",
        ],
        "e\u0301🇫🇮👩\u200d💻 नमस्ते",
        "中文没有空格的句子。",
        "| a | b |",
        "|---|---|",
        "| cell | " + "word " * 60 + "|",
        "x" * 500,
        " " * 300,
        "\t\ttab",
        "word " * 70,
        "\r",
    ]
)
MARKDOWN = st.lists(LINES, max_size=40).map("\n".join)
TEXT = st.one_of(MARKDOWN, st.text(max_size=1500))


@given(TEXT, st.booleans())
@settings(max_examples=300, deadline=None)
def test_spans_tile_any_text_and_no_body_is_blank_or_too_long(source: str, markdown: bool) -> None:
    spans = chunk(source, markdown=markdown, size=SIZE)

    assert "".join(source[span.start : span.end] for span in spans) == (source if source.strip() else "")
    for span in spans:
        assert span.end > span.start
        assert span.body(source).strip()
        assert len(span.body(source)) <= SIZE * 5 // 4 + 2 * LONGEST_BLANK + 60


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_no_span_begins_inside_a_grapheme(source: str) -> None:
    # given any text whose clusters are shorter than a chunk
    clusters = list(regex.finditer(r"\X", source))
    boundaries = {0} | {found.end() for found in clusters}

    # then
    if all(len(found.group()) < SIZE // 4 for found in clusters):
        assert all(span.start in boundaries for span in chunk(source, markdown=False, size=SIZE))


@given(MARKDOWN)
@settings(max_examples=300, deadline=None)
def test_headings_are_never_code(source: str) -> None:
    # given the lines that a full parser reads as fences
    code = set()
    for token in MarkdownIt("commonmark").parse(source):
        if token.type == "fence" and token.map and token.level == 0:
            code |= set(range(*token.map))

    # then, where no comment is left open, none of them is a heading of ours
    if "<!--" not in source and "\r" not in source and not source.startswith("---"):
        for block in scan_blocks(source):
            assert block.kind != "heading" or source[: block.start].count("\n") not in code
