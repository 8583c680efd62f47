"""`benchmarks.facts_extraction`: what it counts as found and as wrong."""

from dataclasses import replace

import pytest

from benchmarks.facts_extraction import extract, load, measure

PASSAGE = {
    "lang": "en", "type": "conversation", "date": "2024-03-05",
    "messages": [
        {"role": "user", "name": "Nadia", "date": "2024-03-05", "content": "My mother in Lund is eighty."},
        {"role": "user", "name": "Marco", "date": "2024-03-05", "content": "I sold my boat in Malmö. Has Nadia one?"},
    ],
    "facts": [
        {"text": "Nadia's mother in Lund is eighty.", "subject": "Nadia's mother", "speaker": "Nadia"},
        {"text": "Marco sold his boat in Malmö.", "subject": "Marco", "speaker": "Marco"},
    ],
    "not": [
        {"text": "Nadia sold her boat in Malmö.", "subject": "Nadia", "reason": "wrong_person"},
        {"text": "Nadia has one.", "subject": "Nadia", "reason": "question"},
    ],
}  # fmt: skip


def said(text, speaker, *, really=None):
    (statement, _) = extract(PASSAGE)[0]
    return lambda passage: [(replace(statement, text=text, speaker=speaker), really or speaker)]


def test_every_message_holds_its_fact_and_nothing_is_wrong():
    outcome = measure(PASSAGE)

    assert (outcome.facts, outcome.found, outcome.statements, outcome.holding) == (2, 2, 2, 2)
    assert not sum(outcome.wrong.values())


@pytest.mark.parametrize(
    ("text", "speaker", "really", "reason"),
    [
        ("I sold my boat in Malmö.", "Nadia", "Marco", "other speaker"),
        ("I sold my boat in Malmö.", "Nadia", "Marco", "wrong_person"),
        ("Nadia sold her boat in Malmö.", "Marco", "Marco", "wrong_person"),
        ("Nadia has one.", "Marco", "Marco", "question"),
    ],
)
def test_a_fact_of_the_wrong_person_is_counted(text, speaker, really, reason):
    outcome = measure(PASSAGE, said(text, speaker, really=really))

    assert outcome.wrong[reason] == 1


@pytest.mark.parametrize("text", ["He sold his boat in Malmö.", "Marco sold his boat in Malmö."])
def test_what_a_speaker_says_of_another_is_not_about_the_speaker(text):
    outcome = measure(PASSAGE, said(text, "Nadia"))

    assert not sum(outcome.wrong.values())


def test_extraction_by_rule_puts_nothing_on_the_wrong_person_of_the_tune_passages():
    wrong = {row["id"]: measure(row).wrong for row in load("tune")}

    assert not {name: found for name, found in wrong.items() if sum(found.values())}
