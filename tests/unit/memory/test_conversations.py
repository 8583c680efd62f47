"""`memory.conversations.align`, rule by rule."""

import time

import pytest

from memory.conversations import Turn, align
from memory.errors import HistoryDiffers


def turns(words: str) -> list[Turn]:
    """Return a turn for each word; "s:x" is a system message."""
    return [("system", None, word[2:]) if word.startswith("s:") else ("user", None, word) for word in words.split()]


@pytest.mark.parametrize(
    ("stored", "incoming", "known"),
    [
        ("", "a b", 0),
        ("a b", "", 0),
        ("a b c", "a b c", 3),  # full resend
        ("a b c", "a b c d e", 3),  # resend with new messages
        ("a b c", "d e", 0),  # incremental
        ("a b c d", "c d e", 2),  # overlapping window
        ("a ok ok", "ok ok b", 2),
        ("a ok", "ok", 1),
        ("a b", "a", 0),  # one message may be said again
        ("a b c d", "a b", 2),  # late retry of the start
        ("a b c d e f", "b c d", 3),  # late retry of an inner part
        ("a b c d e f", "b c", 0),
        ("a b a", "a c", 1),  # the tail goes before the start
        ("s:p a b c", "s:p c d", 2),  # a window behind the system prompt
        ("s:p a b", "s:p c", 1),
        ("a", "a", 1),
    ],
)
def test_known_messages_are_counted(stored: str, incoming: str, known: int) -> None:
    assert align(turns(stored), turns(incoming)) == known


@pytest.mark.parametrize(
    ("stored", "incoming", "index"),
    [
        ("a b c", "a X c d", 1),
        ("a b c", "a b X d", 2),
        ("a b c d", "X b c d e", 0),
        ("a b c d e", "b c X", 3),
        ("s:p a b c", "s:p a X c", 2),
        ("s:p a b", "s:q a b c", 0),
        ("hi a b hi", "hi a X hi", 2),
    ],
)
def test_an_edited_message_is_refused_with_its_index(stored: str, incoming: str, index: int) -> None:
    with pytest.raises(HistoryDiffers) as raised:
        align(turns(stored), turns(incoming))
    assert raised.value.details["index"] == index


def test_role_and_name_belong_to_a_message() -> None:
    assert align([("user", "Ann", "hi there")], [("user", "Bob", "hi there")]) == 0


@pytest.mark.parametrize("pattern", ["a", "a b", "a a b"])
def test_long_repetitive_conversations_take_linear_time(pattern: str) -> None:
    stored = turns(" ".join([pattern] * 20_000))
    began = time.process_time()
    assert align(stored, [*stored, ("user", None, "new")]) == len(stored)
    assert time.process_time() - began < 2
