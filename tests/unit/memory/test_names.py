import numpy as np
import pytest

from memory.lexical import Posting
from memory.names import FULL_LINK, links, name_key, names_asked, row_names, score_names
from store.postings import block_of, posting
from tests.linear import assert_linear


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Maya works at Acme.", "maya acme"),
        ("Maya's Acme badge is lost", "maya acme"),
        ("We went to New York in May.", "new_york york"),
        ("She plays Ludwig van Beethoven", "ludwig_van_beethoven ludwig beethoven"),
        ("The Bank of England is in London", "bank_of_england bank england london"),
        ("My iPhone fell into the Łyna", "iphone lyna"),
        ("I love tea. Running helps.", "running"),
        ("Ich habe im Garten mit Anna Müller gesprochen und das Haus ist schön", "anna_muller anna muller"),
        ("田中さんは東京に住んでいる。", "田中"),
        ("민수씨가 왔다", "민수"),
        ("ask @jan.roe", "jan_roe jan roe"),
        ("Anna-Lena Roe sings", "anna_lena_roe anna_lena roe anna lena"),
        ("Jean-Luc left", "jean_luc jean luc"),
        ("nothing here", ""),
        ("", ""),
    ],
)
def test_a_text_names_what_it_writes_as_names(text: str, keys: str) -> None:
    assert row_names(text) == keys


def test_names_that_a_model_found_come_with_their_parts() -> None:
    assert row_names("she met zoë quinn", given=["Zoë Quinn"]) == "zoe_quinn zoe quinn"


def test_all_spellings_of_a_name_share_a_key() -> None:
    assert {name_key(one) for one in ("Zoë Quinn", "ZOE  QUINN", "Zoe\u0308 Quinn's", "zoe quinn")} == {"zoe_quinn"}


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("Where did Caroline buy the new car?", ["caroline"]),
        ("has caroline been to new york", ["caroline", "new_york"]),
        ("What's Caroline's plan for New York?", ["caroline", "new_york"]),
        ("田中さんはどこ", ["田中"]),
        ("Where is Peter?", []),
        ("what may she do", []),
        ("?!", []),
    ],
)
def test_a_question_asks_about_known_names(question: str, keys: list[str]) -> None:
    known = {"caroline", "new_york", "york", "new", "may", "田中"}
    assert names_asked(question, known.__contains__) == keys


def test_who_speaks_is_linked_more_than_who_is_mentioned() -> None:
    rows = [
        links("zoe", "Ana Roe"),
        links("ana", "Zoe"),
        links("ana acme", None),
        links(None, None),
        links(None, "Ana"),
    ]
    blocks = (block_of(rows, 0),)
    visible = np.array([True, True, True, True, False])
    assert score_names([posting(blocks, "ana")], visible).tolist() == [1.0, 0.25, 1.0, 0.0, 0.0]
    assert score_names([posting(blocks, "zoe")], visible).tolist() == [0.25, 1.0, 0.0, 0.0, 0.0]


def test_a_rare_name_weighs_more_than_one_that_all_rows_share() -> None:
    visible = np.ones(4, dtype=np.bool_)
    everywhere = Posting(np.arange(4, dtype=np.int32), np.full(4, FULL_LINK, dtype=np.int32))
    rare = Posting(np.array([2], dtype=np.int32), np.array([FULL_LINK], dtype=np.int32))
    scores = score_names([everywhere, rare], visible)
    assert scores[2] == 1.0
    assert scores[0] == scores[1] == scores[3] < 0.2


def test_no_names_score_nothing() -> None:
    assert score_names([], np.ones(2, dtype=np.bool_)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("piece", ["Aa, ", "Aa ", "A. ", "@a ", "of Aa ", "田", "Aa's ", "\n \n Bb"])
def test_naming_takes_time_in_proportion_to_the_text(piece: str) -> None:
    assert_linear(row_names, piece * (60_000 // len(piece)))
