"""The outcome of judging in parallel is the outcome of judging one at a time, whatever order the answers come in."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reconciling import DAY, Reconciling, vector

SUBJECTS = ("Ana", "Ben")
ATTRIBUTES = ("lives in", "works for", "owes")
VALUES = ("Oslo", "Bergen", "Moss")


def judge(old, new):
    """Know what the sentences mean, and doubt some of them."""
    if old.split()[:2] != new.split()[:2]:
        return "distinct"
    if old.rstrip("!") == new.rstrip("!"):
        return "duplicate"
    if new.endswith("Moss!"):
        return {"update": 0.5, "distinct": 0.5}
    return "contradiction" if new.endswith("Oslo!") else "update"


@st.composite
def facts(draw):
    """A fact with its vector: near those of the same subject and, by its attribute, near those of others."""
    subject, attribute = draw(st.sampled_from(SUBJECTS)), draw(st.sampled_from(ATTRIBUTES))
    text = f"{subject} {attribute} {draw(st.sampled_from(VALUES))}{draw(st.sampled_from(['', '!']))}"
    topics = [SUBJECTS.index(subject)]
    if attribute == "owes":
        topics.append(10 + VALUES.index(text.split()[-1].rstrip("!")))
    own = hash_of(text)
    confidence = draw(st.sampled_from([0.2, 0.7, 0.9]))
    return text, vector(*topics, own=own), draw(st.integers(1, 30)), confidence


def hash_of(text):
    return sum(ord(letter) * (place + 1) for place, letter in enumerate(text))


# An integer lets one of the judges that are out answer; with fewer steps two candidates seldom wait at a time.
steps = st.lists(st.one_of(facts(), facts(), st.integers(0, 5)), min_size=10, max_size=24)


def final_state(history, *, at_once):
    with tempfile.TemporaryDirectory() as folder:
        writer = Reconciling(Path(folder), judge)
        start = writer.clock()
        for step in history:
            if isinstance(step, int):
                if at_once and writer.asked:
                    writer.answer(step % len(writer.asked))
                continue
            text, vec, days, confidence = step
            writer.propose(text, vec, said_at=start - days * DAY, confidence=confidence)
            if not at_once:
                writer.answer_all()
        writer.answer_all()
        left = writer.rows("SELECT count(*) FROM candidate WHERE state <> 'settled'")
        assert left == [(0,)]
        outcomes = [(row[0], row[1]) for row in writer.rows("SELECT statement, outcome FROM candidate ORDER BY seq")]
        return writer.final(), outcomes


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_answers_in_any_order_leave_the_store_as_one_at_a_time_does(history):
    assert final_state(history, at_once=True) == final_state(history, at_once=False)
