"""`memory.markdown_blocks` against CommonMark's rules, checked with a Markdown library."""

import pytest
from markdown_it import MarkdownIt

from memory.markdown_blocks import scan_blocks

SOURCES = [
    "# One\n\ntext\n\nTwo\n---\n\n### Three ###\n#not\n",
    "para\n# Heading interrupts\n    lazy? no\n",
    "- item\n\n      # code in item\n\n  # nested heading\n\n# Top\n",
    "> # quoted\nlazy\n\n# Top\n",
    "```\n# no\n~~~\n```\n# Yes\n",
    "~~~ a`b\n# no\n~~~\n# Yes\n",
    "``` a`b\n# Yes\n",
    "<div>\n# no\n\n# Yes\n",
    "<pre>\n\n# no\n</pre>\n# Yes\n",
    "a\nb\n===\n\n- c\n---\n# d\n",
    "1. a\n   - b\n     ```\n     # no\n   # in item\n# Yes\n",
    "\t# code\n\n   # Yes\n    # no\n",
    "# Windows\r\n\r\ntext\r\nmore\r\n---\r\n",
    "***\n# Yes\n* * *\n- - -\n# Again\n",
    "- a\n# Yes\n\n10) x\n\n# B\n",
    "#\n##  \n# #\n",
    "a\n    # continues the paragraph\n# Yes\n",
    "<!-- a\n# no\n--> # no\n# Yes\n",
    "- ```\n  # no\n\n  # no\n  ```\n\n# Yes\n",
]


def reference_headings(source: str) -> list[tuple[int, int]]:
    """Return (level, first line) of the top-level headings that a full CommonMark parser finds."""
    tokens = MarkdownIt("commonmark").parse(source)
    opened = [token for token in tokens if token.type == "heading_open" and token.level == 0]
    return [(int(token.tag[1]), token.map[0]) for token in opened if token.map]


@pytest.mark.parametrize("source", SOURCES)
def test_top_level_headings_are_those_of_commonmark(source: str) -> None:
    found = [block for block in scan_blocks(source) if block.kind == "heading"]
    lines = [source[: block.start].replace("\r\n", "\n").count("\n") for block in found]
    assert list(zip([block.level for block in found], lines, strict=True)) == reference_headings(source)


@pytest.mark.parametrize("source", SOURCES)
def test_blocks_tile_the_source(source: str) -> None:
    assert "".join(source[block.start : block.end] for block in scan_blocks(source)) == source


def test_front_matter_needs_a_key_and_an_end() -> None:
    assert scan_blocks("---\na: 1\n---\n# T\n")[0].kind == "front"
    assert next(block.kind for block in scan_blocks("---\n\n# T\n\n---\n")) == "rule"
    assert scan_blocks("---\nno key\n# T\n---\n")[0].kind == "rule"


def test_a_table_may_follow_a_paragraph_line() -> None:
    kinds = [block.kind for block in scan_blocks("Intro\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd\n")]
    assert kinds == ["prose", "table", "blank", "prose"]
