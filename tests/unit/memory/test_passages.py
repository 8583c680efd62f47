import pytest

from memory.passages import WHOLE_CHARS, asks, lies_within, of_chunk, of_statement
from memory.records import Source


def part(start, end, *, revision=1, document="doc_1"):
    return Source(kind="document", id=document, document_id=document, revision=revision, start=start, end=end)


def test_a_chunk_states_its_sentences_and_rows_without_marks():
    table = "| code | meaning |\n|---|---|\n| 4 | none |\n"
    body = f"# Keys\n\nA key **opens** one [tenant](x.md).\n\n    memlane keys\n\n{table}"
    assert of_chunk(body) == ["A key opens one tenant.", "code: 4; meaning: none"]


def test_a_chunk_of_code_states_nothing():
    assert of_chunk("```\nx = 1\n```") == []


def test_a_long_statement_is_quoted_in_sentences():
    sentence = "The crane stands in the north hall of the yard. "
    assert len(of_statement(sentence * 10)) == 10
    assert of_statement(sentence) == [sentence]
    assert len(sentence * 10) > WHOLE_CHARS


@pytest.mark.parametrize("text", ["Is it?", 'He said "is it?"', "是吗？", "Is **it?**"])
def test_a_question_is_told(text):
    assert asks(text)


def test_a_statement_is_no_question():
    assert not asks("Is it? It is.")


def test_what_was_cited_as_part_of_a_chunk_is_told():
    assert lies_within([part(5, 9), part(0, 3)], [part(0, 10)])


@pytest.mark.parametrize(
    "inner", [[], [part(5, 11)], [part(5, 9, revision=2)], [part(5, 9, document="doc_2")], [part(None, None)],
              [part(5, 9), Source(kind="direct", id="mem_1")]]
)  # fmt: skip
def test_what_says_more_than_the_chunk_is_kept(inner):
    assert not lies_within(inner, [part(0, 10)])
