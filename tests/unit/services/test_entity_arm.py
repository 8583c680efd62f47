"""The arm of names: rows that are linked to what a question names come before their equals."""

import pytest

from memory.records import ARMS, Scope, SearchQuery
from services.search import search
from store import rows
from tests.rows import put_memories, searching_host

SCOPE = Scope(tenant="default", spaces=("home",))


@pytest.fixture
def host(tmp_path):
    return searching_host(tmp_path)


def hits(host, q, **options):
    return search(SCOPE, host, SearchQuery(q=q, **options)).hits


def test_what_the_named_one_says_comes_before_what_others_say_alike(host):
    for number, speaker in enumerate(("Ben", "Ana", "Cem")):
        put_memories(host, "home", ["We paint the kitchen."], speaker=speaker, group=f"ses_{number}")
    best, *rest = hits(host, "When does Ana paint the kitchen?", arms=ARMS - {"vectors", "lexical"})
    assert (best.memory.speaker, best.explain["entities"]) == ("Ana", 1.0)
    assert all(hit.explain["entities"] == 0.0 for hit in rest)


def test_a_fact_that_nobody_said_is_linked_to_all_it_names(host):
    put_memories(host, "home", ["Maya Roe works at Acme.", "The shop opens at nine."])
    found = {hit.text: hit.explain["entities"] for hit in hits(host, "Where is Maya?")}
    assert found == {"Maya Roe works at Acme.": 1.0, "The shop opens at nine.": 0.0}


def test_a_question_without_known_names_has_no_such_arm(host):
    put_memories(host, "home", ["Maya works at Acme."])
    assert all("entities" not in hit.explain for hit in hits(host, "Where does Peter work?"))


def test_the_arm_can_be_left_out(host):
    put_memories(host, "home", ["Maya works at Acme."])
    assert "entities" not in hits(host, "Where does Maya work?", arms=ARMS - {"entities"})[0].explain


def test_a_name_that_was_added_later_is_known_at_once(host):
    put_memories(host, "home", ["Maya works at Acme."])
    assert "entities" not in hits(host, "Who is Zoe?")[0].explain
    put_memories(host, "home", ["Zoe is a nurse."], group="ses_2")
    best = hits(host, "Who is Zoe?")[0]
    assert (best.text, best.explain["entities"]) == ("Zoe is a nurse.", 1.0)


def test_a_name_never_carries_a_row_over_one_that_answers(host):
    put_memories(host, "home", ["Maya likes tea.", "The invoice of March is paid."])
    assert hits(host, "Did Maya see that the invoice of March is paid?")[0].text == "The invoice of March is paid."


@pytest.mark.parametrize("hidden", [{"user": "ben"}, {"window": (0, 1)}, {"window": None}])
def test_names_of_rows_that_the_scope_does_not_see_change_nothing(host, hidden):
    # given what Ann sees
    put_memories(host, "home", ["Alice works at Acme."])
    ann = Scope(tenant="default", spaces=("home",), user="ann")

    def answer():
        found = search(ann, host, SearchQuery(q="Does Alice know Zorblatt?")).hits
        return [(hit.text, hit.similarity, hit.explain) for hit in found]

    before = answer()
    # when a row that she does not see names somebody she asks about
    put_memories(host, "home", ["Zorblatt knows Alice."], group="ses_2", **hidden)
    # then her answer does not change by a bit
    assert answer() == before


def test_a_copied_row_keeps_what_it_names(host):
    (row_id,) = put_memories(host, "home", ["Maya works at Acme."])
    with host.store.write("default") as tx:
        copy = rows.copy_row(tx, row_id, at=host.clock())
        names = [
            tx.execute("SELECT names FROM search_row WHERE id = ?", (one,)).fetchone()[0] for one in (row_id, copy)
        ]
    assert names == ["maya acme", "maya acme"]
