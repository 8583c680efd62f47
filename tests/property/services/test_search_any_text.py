"""Full text takes any text: as a query it never fails nor matches what has nothing of it, and as a text it is found."""

import itertools
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory.records import Scope, SearchQuery
from memory.segmentation import segment
from services.search import search
from tests.rows import put_memories, searching_host

# Cherokee letters; no query below has any.
CANARY = "ᎠᎡᎢᎣ ᎤᎥᎦᎧ"
WORDS = st.sampled_from(
    "data base Datenbank ﬁne ＡＢＣ 数据库 データ 서버 관리 ข้อมูล مكتبة המשרד ज़रूरी İstanbul src/main.rs"
    ' parseHTTP C++ 👍🏽 ❤️ * " OR AND NEAR( - ^'.split()
)
TEXT = st.one_of(
    st.text(max_size=60), st.lists(WORDS, max_size=6).map(" ".join), st.lists(WORDS, max_size=4).map("".join)
).filter(lambda text: not any("CHEROKEE" in unicodedata.name(char, "") for char in text))
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return searching_host(tmp_path_factory.mktemp("store"))


def found(host, space, query):
    """Return the texts whose words a query meets, best first."""
    asked = SearchQuery(q=query, arms=frozenset({"lexical"}), limit=10)
    hits = search(Scope(tenant="default", spaces=(space,)), host, asked).hits
    return [hit.text for hit in hits if hit.explain["lexical"] > 0]


@given(query=TEXT)
@settings(deadline=None, max_examples=150)
def test_any_query_is_answered_and_none_matches_what_has_nothing_of_it(host, query):
    if not host.store.tenants() or not found(host, "canary", "ᎠᎡᎢᎣ"):
        put_memories(host, "canary", [CANARY])
    assert found(host, "canary", query) == []


@given(text=TEXT, form=st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
@settings(deadline=None, max_examples=100)
def test_any_text_with_a_term_is_found_by_each_of_its_forms_and_comes_back_as_it_was(host, text, form):
    assume(segment(text))
    space = f"own-{next(NUMBERS)}"
    put_memories(host, space, [CANARY, text])
    assert found(host, space, unicodedata.normalize(form, text)) == [text]
