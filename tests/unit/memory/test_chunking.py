"""Cases CHUNK-01/03/05/07/09 and the limits of `memory.chunking`."""

import gc
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import regex
from markdown_it import MarkdownIt

from memory.chunk_body import LONGEST_BLANK
from memory.chunking import HARD_CHARS, TOKEN_LIMIT, chunk
from memory.records import ChunkSpan
from memory.token_estimate import estimate_tokens

CASES = Path(__file__).parents[2] / "data" / "cases"
N = 100_000
PATHOLOGICAL: dict[str, Callable[[int], str]] = {
    "blanks and a sentence": lambda n: " " * (2 * n) + "A sentence.",
    "newlines": lambda n: "\n" * n,
    "newlines between words": lambda n: "a" + "\n" * n + "b",
    "hashes": lambda n: "#" * n,
    "pipes": lambda n: "|" * n,
    "backticks": lambda n: "`" * n,
    "angles": lambda n: "<" * n,
    "stops": lambda n: "a." * n,
    "stops and blanks": lambda n: "a. " * n,
    "quotes": lambda n: ">" * n,
    "list markers": lambda n: "- " * n,
    "open comments": lambda n: "<!--" * n,
    "brackets": lambda n: "[" * n,
    "combining marks": lambda n: "e" + "\u0301" * n,
    "flags": lambda n: "🇫🇮" * (n // 2),
    "table rows": lambda n: "|a|b|\n|-|-|\n" + "|1|2|\n" * (n // 4),
    "headings": lambda n: "# a\n" * (n // 4),
    "blank lines in a fence": lambda n: "```\na" + "\n" * n + "b\n```\n",
    "quote marks": lambda n: "> \n" * (n // 4),
    "deep list": lambda n: "".join(" " * depth + "- a\n" for depth in range(n // 250)),
}


def read(name: str) -> str:
    return (CASES / name).read_text(encoding="utf-8")


def bodies(source: str, *, markdown: bool = True) -> list[str]:
    spans = chunk(source, markdown=markdown)
    assert_law(source, spans)
    return [span.body(source) for span in spans]


def assert_law(source: str, spans: list[ChunkSpan]) -> None:
    """Spans tile the source; no body is blank or over the limits."""
    assert "".join(source[span.start : span.end] for span in spans) == (source if source.strip() else "")
    assert [span.position for span in spans] == list(range(len(spans)))
    for span in spans:
        body = span.body(source)
        assert body.strip()
        assert len(body) <= HARD_CHARS + 2 * LONGEST_BLANK
        assert estimate_tokens(body) <= TOKEN_LIMIT + 1


def fences_of(body: str) -> list[str]:
    return [token.content for token in MarkdownIt("commonmark").parse(body) if token.type == "fence"]


def test_headings_are_found_only_where_commonmark_finds_them() -> None:
    source = read("fence_headings.md")

    spans = chunk(source)

    assert_law(source, spans)
    assert [" > ".join(span.heading) for span in spans] == [
        "Install guide",
        "Install guide > Steps",
        "Install guide > Steps > Linux",
        "Notes",
    ]
    text = "\n".join(span.body(source) for span in spans)
    assert all(line.strip() in text for line in source.splitlines())


@pytest.mark.parametrize("indent", ["", "- ", "> ", "1. "])
def test_headings_in_containers_do_not_begin_sections(indent: str) -> None:
    source = f"# Top\n\n{indent}~~~\n{' ' * len(indent) if indent != '> ' else indent}# no\n\nText.\n"
    assert {span.heading for span in chunk(source)} == {("Top",)}


def test_a_fence_that_is_too_long_is_closed_and_reopened() -> None:
    source = read("long_fence.md")

    parts = bodies(source)

    code = "".join(content for body in parts for content in fences_of(body) if "call_" in content)
    assert code == source.split('```python title="run"\n')[1].split("```\n")[0]
    split = [body for body in parts if "call_" in body]
    assert all(body.count("```") == 2 for body in split)
    assert all('```python title="run"\n' in body for body in split)


def test_prose_behind_a_fence_keeps_its_heading_path() -> None:
    source = read("long_fence.md")
    (last,) = [span for span in chunk(source) if "AS-2" in span.body(source)]
    assert last.heading == ("Runner", "Straddle")


def test_a_fence_in_a_quote_is_split_with_its_prefix() -> None:
    source = "> Look:\n> ```sh\n" + "".join(f"> echo {number} {'x' * 40}\n" for number in range(80)) + "> ```\n"

    parts = bodies(source)

    assert len(parts) > 2
    assert all(line.startswith(">") for body in parts for line in body.splitlines())
    assert sum(content.count("echo") for body in parts for content in fences_of(body)) == 80


def test_an_unclosed_fence_is_closed_in_its_chunk() -> None:
    assert bodies("Text.\n\n```text\nlast") == ["Text.\n\n```text\nlast\n```"]


def test_a_table_is_cut_between_rows_and_repeats_its_header() -> None:
    rows = "".join(f"| item {number} | {'word ' * 20}|\n" for number in range(40))
    source = "| Name | Words |\n|---|---|\n" + rows

    parts = bodies(source)

    assert len(parts) > 2
    assert all(body.startswith("| Name | Words |\n|---|---|\n") for body in parts)
    assert all(line.startswith("|") and line.endswith("|") for body in parts for line in body.splitlines())


def test_a_heading_without_text_goes_with_the_next_section() -> None:
    source = "# Guide\n\n## Setup\n\nInstall it.\n"
    (span,) = chunk(source)
    assert span.heading == ("Guide", "Setup")


def test_a_stray_comment_mark_does_not_hide_the_headings_after_it() -> None:
    assert chunk("<!-- open\n\n# Real\n\nText.\n")[-1].heading == ("Real",)


def test_a_long_line_without_blanks_is_cut_in_linear_time() -> None:
    source = "START" + "Qk1xZ09h" * 62_500 + "MIDDLE" + "Qk1xZ09h" * 62_000 + "END"
    began = time.process_time()

    parts = bodies(source, markdown=False)

    assert time.process_time() - began < 5
    assert "".join(parts) == source


def test_no_cut_falls_inside_a_grapheme() -> None:
    source = read("emoji_zwj.txt")
    boundaries = {found.end() for found in regex.finditer(r"\X", source)} | {0}

    spans = chunk(source, markdown=False)

    assert_law(source, spans)
    assert all(span.start in boundaries and span.end in boundaries for span in spans)
    assert all(span.body(source).encode() for span in spans)


def test_chinese_text_stays_under_the_token_limit() -> None:
    parts = bodies("我们在奥斯陆的新办公室有四十个座位，" * 222)
    assert max(len(body) for body in parts) <= 450


def test_chinese_is_cut_at_sentence_ends() -> None:
    assert all(body.rstrip().endswith("。") for body in bodies("我们在奥斯陆的新办公室有四十个座位。" * 100))


@pytest.mark.parametrize("source", ["", " ", "\n\n\t\n", " " * 1000])
def test_a_blank_document_has_no_chunks(source: str) -> None:
    assert chunk(source) == []


def seconds_of(source: str, markdown: bool) -> float:
    """Return the processor time of chunking, which other work on the machine does not change.

    Without the collector, whose passes over all other tests' objects would be counted too.
    """
    gc.disable()
    began = time.process_time()
    spans = chunk(source, markdown=markdown)
    seconds = time.process_time() - began
    gc.enable()
    assert "".join(source[span.start : span.end] for span in spans) == (source if source.strip() else "")
    assert all(span.body(source).strip() and len(span.body(source)) <= HARD_CHARS for span in spans)
    return seconds


@pytest.mark.parametrize("markdown", [True, False])
@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_pathological_input_is_chunked_in_linear_time(name: str, markdown: bool) -> None:
    half, whole = (PATHOLOGICAL[name](size) for size in (N // 2, N))
    seconds = seconds_of(whole, markdown)
    base = seconds_of(half, markdown)

    assert seconds < 3
    assert seconds < 3 * max(base, seconds_of(half, markdown) if seconds > 3 * base else base, 0.05)


def test_a_short_last_paragraph_joins_the_chunk_before_it() -> None:
    source = (
        ("Sentence with several ordinary words in it. " * 30).strip() + "\n\n" + "A short last remark of the section."
    )
    assert len(chunk(source)) == 1


def test_sections_begin_new_chunks() -> None:
    source = "# A\n\nOne.\n\n# B\n\nTwo.\n"
    assert [(span.heading, span.body(source)) for span in chunk(source)] == [
        (("A",), "# A\n\nOne."),
        (("B",), "# B\n\nTwo."),
    ]
