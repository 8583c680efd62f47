"""Every error that a caller can meet is in docs/errors.md, with its status and what to do about it."""

import re
from pathlib import Path

import pytest

from api.errors import FRAMEWORK, INTERNAL, status_of
from memory.errors import MemlaneError

PAGE = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(?P<code>\w+)` \| (?P<status>\d+) \|(?P<when>[^|]*)\|(?P<remedy>[^|]*)\|$", re.MULTILINE)
ROWS = {row["code"]: row for row in ROW.finditer(PAGE)}


def family(base: type[MemlaneError]) -> list[type[MemlaneError]]:
    return [base, *(error for child in base.__subclasses__() for error in family(child))]


CALLERS = [error for error in family(MemlaneError) if error.__module__ == MemlaneError.__module__]
# What is pending is kept, so it is answered as accepted and not by the table.
OURS = {error.code: status_of(error()) for error in CALLERS} | {"pending": 202}
# Where both the framework and we refuse something, ours is the row.
STATUS = {code: status for status, (code, _) in FRAMEWORK.items()} | {INTERNAL[0]: 500} | OURS


@pytest.mark.parametrize("code", sorted(STATUS))
def test_error_is_documented_with_status_and_remedy(code):
    assert code in ROWS, f"Add a row for `{code}` to docs/errors.md."
    assert int(ROWS[code]["status"]) == STATUS[code]
    assert len(ROWS[code]["when"].split()) >= 3, "Say when it happens."
    assert len(ROWS[code]["remedy"].split()) >= 3, "Say what to do."


def test_no_row_is_about_an_error_that_does_not_exist():
    assert set(ROWS) == set(STATUS)
