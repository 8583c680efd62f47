"""NODE-07, the reading part: an exact letter or valid probabilities of letters, and nothing else."""

import math

import pytest

from memory.errors import BadAnswer
from memory.letters import read_letters

LETTERS = ("A", "B", "C", "D")


def shown(**probabilities):
    return [(token, math.log(share)) for token, share in probabilities.items()]


def test_probabilities_are_of_the_letters_alone():
    found = read_letters("A", shown(A=0.4, The=0.3, B=0.2, C=0.05, D=0.05), LETTERS)

    assert found == pytest.approx({"A": 0.4 / 0.7, "B": 0.2 / 0.7, "C": 0.05 / 0.7, "D": 0.05 / 0.7})


def test_a_letter_with_space_around_it_is_that_letter():
    found = read_letters(" A\n", [("A", math.log(0.3)), (" A", math.log(0.3)), ("B", math.log(0.4))], ("A", "B"))

    assert found == pytest.approx({"A": 0.6, "B": 0.4})


def test_a_letter_that_is_not_shown_is_less_likely_than_any_token_that_is():
    found = read_letters("A", shown(A=0.7, B=0.1, So=0.02), LETTERS)

    assert found["C"] == found["D"] == pytest.approx(0.01 / 0.82)
    assert sum(found.values()) == pytest.approx(1.0)


def test_letters_that_are_not_shown_share_no_more_than_what_is_left():
    assert read_letters("A", shown(A=1.0), LETTERS) == pytest.approx({"A": 1.0, "B": 0.0, "C": 0.0, "D": 0.0})


@pytest.mark.parametrize("content", ["B", " B", "B\n"])
def test_without_probabilities_an_exact_answer_counts_whole(content):
    assert read_letters(content, (), LETTERS) == {"A": 0.0, "B": 1.0, "C": 0.0, "D": 0.0}


def test_an_option_may_be_a_word():
    options = ("DUPLICATE", "UPDATE", "DISTINCT")

    assert read_letters("DISTINCT\n", (), options)["DISTINCT"] == 1.0
    for content in ("duplicate", "UPDATE UPDATE", "Sure! These look like DUPLICATE facts", ""):
        with pytest.raises(BadAnswer):
            read_letters(content, (), options)


@pytest.mark.parametrize(
    "content",
    ["Sure! These look like DUPLICATE facts", "DISTINCT\n", "duplicate", "", "UPDATE UPDATE", "AB", "a", "A.", "E"],
)
def test_anything_else_is_a_bad_answer(content):
    with pytest.raises(BadAnswer) as caught:
        read_letters(content, (), LETTERS)
    assert caught.value.code == "bad_answer"


@pytest.mark.parametrize("content", ["X", "", "A"])
def test_probabilities_without_any_letter_say_nothing(content):
    with pytest.raises(BadAnswer):
        read_letters(content, shown(X=0.6, Y=0.4), LETTERS)


def test_letters_in_the_tail_of_prose_are_not_an_answer():
    with pytest.raises(BadAnswer):
        read_letters("Sure", shown(Sure=0.8, A=0.1, B=0.05), LETTERS)


def test_letters_that_are_meant_are_an_answer_whatever_follows_them():
    assert read_letters("A) they are the same", shown(A=0.9, B=0.1), ("A", "B"))["A"] == pytest.approx(0.9)


def test_impossible_letters_are_a_bad_answer():
    with pytest.raises(BadAnswer):
        read_letters("A", [("X", 0.0), ("A", -3.4e38), ("B", -3.4e38)], LETTERS)
