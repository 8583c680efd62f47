"""`memory.fact_claims`: what a fact may not add to its quote."""

import pytest

from memory.fact_claims import denies_otherwise, has_another_subject, strange_names

GROUP = ("The old boat house at the lake is for sale. It was painted by Ana in Oslo.", "Carl")


@pytest.mark.parametrize(
    "text",
    [
        "Ben Lund owns the boat house and hates Ana Berg.",
        "The boat house belongs to Ben.",
        "Ana moved from Oslo to Rome.",
        "Ana, who works at Norvik, painted it.",
        "Das Bootshaus ist ein Haus von Ben Lund.",
    ],
)
def test_a_name_that_nothing_around_the_fact_has_is_strange(text: str) -> None:
    assert strange_names(text, (), GROUP)


@pytest.mark.parametrize(
    "text",
    [
        "The old boat house is for sale.",
        "Ana painted the boat house in Oslo.",
        "Carl told that the Boat House is Ana's work.",
        "Painting was done by Ana.",
        "The boat house was sold on Monday, 8 May 2023, by the User.",
        "The boat house is for sale in the EU.",
        "Das Bootshaus ist ein Haus an der Küste.",
    ],
)
def test_what_is_named_around_it_is_known(text: str) -> None:
    assert not strange_names(text, (), GROUP)


def test_an_inflected_name_is_known() -> None:
    assert not strange_names("Позже Анна переехала в Осло.", (), ("Мы видели Анну в Осло.",))


def test_the_first_word_counts_when_the_model_calls_it_a_name() -> None:
    assert strange_names("Ben owns the boat house.", ["Ben"], GROUP)
    assert not strange_names("Ana owns the boat house.", ["Ana"], GROUP)


@pytest.mark.parametrize(
    ("text", "quote", "before"),
    [
        ("Ana does not eat fish.", "Ana eats fish every day", ""),
        ("Ana eats fish.", "Ana does not eat fish", ""),
        ("Ana eats fish.", "eat fish", "Ana does not "),
        ("Ana lives in Rome.", "I never lived in Rome", ""),
    ],
)
def test_a_denial_that_only_one_of_them_has_is_seen(text: str, quote: str, before: str) -> None:
    assert denies_otherwise(text, quote, before)


@pytest.mark.parametrize(
    ("text", "quote", "before"),
    [
        ("Ana does not eat fish.", "I don't eat fish", ""),
        ("Ana does not eat meat.", "I am vegan", ""),
        ("Ana hates fish.", "I do not like fish", ""),
        ("Ana loves coffee.", "I don't like tea but I love coffee", ""),
        ("Ana loves coffee.", "I love coffee", "I don't like tea, "),
        ("Ana no longer lives in Oslo.", "I moved from Oslo to Rome", ""),
        ("Smoking is forbidden here.", "Smoking is not allowed here", ""),
    ],
)
def test_the_same_denial_in_other_words_is_none(text: str, quote: str, before: str) -> None:
    assert not denies_otherwise(text, quote, before)


@pytest.mark.parametrize(
    ("text", "quote", "speaker"),
    [
        ("Ana lives in Rome.", "I live in Rome", "Carl"),
        ("Ben lives in Rome.", "I live in Rome", "Carl"),
        ("Ana Berg has a dog.", "Yes, I have a dog", "Carl"),
        ("Ana lives in Rome.", "I live in Rome", "user"),
        ("Ana wohnt in Rom.", "Ich wohne in Rom", "Carl"),
    ],
)
def test_what_somebody_says_of_himself_is_not_about_another(text: str, quote: str, speaker: str) -> None:
    assert has_another_subject(text, quote, speaker, ["Ana", "Carl"])


@pytest.mark.parametrize(
    ("text", "quote", "speaker"),
    [
        ("Carl lives in Rome.", "I live in Rome", "Carl"),
        ("Carl lives in Rome.", "I live in Rome", "Carl Berg"),
        ("The user lives in Rome.", "I live in Rome", "user"),
        ("Ines lives in Rome.", "I live in Rome", "user"),
        ("Ana is Carl's sister.", "I love my sister Ana", "Carl"),
        ("Painting is what Carl does.", "I paint", "Carl"),
        ("Ana lives in Rome.", "Ana lives in Rome", "Carl"),
    ],
)
def test_a_fact_about_the_speaker_is_his(text: str, quote: str, speaker: str) -> None:
    assert not has_another_subject(text, quote, speaker, ["Ana", "Carl"])
