"""A duplicate never has other values, and is one whichever statement is the older."""

from hypothesis import given
from hypothesis import strategies as st

from memory.judging import Pair
from memory.pairs.rules import could_replace, differ_in_values, judge_pair

WORDS = (
    "the a ana bea leo i my not never is are was has left moved now in at by house dog café 5 five 17:00 3.10 kg "
    "monday may half an hour и не дом ist nicht zwei ? : 我 住 在 不 Oslo Rome"
).split()
STATEMENTS = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=10).map(" ".join),
    st.text(min_size=1, max_size=60),
)
SIMILARITIES = st.floats(-1.0, 1.0)


@given(STATEMENTS, STATEMENTS, SIMILARITIES)
def test_a_duplicate_has_no_other_values(old, new, similarity):
    verdict = judge_pair(Pair(old=old, new=new, similarity=similarity)).verdict

    assert not (verdict == "duplicate" and differ_in_values(old, new))


@given(STATEMENTS, st.randoms(use_true_random=False), st.floats(0.8, 1.0))
def test_a_duplicate_is_one_in_either_order(old, random, similarity):
    words = old.split()
    random.shuffle(words)
    new = " ".join(words)

    forth = judge_pair(Pair(old=old, new=new, similarity=similarity)).verdict
    back = judge_pair(Pair(old=new, new=old, similarity=similarity)).verdict

    assert (forth == "duplicate") == (back == "duplicate")


@given(STATEMENTS, STATEMENTS)
def test_values_differ_in_either_order(old, new):
    assert differ_in_values(old, new) == differ_in_values(new, old)


@given(STATEMENTS)
def test_a_statement_does_not_differ_from_itself(statement):
    assert not differ_in_values(statement, statement)


@given(STATEMENTS.filter(lambda statement: not {"?", "？", "؟"} & set(statement)))
def test_a_statement_could_replace_itself(statement):
    assert could_replace(statement, statement, same_speaker=True)
