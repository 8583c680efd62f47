"""`memory.question_time`, `memory.question_time_named` and `memory.question_time_anchors`."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from memory.question_time import QuestionTime, read_question
from memory.question_time_named import MOST_OF_KIND, named_times
from memory.records import BEGINNING, FOREVER
from memory.temporal import parse_instant

# Questions in six languages about dinners, with the time that each names; the benchmark of this arm asks them too.
CASES = json.loads((Path(__file__).parents[2] / "data" / "time_questions.json").read_text("utf-8"))
DATED = [
    (question["q"], CASES["times"][question["time"]])
    for spoken in CASES["languages"].values()
    for question in spoken["questions"]
    if question["time"] not in ("before the move", "after the wedding")
]
WEDNESDAY = "2024-05-15T10:00:00Z"


def at(written: str | None, otherwise: int = BEGINNING) -> int:
    return otherwise if written is None else parse_instant(written)[0]


def read(text: str, now: str = WEDNESDAY, zone: str | None = None) -> list[tuple[int, int]]:
    return [(one.first, one.after) for one in read_question(text, at(now), zone).ranges]


def days(first: str | None, after: str | None) -> tuple[int, int]:
    return at(first), at(after, FOREVER)


@pytest.mark.parametrize(("question", "named"), DATED, ids=[question for question, _ in DATED])
def test_a_time_is_read_in_each_language(question, named):
    first, after = (None if day is None else f"{day}T00:00:00{CASES['zone']}" for day in named)

    found = read_question(question, at(CASES["now"]), CASES["zone"])

    assert (found.ranges[0].first, found.ranges[0].after) == days(first, after)
    assert found.anchors == ()


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("what happened on 2023-05-07", "2023-05-07", "2023-05-08"),
        ("on 7.5.2023", "2023-05-07", "2023-05-08"),
        ("on 2023/05/07", "2023-05-07", "2023-05-08"),
        ("in early May 2023", "2023-05-01", "2023-05-11"),
        ("at the end of last year", "2023-09-01", "2024-01-01"),
        ("Anfang Mai 2023", "2023-05-01", "2023-05-11"),
        ("5月初", "2024-05-01", "2024-05-11"),
        ("on 24 May", "2023-05-24", "2023-05-25"),
        ("in the summer of 2022", "2022-06-01", "2022-09-01"),
        ("in the winter of 2022", "2022-12-01", "2023-03-01"),
        ("the third quarter of last year", "2023-07-01", "2023-10-01"),
        ("last quarter", "2024-01-01", "2024-04-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("in den 90er Jahren", "1990-01-01", "2000-01-01"),
        ("dans les années 90", "1990-01-01", "2000-01-01"),
        ("90年代", "1990-01-01", "2000-01-01"),
        ("the nineties", "1990-01-01", "2000-01-01"),
        ("before Easter 2024", None, "2024-03-29"),
        ("until May 2023", None, "2023-06-01"),
        ("after 3 May 2023", "2023-05-04", None),
        ("since 2021", "2021-01-01", None),
        ("seit letztem Sommer", "2023-06-01", None),
        ("2021年以来", "2021-01-01", None),
        ("between November and February 2023", "2022-11-01", "2023-03-01"),
        ("from March 2023 to June", "2023-03-01", "2023-07-01"),
        ("from November 2022 until February", "2022-11-01", "2023-03-01"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-16"),
        ("2021 – 2023", "2021-01-01", "2024-01-01"),
        ("in the last three weeks", "2024-04-24", "2024-05-16"),
        ("over the past few days", "2024-05-12", "2024-05-16"),
        ("this morning", "2024-05-15T00:00:00Z", "2024-05-15T12:00:00Z"),
        ("last night", "2024-05-14T18:00:00Z", "2024-05-15T06:00:00Z"),
        ("昨天下午", "2024-05-14T12:00:00Z", "2024-05-14T18:00:00Z"),
        ("Tuesday of last week", "2024-05-07", "2024-05-08"),
        ("on the Monday before July 24, 2023", "2023-07-17", "2023-07-24"),
        ("the week before 16 November 2023", "2023-11-09", "2023-11-16"),
        ("what is planned for next Friday", "2024-05-17", "2024-05-18"),
        ("What will I do in June?", "2024-06-01", "2024-07-01"),
        ("at Christmas last year", "2023-12-24", "2023-12-27"),
        ("in mayo del año pasado", "2023-05-01", "2023-06-01"),
        ("十月三十一日", "2023-10-31", "2023-11-01"),
        ("on 29 February", "2024-02-29", "2024-03-01"),
    ],
)
def test_a_named_time_is_a_half_open_range(text, first, after):
    assert read(text)[0] == days(first, after)


@pytest.mark.parametrize(
    "text",
    [
        "May I go?",
        "march on, said April to June",
        "Did she fall, and are mars bars sweet?",
        "a été un succès",
        "the spring in the mattress broke",
        "When did Melanie paint a sunrise?",
        "In what year did the war end?",
        "room 12 and 3/4 of the cake",
        "",
        "?" * 2000,
    ],
)
def test_words_that_are_no_time_are_none(text):
    assert read_question(text, at(WEDNESDAY)) == QuestionTime()


@pytest.mark.parametrize(
    ("now", "first", "after"),
    [
        ("2024-02-10", "2023-03-01", "2023-06-01"),  # before it
        ("2024-05-15", "2023-03-01", "2023-06-01"),  # in it
        ("2024-07-01", "2024-03-01", "2024-06-01"),  # behind it
        ("2024-12-31", "2024-03-01", "2024-06-01"),
        ("2025-01-01", "2024-03-01", "2024-06-01"),
    ],
)
def test_the_last_spring_is_the_last_that_has_ended(now, first, after):
    assert read("where was I last spring?", now) == [days(first, after)]


@pytest.mark.parametrize(
    ("text", "now", "first", "after"),
    [
        ("yesterday", "2024-01-01", "2023-12-31", "2024-01-01"),
        ("last week", "2024-01-03", "2023-12-25", "2024-01-01"),
        ("last month", "2024-01-15", "2023-12-01", "2024-01-01"),
        ("this winter", "2024-01-15", "2023-12-01", "2024-03-01"),
        ("last quarter", "2024-01-15", "2023-10-01", "2024-01-01"),
        ("yesterday", "2024-03-01", "2024-02-29", "2024-03-01"),
    ],
)
def test_the_turn_of_the_year_is_no_border(text, now, first, after):
    assert read(text, now) == [days(first, after)]


def test_days_begin_where_the_asker_is():
    # 23:30 UTC is the next day in Berlin and still the afternoon in New York.
    late = "2024-05-14T23:30:00Z"

    assert read("yesterday", late) == [days("2024-05-13", "2024-05-14")]
    assert read("yesterday", late, "+02:00") == [days("2024-05-14T00:00:00+02:00", "2024-05-15T00:00:00+02:00")]
    assert read("today", late, "-05:00") == [days("2024-05-14T00:00:00-05:00", "2024-05-15T00:00:00-05:00")]


def test_the_offset_holds_on_both_sides_of_a_change_of_the_clocks():
    # The clocks of Berlin went forward on 31 March 2024; the offset that was sent is the one that counts.
    (found,) = read("last month", "2024-04-10T12:00:00Z", "+02:00")

    assert found == days("2024-03-01T00:00:00+02:00", "2024-04-01T00:00:00+02:00")


def test_a_month_without_a_year_is_the_last_one_and_less_surely_an_earlier_one():
    found = read_question("What did I do in May?", at(WEDNESDAY)).ranges

    assert [(one.first, one.worth) for one in found[:2]] == [(at("2024-05-01"), 1.0), (at("2023-05-01"), 0.5)]


def test_a_date_of_two_readings_means_both():
    assert read("on 5/7/2023") == [days("2023-07-05", "2023-07-06"), days("2023-05-07", "2023-05-08")]


@pytest.mark.parametrize(
    ("text", "relation", "phrase"),
    [
        ("What did she do before the move?", "before", "move"),
        ("After the accident what did she buy?", "after", "accident"),
        ("Before the move, where did he live?", "before", "move"),
        ("Where did she work while she lived in Oslo?", "during", "she lived in Oslo"),
        ("When I was in Rome, what did I eat?", "during", "I was in Rome"),
        ("How has he slept since the accident?", "since", "accident"),
        ("Was machte sie nach dem Umzug?", "after", "Umzug"),
        ("Als ich in Rom war, was habe ich gegessen?", "during", "ich in Rom war"),
        ("Was gab es nach der Hochzeit zum Abendessen?", "after", "Hochzeit"),
        ("Wo arbeitete er, während er in Oslo wohnte?", "during", "er in Oslo"),
        ("Où vivait-il avant le déménagement ?", "before", "déménagement"),
        ("¿Qué hizo después de la boda?", "after", "boda"),
        ("搬家之前他住在哪里？", "before", "搬家"),
        ("結婚式の後に何をした？", "after", "結婚式"),
    ],
)
def test_an_event_stands_for_a_time(text, relation, phrase):
    (found,) = read_question(text, at(WEDNESDAY)).anchors

    assert (found.relation, found.phrase) == (relation, phrase)


@pytest.mark.parametrize(
    "text",
    [
        "When did I eat, before or after?",
        "What did I say about it since then?",
        "Ist sie größer als ich?",
        "What did I buy before 2021?",
        "What did I buy after the move in May 2023?",
        "Wann zog sie nach Oslo?",
        "When was Bob born?",
    ],
)
def test_what_names_no_event_is_no_anchor(text):
    assert read_question(text, at(WEDNESDAY)).anchors == ()


@pytest.mark.parametrize(
    "word", ["q1", "easter", "monday", "5 May", "5/7/2023", "yesterday", "the 20s", "last 3 weeks", "in 2021", "五月"]
)
def test_a_pasted_list_of_times_costs_no_more_than_a_question(word):
    named = named_times(f"{word} " * 300, datetime(2024, 5, 15, 10))
    assert 1 <= len(named) <= MOST_OF_KIND


def test_whether_a_question_looks_ahead_is_seen_once(monkeypatch):
    class Counted:
        times = 0

        def search(self, text):
            self.times += 1
            return None

    counted = Counted()
    monkeypatch.setattr("memory.question_time_words.AHEAD", counted)
    named_times("in may and june, on monday or tuesday, at easter", datetime(2024, 5, 15, 10))
    assert counted.times == 1
