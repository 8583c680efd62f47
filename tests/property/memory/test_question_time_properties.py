"""What holds of every question: reading its times fails on no text, and they are ranges that move with the clock."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory.question_time import read_question
from memory.records import BEGINNING, FOREVER, Micros
from memory.temporal import LATEST

PIECES = st.sampled_from(
    "in on the last this next since before after until between and to from May march fall spring Q2 2021 2023 31 29 "
    "February Monday yesterday today ago three weeks month year early end of Easter letzten im vor nach seit Mai "
    "zwischen und printemps dernier avant mes pasado hace 去年 春天 5月 10月 三 周 前 之前 以来 先週 の 金曜日 から "
    "まで 年代 90 's , . - / 3 12 while she lived in Oslo nach dem Umzug 9999 1500 2199".split()
)
QUESTIONS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=12).map(" ".join),
    st.lists(PIECES, max_size=12).map("".join),
)
FIRST: Micros = int(datetime(1, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000
TIMES = st.integers(FIRST, LATEST)
ZONES = st.sampled_from([None, "+02:00", "-11:30", "+14:00", "nonsense"])
RELATIVE = st.sampled_from(
    ["yesterday", "last week", "three weeks ago", "last month", "last year", "in the last 5 days", "last spring",
     "vor zwei Tagen", "la semaine dernière", "el mes pasado", "去年", "先月"]
)  # fmt: skip
# Four hundred years have a whole number of weeks, so that the calendar repeats.
CYCLE: Micros = 146_097 * 86_400_000_000


@given(QUESTIONS, TIMES, ZONES)
def test_every_text_is_read_and_every_range_is_ordered(text: str, now: Micros, zone: str | None) -> None:
    found = read_question(text, now, zone)

    for one in found.ranges:
        assert BEGINNING <= one.first < one.after <= FOREVER
        assert one.scale > 0
        assert 0 < one.worth <= 1
    assert all(one.phrase and one.phrase in " ".join(text.split()) for one in found.anchors)


@given(RELATIVE, st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), ZONES)
def test_a_relative_time_moves_with_the_calendar(text: str, now: datetime, zone: str | None) -> None:
    at = int(now.replace(tzinfo=UTC).timestamp()) * 1_000_000

    before = read_question(text, at, zone).ranges
    later = read_question(text, at + CYCLE, zone).ranges

    assert before
    assert [(one.first + CYCLE, one.after + CYCLE) for one in before] == [(one.first, one.after) for one in later]


@given(RELATIVE, st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))
def test_what_is_past_has_begun(text: str, now: datetime) -> None:
    at = int(now.replace(tzinfo=UTC).timestamp()) * 1_000_000

    assert all(one.first <= at for one in read_question(text, at).ranges)
