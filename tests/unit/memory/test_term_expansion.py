import pytest

from memory.term_expansion import AKIN, MOST, akin


class Words:
    """A vocabulary that scans a set of terms."""

    def __init__(self, *terms):
        self.terms = sorted(terms, key=len)

    def __contains__(self, term):
        return term in self.terms

    def containing(self, part, most):
        assert len(part) >= 4
        return iter([term for term in self.terms if part in term][:most])

    def starting(self, prefix, shortest, longest):
        assert len(prefix) >= 3
        return (term for term in self.terms if term.startswith(prefix) and shortest <= len(term) <= longest)


@pytest.mark.parametrize(
    ("term", "other"),
    [
        ("haltestelle", "strassenbahnhaltestelle"),
        ("haltestellen", "strassenbahnhaltestelle"),
        ("apfelkuchen", "kuchen"),
        ("apfelkuchen", "apfel"),
        ("газета", "газету"),
        ("сад", "саду"),
        ("talossa", "talo"),
        ("משרד", "המשרד"),
        ("הקפה", "קפה"),
        ("شاي", "بالشاي"),
        ("किताब", "किताबें"),
        ("net/http_parser", "src/net/http_parser.rs"),
    ],
)
def test_forms_compounds_and_parts_of_a_word_are_akin(term, other):
    found = akin(term, Words(term, other, "unrelated"))
    assert list(found) == [other]
    assert 0 < found[other] < AKIN


@pytest.mark.parametrize(
    ("term", "other"),
    [
        ("book", "boot"),
        ("cat", "concatenate"),
        ("сад", "рассада"),
        ("2024", "20245"),
        ("東京", "東京都"),
        ("contract", "contour"),
        ("a", "ab"),
    ],
)
def test_words_that_only_look_alike_are_not(term, other):
    assert akin(term, Words(term, other)) == {}


def test_the_more_two_words_have_in_common_the_stronger():
    found = akin("garten", Words("garten", "gartens", "gartenzaun", "kindergartenplatz"))
    assert list(found) == ["gartens", "gartenzaun", "kindergartenplatz"]
    assert found["gartens"] == pytest.approx(AKIN * 6 / 7)


def test_only_the_nearest_are_taken():
    longer = [f"garten{'x' * size}" for size in range(1, 50)]
    assert list(akin("garten", Words(*longer))) == longer[:MOST]


def test_words_that_stand_side_by_side_may_be_one():
    assert akin("wi", Words("wifi"), ["wifi"]) == {"wifi": AKIN}
    assert akin("wi", Words("radio"), ["wifi"]) == {}
