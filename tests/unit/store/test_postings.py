import random
from collections import Counter

import numpy as np
import pytest

from memory.term_expansion import AKIN
from store.postings import block_of, expanded, posting, with_block


def as_dict(blocks, term):
    found = posting(blocks, term)
    return dict(zip(found.slots.tolist(), found.counts.tolist(), strict=True))


def test_a_term_is_found_in_every_row_that_says_it():
    blocks = with_block((), block_of(["paint paint red", "", "paint"], 0))
    assert as_dict(blocks, "paint") == {0: 2, 2: 1}
    assert as_dict(blocks, "blue") == {}


def test_blocks_added_one_by_one_say_the_same_as_one_block():
    # given random rows
    rng = random.Random(5)
    rows = [
        " ".join(rng.choices(["red", "blue", "cars", "car", "moon", "x1"], k=rng.randint(0, 6))) for _ in range(200)
    ]
    # when they come in batches of all sizes
    blocks, at = (), 0
    while at < len(rows):
        size = rng.choice([1, 1, 1, 5, 40])
        blocks = with_block(blocks, block_of(rows[at : at + size], at))
        at += size
    # then each term has its rows in ascending order, and the blocks are few
    for term in ("red", "blue", "car", "moon", "x1"):
        wanted = {slot: count for slot, row in enumerate(rows) if (count := Counter(row.split())[term])}
        assert as_dict(blocks, term) == wanted
        assert (np.diff(posting(blocks, term).slots) > 0).all()
    assert len(blocks) <= 6


def test_rows_without_a_word_make_no_trouble():
    blocks = with_block(with_block((), block_of(["", ""], 0)), block_of([""], 2))
    blocks = with_block(blocks, block_of(["moon"], 3))
    assert as_dict(blocks, "moon") == {3: 1}


def test_a_row_counts_once_for_a_term_and_by_the_nearest_that_it_says():
    # given rows in two blocks: the term, a compound twice, both, and neither
    blocks = with_block((), block_of(["garten", "gartenzaun gartenzaun", "garten gartenzaun", "haus"], 0))
    blocks = (*blocks, block_of(["gartenzaun"], 4))
    # when it is looked up with its kin
    found = expanded(blocks, "garten", np.ones(5, dtype=bool))
    # then
    assert found.slots.tolist() == [0, 2, 1, 4]
    assert found.counts.tolist() == [1, 1, 2, 1]
    assert found.strengths is not None
    assert found.strengths[:2].tolist() == [1.0, 1.0]
    assert 0 < found.strengths[2] == found.strengths[3] < 0.5


def test_a_term_without_kin_is_found_as_it_is():
    blocks = with_block((), block_of(["red moon", "moon"], 0))
    everything = np.ones(2, dtype=bool)
    assert expanded(blocks, "moon", everything).strengths is None
    assert len(expanded(blocks, "nothing", everything).slots) == 0


def test_two_words_written_as_one_are_found_where_a_row_says_so():
    blocks = with_block((), block_of(["wifi", "wi fi", "radio"], 0))
    found = expanded(blocks, "wi", np.ones(3, dtype=bool), ["wifi", "wifis"])
    assert found.slots.tolist() == [1, 0]
    assert found.strengths.tolist() == [1.0, AKIN]
    assert expanded(blocks, "wi", np.array([False, True, True]), ["wifi"]).slots.tolist() == [1]


@pytest.mark.parametrize("others", [3, 36, 300, 3000])
def test_what_invisible_rows_say_takes_no_part_in_what_a_term_means(others):
    # given a few rows, and then many that say words nearer to a term, before, between and after them
    own = ["supermarketplace", "open day", "marketsupermarket", "supermarket"]
    crowd = [*own, *(f"supermarket{at} {'abc'[at % 3]}supermarkets" for at in range(others))]
    random.Random(others).shuffle(crowd)
    slots = np.array([slot for slot, row in enumerate(crowd) if row in own])
    visible = np.isin(np.arange(len(crowd)), slots)
    alone = with_block((), block_of([crowd[slot] for slot in slots], 0))
    third = len(crowd) // 3
    blocks = (block_of(crowd[:third], 0), block_of(crowd[third:], third))
    for term in ("supermarket", "supermarkets", "market"):
        # when it is looked up for those that may see but the few
        found, wanted = expanded(blocks, term, visible), expanded(alone, term, np.ones(len(own), dtype=bool))
        # then it is as if there were no others
        assert found.slots.tolist() == slots[wanted.slots].tolist()
        assert found.counts.tolist() == wanted.counts.tolist()
        assert found.strengths.tolist() == wanted.strengths.tolist()
