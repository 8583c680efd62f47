"""`memory.temporal`."""

import pytest

from memory.errors import InvalidInput
from memory.temporal import parse_instant, readable_date, to_iso

DAY = 1_683_504_000_000_000  # 2023-05-08T00:00:00Z


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2023-05-08", (DAY, None)),
        ("20230508", (DAY, None)),
        ("2023-05-08T09:30:00Z", (DAY + 34_200_000_000, "+00:00")),
        ("2023-05-08T09:30:00.25+02:00", (DAY + 27_000_250_000, "+02:00")),
        ("2023-05-08 09:30", (DAY + 34_200_000_000, None)),
        ("2023-05-08T00:00:00-03:30", (DAY + 12_600_000_000, "-03:30")),
        (1_683_504_000, (DAY, None)),
        (1_683_504_000_000, (DAY, None)),
        ("1683504000000", (DAY, None)),
        (1_683_504_000.5, (DAY + 500_000, None)),
        ("0001-01-01", (-62_135_596_800_000_000, None)),
    ],
)
def test_instants_are_read(value: str | float, expected: tuple[int, str | None]) -> None:
    assert parse_instant(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "",
        "yesterday",
        "2023-13-01",
        "2023-02-30",
        "0000-01-01",
        "10000-01-01",
        "0001-01-01T00:00:00+05:00",
        "12",
        12,
        True,
        float("nan"),
        1e30,
        "2023-05-08T25:00",
        "٢٠٢٣-05-08",
        "9999-12-31T23:59:59-01:00",
        None,
        [],
    ],
)
def test_anything_else_is_refused_with_a_hint(value: object) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse_instant(value, field="documentDate")  # type: ignore[arg-type]
    assert raised.value.details["field"] == "documentDate"
    assert "ISO 8601" in raised.value.details["hint"]


def test_instants_are_written_in_their_own_offset() -> None:
    assert to_iso(DAY) == "2023-05-08T00:00:00Z"
    assert to_iso(DAY + 1, "+02:00") == "2023-05-08T02:00:00.000001+02:00"
    assert readable_date(DAY, "-01:00") == "7 May 2023"
