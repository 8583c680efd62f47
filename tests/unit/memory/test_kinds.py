"""`memory.kinds`: what is a preference, an episode, or neither."""

import pytest

from memory.kinds import kind_of


@pytest.mark.parametrize(
    "text",
    [
        "She really doesn't like flying", "My brother loves fishing", "My favourite kind of bread is rye",
        "Never call me late", "Send me short answers", "I'd rather walk",
        "Whenever I can I cook with butter rather than oil", "No sugar, always.", "Ich mag keine Pilze",
        "Je préfère le train", "No me gusta el frío", "Mi piace il mare", "Не люблю молоко", "我讨厌下雨",
        "猫が好きです", "Jag gillar kaffe", "Nie lubię zimy",
    ],
)  # fmt: skip
def test_a_taste_a_wish_and_a_habit_of_choice_are_preferences(text):
    assert kind_of(text) == "preference"


@pytest.mark.parametrize(
    "text",
    [
        "I prefer not to say where I live", "I know a man who loves trains", "It looks like rain",
        "I would like to know why", "If you prefer tea, it is in the cupboard", "My favourite uncle lives in Rome",
        "Backups run every Monday", "The bridge was built in 1932", "The shop has been closed since Monday",
        "The lease ends on 4 May 2027", "", "!?", "42",
    ],
)  # fmt: skip
def test_an_aside_a_refusal_a_rule_and_an_origin_are_facts(text):
    assert kind_of(text) == "fact"


@pytest.mark.parametrize(
    "text",
    [
        "I sold the car on Friday", "We are flying to Rome on the 9th", "In 2018 I broke my arm",
        "Tomorrow I have an exam", "The server failed on 12 June", "I finally passed the test",
        "Letzten Samstag war Markt", "Ayer llovió mucho", "Hier j'ai vu Paul", "Вчера мы купили дом",
        "上个月我去了北京", "三月五日に引っ越しました", "We loved the opera last night",
    ],
)  # fmt: skip
def test_what_happened_or_will_at_a_time_is_an_episode(text):
    assert kind_of(text) == "episode"


def test_only_the_beginning_of_a_long_text_is_read():
    assert kind_of("The limit is 40 kg. " * 30 + "I love tea.") == "fact"
