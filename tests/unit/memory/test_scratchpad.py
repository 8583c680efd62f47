"""Notes are kept as they were written, up to a size."""

import pytest

from memory.errors import TooLarge
from memory.scratchpad import Note, Scratchpad, decode, encode, noted

ONE = (Note(text="Call Ada\nback", at=1),)


def test_a_note_is_added_or_stands_in_place_of_all():
    assert noted(ONE, "咖啡", at=2, append=True, most_chars=99) == (*ONE, Note(text="咖啡", at=2))
    assert noted(ONE, "咖啡", at=2, append=False, most_chars=99) == (Note(text="咖啡", at=2),)


def test_blank_text_is_no_note():
    assert noted(ONE, " \n", at=2, append=True, most_chars=99) == ONE
    assert noted(ONE, "", at=2, append=False, most_chars=99) == ()


def test_notes_that_are_too_long_together_are_refused_and_nothing_is_dropped():
    assert Scratchpad(notes=noted(ONE, "1234", at=2, append=True, most_chars=17)).chars == 17
    with pytest.raises(TooLarge, match="would have 18 characters; it takes 17"):
        noted(ONE, "12345", at=2, append=True, most_chars=17)
    with pytest.raises(TooLarge) as refused:
        noted((), "1" * 18, at=2, append=False, most_chars=17)
    assert refused.value.details["hint"] == "Send a shorter text."


def test_notes_come_back_as_they_were():
    notes = (*ONE, Note(text='"quoted" \\ 👩‍👧 \u2028', at=2**60))

    assert decode(encode(notes)) == notes
