"""`memory.quotes`."""

import pytest

from memory.quotes import find_quote


@pytest.mark.parametrize(
    ("quote", "source", "held"),
    [
        ("The limit is 40 kg", "So:  The limit\n is **40 kg** here", "The limit\n is **40 kg"),
        ("“the pump’s valve”", "See the pump's valve now", "the pump's valve"),
        ("cafe\u0301 noir", "Un café noir", "café noir"),
        ("soft hyphen", "a soft hy\u00adphen", "soft hy\u00adphen"),
        ("ｆｕｌｌ width", "full width", "full width"),
        ("奥斯陆", "他住在奥斯陆。", "奥斯陆"),
        ("max_load", "set max_load to", "max_load"),
    ],
)
def test_a_quote_is_found_in_spite_of_its_form(quote: str, source: str, held: str) -> None:
    span = find_quote(quote, source)
    assert span is not None
    assert source[span[0] : span[1]] == held


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("The limit is 4", "The limit is 40 kg"),
        ("The limit is 4", "The limit is 4.5 kg"),
        ("40 kg", "The limit is 1,40 kg"),
        ("is over", "This over there"),
        ("a b", "a c"),
        ("...", "a ... b"),
        ("", "a"),
        ("maxload", "max_load"),
    ],
)
def test_words_that_the_source_does_not_have_are_no_quote(quote: str, source: str) -> None:
    assert find_quote(quote, source) is None
