"""What the owner of a space wants: told to a model in one block, and held by rule."""

import pytest

from memory.guidance import EXCLUDED, NO_GUIDANCE, NOT_INCLUDED, Guidance


@pytest.mark.parametrize(
    ("include", "exclude", "text", "expected"),
    [
        ((), (), "Ann earns 3000 euro.", None),
        ((), ("salary",), "Ann's salary is 3000 euro.", EXCLUDED),
        ((), ("secret project",), "The project is no secret.", EXCLUDED),
        ((), ("secret project",), "The project is old.", None),
        (("Ann",), (), "Ann lives in Rome.", None),
        (("Ann",), (), "Bob lives in Rome.", NOT_INCLUDED),
        (("Ann",), ("Rome",), "Ann lives in Rome.", EXCLUDED),
        (("the",), (), "Bob lives in Rome.", NOT_INCLUDED),
        ((), ("the",), "Bob lives in Rome.", None),
        ((), ("北京",), "小王住在北京。", EXCLUDED),
    ],
)
def test_a_fact_meets_a_phrase_when_it_has_every_word_of_it(include, exclude, text, expected):
    assert Guidance(include=include, exclude=exclude).refusal(text) == expected


def test_a_model_is_told_each_part_on_a_line_of_its_own():
    told = Guidance(entity_context="A\nclub.", filter_prompt="Only boats.", include=("a", "b"), exclude=("c",))

    lines = told.instructions.split("\n")

    assert [line.partition(": ")[2] for line in lines] == ["A club.", "Only boats.", "a; b", "c"]
    assert NO_GUIDANCE.instructions == ""
