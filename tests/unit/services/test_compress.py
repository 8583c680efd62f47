import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.records import Scope
from services.compress import compress
from services.fake_models import WordModels
from services.fakes import fake_host

SCOPE = Scope(tenant="default", spaces=("home",))
TEXT = (
    "The roof was built in 1911. It leaks when it rains. Ann plays the cello on Sundays. "
    "The cello is older than the roof. Lunch is served at noon. Nobody knows who paid for the roof."
)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return fake_host(tmp_path_factory.mktemp("store"), models=WordModels())


def test_what_fits_the_question_is_kept_in_source_order(host):
    short = compress(SCOPE, host, TEXT, q="Who plays the cello?", budget=15)
    assert short.text == "Ann plays the cello on Sundays. The cello is older than the roof."
    assert (short.kept, short.dropped) == (2, 4)


def test_a_quarter_is_kept_when_no_budget_is_given(host):
    short = compress(SCOPE, host, TEXT)
    assert 0 < short.tokens_after <= short.tokens_before // 4


def test_a_text_within_the_budget_stays_as_it_is(host):
    same = compress(SCOPE, host, TEXT, budget=1000)
    assert (same.text, same.dropped) == (TEXT, 0)


def test_the_best_sentence_is_cut_when_not_even_one_fits(host):
    short = compress(SCOPE, host, TEXT, q="cello", budget=2)
    assert short.text in TEXT
    assert 0 < short.tokens_after <= 2


def test_words_alone_decide_when_the_embedder_is_down(tmp_path):
    host = fake_host(tmp_path, models=WordModels(embedder_down=True))
    short = compress(SCOPE, host, TEXT, q="cello", budget=6)
    assert short.text == "Ann plays the cello on Sundays."
    assert "words alone" in short.degraded[0]
    assert compress(SCOPE, host, TEXT, budget=10).tokens_after <= 10


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_is_compressed_to_nothing(host, text):
    assert compress(SCOPE, host, text).tokens_after == 0


@given(text=st.text(max_size=400), budget=st.integers(1, 30), q=st.none() | st.text(min_size=1, max_size=20))
@settings(deadline=None, max_examples=60)
def test_the_budget_is_never_exceeded(host, text, budget, q):
    assert host.count_tokens(compress(SCOPE, host, text, q=q, budget=budget).text) <= budget
