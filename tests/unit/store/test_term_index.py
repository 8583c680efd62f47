import random

from store.term_index import Needle, TermIndex

LETTERS = "abcdeé中ñ"


def made(seed, count):
    rng = random.Random(seed)
    return list({"".join(rng.choices(LETTERS, k=rng.randint(1, 12))) for _ in range(count)})


def test_it_finds_the_terms_that_a_scan_finds():
    terms = made(1, 3000)
    index = TermIndex(terms)
    for part in (*[term[:5] for term in terms if len(term) >= 5][:200], "zzzz", "aaaab"):
        assert sorted(index.containing(Needle.part(part))) == sorted(term for term in terms if part in term)


def test_it_yields_the_shortest_first():
    terms = made(2, 3000)
    wanted = sorted(len(term) for term in terms if "abcd" in term)
    assert [len(term) for term in TermIndex(terms).containing(Needle.part("abcd"))] == wanted


def test_beginnings_are_found_by_length():
    terms = made(3, 3000)
    index = TermIndex(terms)
    for prefix in {term[:3] for term in terms if len(term) >= 3}:
        wanted = sorted(term for term in terms if term.startswith(prefix) and 4 <= len(term) <= 6)
        assert sorted(index.starting(Needle.prefix(prefix), 4, 6)) == wanted
    assert index.starting(Needle.prefix("abc"), 13, 99) == []


def test_nothing_and_the_shortest_of_terms_make_no_trouble():
    assert list(TermIndex([]).containing(Needle.part("abcd"))) == []
    assert TermIndex([]).starting(Needle.prefix("abc"), 3, 9) == []
    assert TermIndex(["a", "ab", "abc"]).starting(Needle.prefix("abc"), 3, 9) == ["abc"]
    # The end of one term and the beginning of the next are no part of either.
    assert list(TermIndex(["xxab", "cdxx"]).containing(Needle.part("abcd"))) == []
