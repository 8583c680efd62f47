"""`services.zones`."""

import pytest

from memory.errors import InvalidInput
from memory.temporal import LATEST, parse_instant
from services.zones import check_zone, offset_at


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("+02:00", "+02:00"), ("-0930", "-09:30"), ("+14", "+14:00"), ("Z", "+00:00"), ("UTC", "UTC"),
     ("Europe/Oslo", "Europe/Oslo")],
)  # fmt: skip
def test_offsets_and_names_are_taken(sent, kept):
    assert check_zone(sent) == kept


@pytest.mark.parametrize(
    "sent",
    ["", " ", "+2", "+02:60", "+14:01", "-99:00", "+٠٢:00", "europe/oslo", "Europe", "Nowhere/City", "../etc/passwd",
     "/etc/localtime", "a\0b", "x" * 10_000, 2, True, None, [], {}],
)  # fmt: skip
def test_anything_else_is_refused_by_name(sent):
    with pytest.raises(InvalidInput) as raised:
        check_zone(sent, field="timeZone")
    assert raised.value.details["field"] == "timeZone"
    assert "Europe/Oslo" in raised.value.details["hint"]


@pytest.mark.parametrize(
    ("zone", "at", "offset"),
    [("Europe/Oslo", "2026-01-01", "+01:00"), ("Europe/Oslo", "2026-07-01", "+02:00"),
     ("+05:30", "2026-07-01", "+05:30"),
     ("America/St_Johns", "2026-01-01", "-03:30"), ("Nowhere/City", "2026-01-01", None), (None, "2026-01-01", None)],
)  # fmt: skip
def test_the_offset_is_that_of_the_moment(zone, at, offset):
    assert offset_at(zone, parse_instant(at)[0]) == offset


def test_the_last_moment_has_an_offset_or_none():
    assert offset_at("Europe/Oslo", LATEST) is None
