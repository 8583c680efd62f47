"""How much the writer does at a time, and what it has asked for."""

from dataclasses import replace

import pytest

from services import reconcile
from tests.reconciling import Reconciling, vector

MANY = 3 * reconcile.ASKED_PER_SLOT


@pytest.fixture
def writer(tmp_path):
    return Reconciling(tmp_path, lambda old, new: "distinct")


def propose_near(writer, count):
    """Let candidates be ready, each with a neighbour of its own."""
    for topic in range(count):
        writer.propose(f"Pump {topic} is here", vector(topic, own=topic))
    for topic in range(count):
        writer.propose(f"Pump {topic} is new", vector(topic, own=100 + topic), run=False)
    writer.run()


def asked(writer):
    return writer.rows("SELECT count(*) FROM candidate WHERE state = 'ready' AND round > 0")[0][0]


def test_no_more_judges_are_asked_than_slots_can_take_soon(writer):
    propose_near(writer, MANY)
    assert asked(writer) == reconcile.ASKED_PER_SLOT
    writer.answer()
    assert asked(writer) == reconcile.ASKED_PER_SLOT
    writer.answer_all()
    assert writer.rows("SELECT outcome, count(*) FROM candidate GROUP BY 1") == [("added", 2 * MANY)]


def test_with_more_slots_more_are_asked(writer):
    writer.host = replace(writer.host, settings=replace(writer.host.settings, background_slots=2))
    propose_near(writer, MANY)
    assert asked(writer) == 2 * reconcile.ASKED_PER_SLOT


def test_those_that_touch_one_under_judgement_do_not_keep_others_from_being_asked(writer):
    writer.propose("Pump 0 is here", vector(0))
    writer.propose("Pump 1 is here", vector(1))
    for number in range(reconcile.ASKED_PER_SLOT + 2):
        writer.propose(f"Pump 0 is new {number}", vector(0, own=number), run=False)
    writer.propose("Pump 1 is new", vector(1, own=50), run=False)
    writer.run()
    assert asked(writer) == 2


def test_what_waits_for_judges_is_looked_at_in_one_pass_and_left(writer):
    propose_near(writer, MANY)
    assert reconcile.settle_candidates(writer.host, writer.writer, "default") is False


def test_a_job_cancelled_while_its_candidate_waits_for_a_judge_drops_it_at_once(writer):
    propose_near(writer, 1)
    writer.execute("UPDATE job SET state = 'cancelled' WHERE id = 'job_1'")
    writer.run()
    assert writer.outcomes()[-1] == ("dropped", "the job was cancelled")
