"""`memory.segmentation` over a full-text index as the store makes it."""

import json
import sqlite3
import time
from pathlib import Path

import pytest

from memory.segmentation import joined_terms, query_terms, segment, shadow

LANGUAGES = json.loads((Path(__file__).parents[2] / "data" / "search_languages.json").read_text(encoding="utf-8"))
TEXTS = [(group, text) for group, pairs in LANGUAGES.items() for text in pairs]


@pytest.fixture(scope="module")
def index() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    categories = "L* M* N* Co S* P*"
    db.execute(
        f"""CREATE VIRTUAL TABLE f USING fts5(t, tokenize="unicode61 remove_diacritics 0 categories '{categories}'")"""
    )
    db.executemany("INSERT INTO f VALUES (?)", [(shadow(text),) for _, text in TEXTS])
    return db


def search(db: sqlite3.Connection, query: str) -> list[str]:
    match = " OR ".join('"' + term.replace('"', '""') + '"' for term in query_terms(query))
    rows = db.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT 3", (match,)).fetchall()
    return [TEXTS[row - 1][1] for (row,) in rows]


@pytest.mark.parametrize("group", LANGUAGES)
def test_every_query_finds_its_text(index: sqlite3.Connection, group: str) -> None:
    missed = [
        query for text, queries in LANGUAGES[group].items() for query in queries if text not in search(index, query)
    ]
    assert missed == []


def test_terms_come_out_of_the_index_as_they_went_in(index: sqlite3.Connection) -> None:
    index.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab('main', 'f', 'row')")
    stored = {term for (term,) in index.execute("SELECT term FROM temp.v")}
    assert stored == {term for _, text in TEXTS for term in segment(text)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hiking", "hike"),
        ("hikes", "hiked"),
        ("cities", "city"),
        ("running", "ran"),
        ("stopped", "stops"),
        ("boxes", "box"),
        ("went", "goes"),
        ("Müller", "Mueller"),
        ("café", "CAFE"),
        ("ｆｕｌｌ", "full"),
        ("Straße", "strasse"),
        ("e-mail", "email"),
        ("iPhone", "iphone"),
        ("Ёлка", "елка"),
        ("ज़रूरी", "जरूरी"),
        ("मूँगफली", "मूंगफली"),
        ("stole", "stealing"),
    ],
)
def test_spellings_of_one_word_share_a_term(one: str, other: str) -> None:
    assert set(segment(one)) & set(segment(other))


@pytest.mark.parametrize(
    ("one", "other"), [("king", "kingdom"), ("bring", "bre"), ("thing", "the"), ("new", "news"), ("C++", "C#")]
)
def test_different_words_keep_different_terms(one: str, other: str) -> None:
    assert segment(one)[0] != segment(other)[0]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("don't", {"don't", "dont", "don"}),
        ("Caroline’s", {"carolin"}),
        ("src/main.rs", {"src/main.rs", "src", "main", "rs"}),
        ("parseHTTPHeader", {"parsehttpheader", "pars", "http", "header"}),
        ("foo_bar", {"foo_bar", "foo", "bar"}),
        ("c++ c#", {"c++", "c#", "c"}),
        ("1,400", {"1400"}),
        ("👨‍👩‍👧 🇫🇮", {"👨", "👩", "👧", "🇫🇮"}),
        ("???", set()),
    ],
)
def test_terms_of_special_words(text: str, terms: set[str]) -> None:
    assert set(segment(text)) == terms


def test_stop_words_are_left_out_of_a_query_unless_nothing_else_remains() -> None:
    assert query_terms("Where did she go to the gym?") == ["go", "gym"]
    assert query_terms("The Who") == ["the", "who"]
    assert query_terms("?!") == []


@pytest.mark.parametrize(
    "text", ["a." * 100_000, "_" * 100_000, "Qk1x" * 250_000, "🇫🇮" * 50_000, "'a" * 100_000, "e" + "\u0301" * 100_000]
)
def test_pathological_text_is_cut_in_linear_time(text: str) -> None:
    began = time.process_time()
    assert all(len(term) <= 64 for term in segment(text))
    assert time.process_time() - began < 3


def test_words_side_by_side_are_tried_as_one():
    assert joined_terms("the wi fi, please") == {
        "the": ["thewi"], "wi": ["thewi", "wifi"], "fi": ["wifi", "fipleas"], "pleas": ["fipleas"]
    }  # fmt: skip
    assert joined_terms("data 7 base") == {}
    assert joined_terms("") == {}
