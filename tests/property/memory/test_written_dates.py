"""A text is looked through for dates only where a year stands: nothing that the pattern finds may be missed by that."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memory import stated_dates

PARTS = [
    "2023", "1999", "20234", "1500", "2101-04-05", "2023-05", "May", "12", "5", "st", "de ", "of ", "-", "/", ".",
    ",", " ", "年", "3月", "21日", "１", "v", "x", "(2023-05-01/2023-05-07)",
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=9).map("".join))
@settings(deadline=None, max_examples=400)
def test_no_date_is_missed_for_want_of_a_year(text):
    found = stated_dates._WRITTEN.search(text)
    assert not found or stated_dates._HAS_YEAR.search(text)


def test_a_text_without_a_year_is_not_searched(monkeypatch):
    monkeypatch.setattr(stated_dates, "_WRITTEN", None)
    assert stated_dates.written_dates("Crane 4 lifts 55 kg. Number 15234.") == []
