"""`memory.sentences`."""

import time

import pytest

from memory.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met J. Doe. They talked.", ["Dr. Smith met J. Doe.", "They talked."]),
        ("It weighs 3.5 kg, e.g. a cat. Fine.", ["It weighs 3.5 kg, e.g. a cat.", "Fine."]),
        ("We open at 8 a.m. Bring food.", ["We open at 8 a.m.", "Bring food."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Well... maybe. Sure", ["Well... maybe.", "Sure"]),
        ("我住在奥斯陆。她住在北京！", ["我住在奥斯陆。", "她住在北京！"]),
        ("هل أنت هنا؟ نعم.", ["هل أنت هنا؟", "نعم."]),
        ("1. First thing\n2. Second thing", ["1. First thing", "2. Second thing"]),
        ("- red\n- blue", ["- red", "- blue"]),
        ("First paragraph\n\nsecond paragraph", ["First paragraph", "second paragraph"]),
        ("Moved to Oslo\nMy dog is Rex", ["Moved to Oslo", "My dog is Rex"]),
        ("Items:\none", ["Items:", "one"]),
        ("  \n ", []),
        ("**Bold.** Next.", ["**Bold.**", "Next."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_wrapped_line_does_not_end_a_sentence() -> None:
    text = "The quick brown fox jumps over the lazy dog and then goes on to visit the\nOslo office of the company."
    assert split(text) == [text]


@pytest.mark.parametrize(
    "text", ["a." * 100_000, "." * 100_000 + "a", " " * 200_000 + "a.", "\n" * 100_000 + "a", '."' * 100_000]
)
def test_long_runs_take_linear_time(text: str) -> None:
    began = time.process_time()
    sentences(text)
    assert time.process_time() - began < 2
