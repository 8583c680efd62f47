from itertools import product
from string import ascii_lowercase

import numpy as np
import pytest

from memory.records import Scope, SearchQuery
from services.search import search
from store.snapshots import MOST_TERMS
from tests.rows import put_memories, searching_host

# Words that are their own stems.
TAILS = ["".join(letters) + "q" for letters in product(ascii_lowercase, repeat=3)]
COMMON = ["common" + tail for tail in TAILS[:40]]
RARE = ["rare" + tail for tail in TAILS[: MOST_TERMS - 10]]
UNSAID = ["unsaid" + tail for tail in TAILS[:1_000]]


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = searching_host(tmp_path_factory.mktemp("store"))
    put_memories(host, "red", [" ".join(COMMON), " ".join(COMMON), " ".join([*COMMON, *RARE])], user="ann")
    put_memories(host, "red", [" ".join([*RARE, *UNSAID])] * 5, user="bob")
    return host


@pytest.fixture(scope="module")
def snapshot(host):
    return host.search.segment("default", "red")


def test_every_term_of_a_question_is_looked_up(snapshot):
    terms = [*RARE, *UNSAID[:10]]
    assert list(snapshot.query_postings(" ".join(terms), np.ones(len(snapshot), dtype=bool))) == terms


def test_of_a_long_text_the_heaviest_terms_that_visible_rows_say_are_looked_up(snapshot):
    # given a text in which words of some rows, and more words that only others say, stand in any order
    mixed = [*UNSAID[:500], *COMMON, *RARE, *UNSAID[500:]]
    # when it is looked up for those who see the former
    found = snapshot.query_postings(" ".join(mixed), np.arange(len(snapshot)) < 3)
    # then their rare words count and some of the others, as they stand in the text
    assert list(found) == [*COMMON[:10], *RARE]
    # and for whoever sees all rows the others are as heavy
    assert list(snapshot.query_postings(" ".join(mixed), np.ones(len(snapshot), dtype=bool))) == [
        *UNSAID[: MOST_TERMS - len(COMMON)],
        *COMMON,
    ]


def test_words_that_no_row_says_count_after_those_that_one_does(snapshot):
    found = snapshot.query_postings(" ".join([*UNSAID, *RARE]), np.arange(len(snapshot)) < 3)
    assert list(found) == [*UNSAID[: MOST_TERMS - len(RARE)], *RARE]


def test_a_row_is_found_by_its_words_in_a_long_text(host):
    q = " ".join([*UNSAID[:300], *RARE, *UNSAID[300:]])
    hits = search(Scope(tenant="default", spaces=("red",), user="ann"), host, SearchQuery(q=q)).hits
    assert hits[0].text.endswith(RARE[-1])
    assert hits[0].explain["lexical"] > 0.5
