import pytest

from memory.repeats import only_repeats
from memory.statements import equality_key

KNOWN = {
    equality_key("The pump is blue.", "Manual"),
    equality_key("The gate code is 4417.", None),
    equality_key("I moved to Porto.", "Ines"),
}


@pytest.mark.parametrize(
    "quote",
    [
        "* Manual: The pump is blue.\n* The gate code is 4417.",
        "The pump is blue.\n\n[3] Manual: The pump is blue.",
        "1. Ines: I moved to Porto.",
        "Here is what I know:\n- [Disputed] Ines: I moved to Porto.\n- [Unjudged] The gate code is 4417.",
        "0.83 Ines: I moved to Porto.",
        '  "Ines: I moved to Porto.",\n  "The gate code is 4417."',
        "> The pump is blue. The gate code is 4417.\nok",
    ],
)
def test_lines_that_are_known_are_a_repetition(quote):
    assert only_repeats(quote, KNOWN.__contains__)


@pytest.mark.parametrize(
    "quote",
    [
        "* Manual: The pump is blue.\nNo, the gate code is 5520 now.",
        "The pump is blue. The gate code is 5520.",
        "Ben: I moved to Porto.",
        "New gate code 5520:",
        "ok",
        "",
    ],
)
def test_whatever_is_not_known_makes_it_a_statement(quote):
    assert not only_repeats(quote, KNOWN.__contains__)
