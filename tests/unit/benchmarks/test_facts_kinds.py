"""`benchmarks.facts_kinds`: its figures, and how well the kinds of the tune part are told apart."""

from benchmarks.facts_kinds import Sorted, precision, recall, report

ROWS = [
    Sorted(label="fact", said="fact", lang="en"),
    Sorted(label="fact", said="episode", lang="en"),
    Sorted(label="episode", said="episode", lang="de"),
]


def test_precision_and_recall_are_shares_of_what_was_given_and_of_what_is_labelled():
    given, labelled = precision(ROWS, "episode"), recall(ROWS, "fact")

    assert (given.hits, given.of) == (1, 2)
    assert (labelled.hits, labelled.of) == (1, 2)


def test_a_report_has_every_kind_and_language():
    found = report("tune", lambda text: "fact")

    assert found["fact recall"].startswith("1.000")
    assert found["preference recall"].startswith("0.000")
    assert "kinds right in de" in found


def test_the_tables_know_the_statements_they_were_made_on():
    assert report("tune")["kinds right"].endswith("100 of 100)")
