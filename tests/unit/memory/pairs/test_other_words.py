"""One fact in other words is found, and two facts in nearly the same words are never merged."""

import json
from pathlib import Path

import pytest

from memory.judging import Pair
from memory.pairs.rules import differ_in_values, judge_pair

DATA = Path(__file__).parents[3] / "data" / "pairs_not_the_same.json"
NOT_THE_SAME = json.loads(DATA.read_text(encoding="utf-8"))


def judged(old, new, *, similarity=0.9, speakers=(None, None)):
    pair = Pair(old=old, new=new, similarity=similarity, old_speaker=speakers[0], new_speaker=speakers[1])
    return judge_pair(pair).verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The kettle is filled by the porter.", "The porter fills the kettle."),
        ("We don't sell skis.", "Skis are not sold."),
        ("Wet boots must be left in the porch.", "Leave wet boots in the porch."),
        ("The lift carries at most 8 people.", "The lift carries no more than eight people."),
        ("There are two ovens in the kitchen.", "The kitchen has 2 ovens."),
        ("The depth of the well is 12 m.", "The well is 12 metres deep."),
        ("I'm scared of wasps.", "Wasps scare me."),
        ("Invoices are deleted after a fortnight.", "After two weeks, invoices get erased."),
        ("I play chess and darts.", "I play darts and chess."),
        ("The linter runs before the tests.", "The tests run after the linter."),
        ("It is forbidden to swim in the pond.", "You may not swim in the pond."),
        ("My phone is broken.", "My phone does not work."),
        ("Die Lampe hängt über dem Tisch.", "Über dem Tisch hängt die Lampe."),
        ("Der Plan wurde vom Vorstand geprüft.", "Der Vorstand hat den Plan geprüft."),
        ("Le mur a été peint par les élèves.", "Les élèves ont peint le mur."),
        ("La sala fue pintada por los vecinos.", "Los vecinos pintaron la sala."),
        ("Il mare non mi piace.", "Non mi piace il mare."),
        ("我害怕蛇。", "我怕蛇。"),
        ("鍵は箱の中にあります。", "箱の中に鍵はあります。"),
    ],
)
def test_one_fact_in_other_words_is_a_duplicate(old, new):
    assert judged(old, new) == "duplicate"
    assert judged(new, old) == "duplicate"


@pytest.mark.parametrize("speaker", [None, "Ida"])
def test_two_facts_in_nearly_the_same_words_are_not_merged(speaker):
    both_orders = [order for one in NOT_THE_SAME for order in ((one["old"], one["new"]), (one["new"], one["old"]))]

    # As similar as can be: to be more similar never makes a pair less of a duplicate.
    merged = [pair for pair in both_orders if judged(*pair, similarity=1.0, speakers=(speaker, speaker)) == "duplicate"]

    assert len(both_orders) > 600
    assert merged == []


def test_what_another_tells_of_a_speaker_by_name_is_what_the_speaker_said():
    assert judged("I have two cats.", "Ivo has 2 cats.", speakers=("Ivo", "Ada")) == "duplicate"
    assert judged("Ivo is allergic to nuts.", "I'm allergic to nuts.", speakers=("Ada", "Ivo")) == "duplicate"
    assert judged("I have two cats.", "Udo has 2 cats.", speakers=("Ivo", "Ada")) == "distinct"
    assert judged("My son has two cats.", "Ivo has two cats.", speakers=("Ivo", "Ada")) == "distinct"
    assert judged("I like my boss.", "Ivo's boss likes Ivo.", speakers=("Ivo", "Ada")) == "distinct"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The filters are cleaned every fortnight.", "The filters are cleaned every week."),
        ("The show starts at quarter past eight in the evening.", "The show starts at half past eight in the evening."),
        ("Bikes can be returned within 30 days.", "Bikes can be returned within 14 days."),
        ("We don't accept cheques.", "We now accept cheques."),
        ("Coverage must be at least 80 %.", "Coverage must be at least 85 %."),
    ],
)
def test_another_measure_or_a_denial_taken_back_is_an_update(old, new):
    assert judged(old, new) == "update"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The pill works after 10 minutes.", "The pill works after 20 minutes."),  # when
        ("I have yoga at half past eight.", "I have yoga at quarter past nine."),  # one more
        ("The limit is 50 within 10 minutes.", "The limit is 50 within 60 minutes."),  # of another span
    ],
)
def test_another_measure_that_may_hold_beside_the_first_is_no_update(old, new):
    assert judged(old, new) == "distinct"


def test_leading_zeros_of_a_code_count():
    assert differ_in_values("The code is 0417.", "The code is 417.")
    assert not differ_in_values("It starts at 07:30.", "It starts at 7:30.")
