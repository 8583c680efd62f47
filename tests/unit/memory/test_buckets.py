"""`memory.buckets`: belonging by rule, and the question to a language model."""

import pytest

from memory.buckets import BUCKET_LETTERS, Bucket, belongs, bucket_messages, likely, read_belonging

FOOD = Bucket(id=1, key="food", description="What the user eats: recipes, bread\nand diets")


@pytest.mark.parametrize(
    ("similarity", "text", "expected"),
    [
        (0.3, "Nothing in common.", True),
        (0.15, "She bakes bread.", True),
        (0.15, "She runs.", False),
        (0.05, "The bread bin is red.", False),
        (0.2, "The user runs.", False),
    ],
)
def test_belonging_takes_likeness_or_less_of_it_and_a_shared_word(similarity, text, expected):
    assert belongs(similarity, text, FOOD.description) is expected


def test_only_what_may_belong_is_asked_about():
    assert likely(0.12, "She runs.", FOOD.description)
    assert likely(-0.2, "The bread bin is red.", FOOD.description)
    assert not likely(0.05, "She runs.", FOOD.description)


def test_a_question_shows_group_and_memory_each_on_a_line():
    system, asked = bucket_messages("She bakes\nbread.", FOOD)

    assert asked["content"].splitlines() == [
        "GROUP: food: What the user eats: recipes, bread and diets",
        "MEMORY: She bakes bread.",
        "Letter:",
    ]
    assert all(f"{letter}:" in system["content"] for letter in BUCKET_LETTERS)


@pytest.mark.parametrize(
    ("letters", "verdict"),
    [({"A": 0.9, "B": 0.1}, "belongs"), ({"A": 0.1, "B": 0.9}, "does_not"),
     ({"A": 0.55, "B": 0.45}, "undecided"), ({}, "undecided")],
)  # fmt: skip
def test_an_answer_counts_when_it_is_sure(letters, verdict):
    said, shares = read_belonging(letters)

    assert said == verdict
    assert sum(shares.values()) == pytest.approx(sum(letters.values()))
