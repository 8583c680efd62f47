import pytest

from memory.term_expansion import AKIN, MOST, kin, strongest

PARTS = ("", "a", "nah", "strassenbahn", "umsteige", "omnibus", "bedarfs")


class Words:
    """A vocabulary that scans a set of terms."""

    def __init__(self, *terms):
        self.terms = sorted(terms, key=len)

    def __contains__(self, term):
        return term in self.terms

    def containing(self, part):
        assert len(part) >= 4
        return (term for term in self.terms if part in term)

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
    found = kin(term, Words(term, other, "unrelated"))
    assert list(found) == [other]
    assert 0 < found[other] < 1


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
    assert kin(term, Words(term, other)) == {}


def test_the_more_two_words_have_in_common_the_stronger():
    found = kin("garten", Words("garten", "gartens", "gartenzaun", "kindergartenplatz"))
    assert list(found) == ["gartens", "gartenzaun", "kindergartenplatz"]
    assert found["gartens"] == pytest.approx(6 / 7)
    assert strongest("garten", [found])["gartens"] == pytest.approx(AKIN * 6 / 7)


def test_only_the_nearest_are_taken():
    longer = [f"garten{'x' * size}" for size in range(1, 50)]
    assert list(kin("garten", Words(*longer))) == longer[:MOST]
    assert list(kin("garten", Words(*longer), 40)) == longer[:40]


def test_the_nearest_are_those_of_a_scan_of_all_parts():
    # given words that contain one, or all but its ending: a short one of these may be farther than a long one of those
    longer = [f"{start}{core}{end}" for core in ("haltestelle", "haltestel") for start in PARTS for end in PARTS]
    everything = kin("haltestelle", Words("haltestelle", *longer), len(longer))
    assert len(everything) == len(set(longer) - {"haltestelle"})
    for most in (1, 3, 10, MOST):
        # when they are looked up in one part of the index or in several
        nearest = list(everything)[:most]
        assert list(kin("haltestelle", Words("haltestelle", *longer), most)) == nearest
        found = [kin("haltestelle", Words(*longer[part::3]), most) for part in range(3)]
        # then it makes no difference
        assert list(strongest("haltestelle", found, most=most)) == nearest


def test_words_that_stand_side_by_side_may_be_one():
    assert kin("wi", Words("wifi")) == {}
    assert strongest("wi", [{}], ["wifi", "wi"]) == {"wifi": AKIN}
