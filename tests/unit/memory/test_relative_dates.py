"""`memory.relative_dates`."""

from datetime import date

import pytest

from memory.relative_dates import day_of, relative_dates, with_absolute
from memory.temporal import parse_instant

MONDAY = date(2023, 5, 8)


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("yesterday; this coming Friday", "yesterday (2023-05-07); this coming Friday (2023-05-12)"),
        ("as of last month", "as of last month (April 2023)"),
        ("the day before yesterday we met", "the day before yesterday (2023-05-06) we met"),
        ("at yesterday's meeting", "at yesterday's (2023-05-07) meeting"),
        ("it broke three weeks ago", "it broke three weeks ago (2023-04-17/2023-04-23)"),
        ("we won last Monday", "we won last Monday (2023-05-01)"),
        ("last weekend in Graz", "last weekend in Graz"),
        ("it rained last weekend", "it rained last weekend (2023-05-06/2023-05-07)"),
        ("two years ago", "two years ago (2021)"),
        ("Ich war gestern hier und fliege morgen", "Ich war gestern (2023-05-07) hier und fliege morgen (2023-05-09)"),
        ("letzten Freitag, vor zwei Jahren", "letzten Freitag (2023-05-05), vor zwei Jahren (2021)"),
        ("Je suis arrivé hier avec le train", "Je suis arrivé hier (2023-05-07) avec le train"),
        ("le mois dernier", "le mois dernier (avril 2023)"),
        ("我昨天搬家了", "我昨天 (2023-05-07)搬家了"),
        ("上周五下雨了", "上周五 (2023-05-05)下雨了"),
        ("三个月前他来了", "三个月前 (2023年2月)他来了"),
        ("先月引っ越した", "先月 (2023年4月)引っ越した"),
        ("二年前に買った", "二年前 (2021)に買った"),
        ("Ayer llovió; el mes pasado no", "Ayer (2023-05-07) llovió; el mes pasado (abril 2023) no"),
    ],
)  # fmt: skip
def test_a_relative_date_gets_the_absolute_one_behind_it(text: str, dated: str) -> None:
    assert with_absolute(text, MONDAY) == dated


@pytest.mark.parametrize(
    "text",
    [
        "next Friday",
        "I fly in two weeks",
        "in the last month it rained",
        "vivo aquí desde hace dos años",
        "Das Werkzeug ist hier",
        "the last week of May",
        "yesterday, 7 May, we met",
        "yesterday (2023-05-07)",
        "a lastmonth b",
        "昨天（2023年5月7日）下雨了",
        "后天性的病",
        "5月1日前に払う",
    ],
)
def test_words_with_two_readings_and_dates_that_are_there_stay_as_they_are(text: str) -> None:
    assert with_absolute(text, MONDAY) == text


def test_without_a_reference_no_date_is_invented() -> None:
    assert with_absolute("I moved yesterday", None) == "I moved yesterday"


def test_dating_twice_changes_nothing() -> None:
    once = with_absolute("I moved yesterday and last month I was ill", MONDAY)
    assert with_absolute(once, MONDAY) == once


def test_the_days_of_a_month_are_told_from_the_31st() -> None:
    (found,) = relative_dates("one month ago", date(2021, 3, 31))
    assert (found.first, found.after) == (date(2021, 2, 1), date(2021, 3, 1))


def test_what_lies_before_the_calendar_is_not_found() -> None:
    assert relative_dates("3 years ago, yesterday", date(1, 1, 1)) == []


def test_the_day_is_that_of_the_speaker() -> None:
    at, zone = parse_instant("2023-05-08T00:30:00+02:00")
    assert day_of(at, zone) == MONDAY
    assert day_of(None, None) is None
