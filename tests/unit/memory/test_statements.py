"""`memory.statements`, `memory.fillers` and `memory.kinds`."""

import pytest

from memory.kinds import kind_of
from memory.statements import attributed, equality_key, normalised, same_slot, states_something
from memory.temporal import parse_instant


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I moved to Oslo.", "  i moved\tto OSLO! "),
        ("“It’s here”", "it's here"),
        ("- the valve is red", "The valve is red."),
        ("ｆｕｌｌ width", "full width"),
    ],
)
def test_equal_statements_are_one(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The limit is 40 kg", "The limit is 55 kg"),
        ("The limit is 40 kg", "The limit is not 40 kg"),
        ("Due on 2023-05-08", "Due on 2023-05-09"),
        ("It costs $5", "It costs 5"),
        ("Is it -5?", "Is it 5?"),
        ("It is open", "It is open?"),
        ("We use C", "We use C++"),
    ],
)
def test_numbers_dates_signs_and_negation_stay_apart(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@pytest.mark.parametrize(
    "statement",
    ["I moved to Oslo", "Your dog is Rex", "Moved to Oslo", "Ich wohne hier", "我住在北京", "引っ越しました"],
)
def test_what_speaks_of_its_speaker_is_kept_apart_by_speaker(statement: str) -> None:
    assert equality_key(statement, "Caroline") != equality_key(statement, "Melanie")


@pytest.mark.parametrize("statement", ["The limit is 40 kg", "Oslo liegt in Norwegen", "水泵的最大压力是六巴"])
def test_what_speaks_of_something_else_is_one_whoever_says_it(statement: str) -> None:
    assert equality_key(statement, "Manual A") == equality_key(statement, "Manual B")


def test_attribution_names_day_and_speaker_when_known() -> None:
    at, zone = parse_instant("2023-05-08T23:30:00-02:00")
    assert attributed("I moved.", "Caroline", at, zone) == "[8 May 2023] Caroline: I moved."
    assert attributed("I moved.", None, at, None) == "[9 May 2023] I moved."
    assert attributed("I moved.", "Caroline", None, None) == "Caroline: I moved."
    assert attributed("I moved.", None, None, None) == "I moved."


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "OK!",
        "Thanks so much!",
        "lol",
        "hahahaha",
        "sounds good!",
        "👍👍",
        "",
        "  \n",
        "...",
        "Okayyy",
        "Yes, that's great!",
        "danke schön",
        "Merci beaucoup !",
        "gracias",
        "спасибо",
        "好的",
        "谢谢！",
        "了解です",
        "네, 감사합니다",
        "شكرا",
        "哈哈哈",
    ],
)
def test_fillers_state_nothing(text: str) -> None:
    assert not states_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Oslo",
        "42",
        "Oslo.",
        "Where is the key?",
        "ok, the limit is 40 kg",
        "Thanks, I love it in Bergen",
        "我搬到奥斯陆了",
        "昨日引っ越しました",
        "이사했어요",
        "Rex",
        "no peanuts please",
        "😀 new job!",
    ],
)
def test_content_states_something(text: str) -> None:
    assert states_something(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The limit is 40 kg", "The limit is 55 kg"),
        ("The limit is 40 kg per crate.", "The limit is 55 kg per crate."),
        ("Max pressure: 6 bar", "Max pressure: 8 bar"),
        ("The manager is Anna Berg", "The manager is Tom"),
        ("Item: pump; Limit: 40 kg", "Item: pump; Limit: 45 kg"),
        ("Das Limit ist 40 kg", "Das Limit ist 45 kg"),
    ],
)
def test_one_attribute_with_another_value_is_the_same_slot(old: str, new: str) -> None:
    assert same_slot(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The limit is 40 kg", "The limit is 40 kg"),
        ("Site A limit is 40 kg", "Site B limit is 40 kg"),
        ("The limit is 40 kg", "The limit is not 40 kg"),
        ("Anna likes tea", "Anna likes coffee"),
        ("The limit is 40 kg", "The office is in Oslo"),
        ("The limit is 40 kg", "The limit is what the crane on the north side can lift"),
        ("The limit is 40 kg", "The limit was 40 kg"),
        ("", "The limit is 40 kg"),
    ],
)
def test_anything_else_is_not_the_same_slot(old: str, new: str) -> None:
    assert not same_slot(old, new)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I really love hiking in Bergen", "preference"),
        ("My favourite tea is green", "preference"),
        ("Please always answer in German", "preference"),
        ("我喜欢喝茶", "preference"),
        ("We went to the museum yesterday", "episode"),
        ("Last week I met Tom", "episode"),
        ("The limit is 40 kg", "fact"),
        ("Caroline works at a hospital", "fact"),
    ],
)
def test_kinds_follow_cues(text: str, kind: str) -> None:
    assert kind_of(text) == kind
