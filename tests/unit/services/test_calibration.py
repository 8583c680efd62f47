import json

import pytest

from memory.errors import InvalidInput, NotFound, Pending, PersonOnly, StateConflict
from services import calibrating, calibration, handlers, labelling, review
from services.judging import RULES_VERSION
from store import requests
from store.requests import Request
from tests.reconciling import AGENT, HOME, PERSON, Reconciling, vector

TOPIC = 3
SURE = {"update": 0.9, "distinct": 0.1}
UNSURE = {"update": 0.55, "distinct": 0.45}


@pytest.fixture
def writer(tmp_path):
    return Reconciling(tmp_path, lambda old, new: SURE)


def moved(writer, topic, shares=SURE):
    """Let a judge compare two places of one person; return the id of the decision."""
    writer.judge = lambda old, new: shares
    writer.propose(f"P{topic} lives in Oslo", vector(topic, own=1))
    writer.clock.advance(1)
    writer.propose(f"P{topic} lives in Bergen", vector(topic, own=2))
    writer.answer_all()
    return decisions(writer)[0].id


def decisions(writer, **which):
    return labelling.listing(HOME, writer.host, limit=200, **which).rows


def label(writer, decision_id, actor=PERSON, **said):
    return writer.carried(lambda: labelling.label(HOME, writer.host, actor, decision_id, **said))


def fit(writer, **asked):
    return writer.carried(lambda: calibration.fit(HOME, writer.host, PERSON, **asked))


def revert(writer, calibration_id):
    return writer.carried(lambda: calibration.revert(HOME, writer.host, PERSON, calibration_id))


def labelled(writer, count, label_, shares=SURE):
    """Put labelled decisions into the store as if they had been answered before."""
    verdict = max(shares, key=shares.get) if max(shares.values()) >= 0.6 else "undecided"
    for n in range(count):
        writer.execute(
            """
            INSERT INTO decision (id, space_id, judge, inputs, probabilities, verdict, model, prompt_version, at, label)
            VALUES (?, ?, 'pair', '{}', json(?), ?, 'scripted', 'pair-1', 1, ?)
            """,
            f"dec_{label_}_{n}", writer.space_id, str(shares).replace("'", '"'), verdict, label_,
        )  # fmt: skip


def waiting(writer):
    return review.listing(HOME, writer.host, limit=99).rows


def counts(writer):
    return writer.rows("SELECT id, relabelled, calibration_id FROM decision ORDER BY id")


# Labels


def test_a_person_confirms_or_corrects_an_answer(writer):
    decision_id = moved(writer, 1)

    done = label(writer, decision_id, option="update")
    assert (done.label, done.labelled_by, done.verdict) == ("update", PERSON, "update")
    assert label(writer, decision_id, option="distinct").label == "distinct"
    assert label(writer, decision_id, wrong=True).label == "not:update"
    assert [one.id for one in decisions(writer, labelled=True)] == [decision_id]
    assert not decisions(writer, labelled=False)
    assert not decisions(writer, verdict="distinct")
    assert not decisions(writer, judge="kind")


def test_only_a_person_labels_and_only_with_an_option_of_the_judge(writer):
    sure, unsure = moved(writer, 1), moved(writer, 2, UNSURE)

    with pytest.raises(PersonOnly):
        label(writer, sure, AGENT, option="update")
    for said in ({}, {"option": "update", "wrong": True}, {"option": "maybe"}):
        with pytest.raises(InvalidInput):
            label(writer, sure, **said)
    with pytest.raises(InvalidInput):
        label(writer, unsure, wrong=True)
    with pytest.raises(NotFound):
        label(writer, "dec_none", option="update")


@pytest.mark.parametrize(
    ("resolution", "said"),
    [("take_candidate", "update"), ("keep_both", "distinct"), ("keep_incumbent", None), ("edit", None)],
)
def test_resolving_a_contradiction_labels_the_decision_behind_it_where_that_is_clear(writer, resolution, said):
    writer.judge = lambda old, new: "contradiction"
    writer.remember("Ana was born in Oslo", vector(TOPIC, own=1))
    writer.clock.advance(1)
    writer.propose("Ana was born in Bergen", vector(TOPIC, own=2))
    writer.answer_all()
    (one,) = waiting(writer)

    text = "Ana was born in Moss" if resolution == "edit" else None
    writer.carried(lambda: review.resolve(HOME, writer.host, PERSON, one.id, resolution, text=text))

    assert [each.label for each in decisions(writer)] == [said]


@pytest.mark.parametrize(
    ("resolution", "said"), [("take_candidate", "update"), ("keep_both", "distinct"), ("keep_incumbent", None)]
)
def test_deciding_about_an_unjudged_memory_labels_its_one_undecided_answer(writer, resolution, said):
    moved(writer, 1, UNSURE)
    (one,) = waiting(writer)

    writer.carried(lambda: review.resolve(HOME, writer.host, PERSON, one.id, resolution))

    assert [each.label for each in decisions(writer)] == [said]


def test_what_a_person_said_of_the_answer_itself_is_not_overwritten_by_a_resolution(writer):
    label(writer, moved(writer, 1, UNSURE), option="duplicate")

    writer.carried(lambda: review.resolve(HOME, writer.host, PERSON, waiting(writer)[0].id, "keep_both"))

    assert [each.label for each in decisions(writer)] == ["duplicate"]


# Fits


def test_without_labels_nothing_is_fitted(writer):
    moved(writer, 1)

    with pytest.raises(StateConflict):
        fit(writer)
    with pytest.raises(PersonOnly):
        calibration.fit(HOME, writer.host, AGENT)
    (one,) = calibration.show(HOME, writer.host)
    assert (one.decisions, one.labels, one.active, one.changes) == (1, 0, None, {})


def test_an_active_fit_decides_what_new_answers_count_as(writer):
    labelled(writer, 40, "distinct")

    made = fit(writer)
    moved(writer, 1)

    assert (made["relabelled"], made["for_review"]) == (0, 0)
    (one,) = decisions(writer)
    assert (one.verdict, one.relabelled, one.calibration_id) == ("update", "undecided", made["ids"][0])
    assert writer.live() == ["P1 lives in Bergen", "P1 lives in Oslo"]
    assert [each.kind for each in waiting(writer)] == ["unjudged"]


def test_the_rules_are_calibrated_too(tmp_path):
    writer = Reconciling(tmp_path)
    for n in range(40):
        writer.execute(
            """
            INSERT INTO decision (id, space_id, judge, inputs, probabilities, verdict, model, prompt_version, at, label)
            VALUES (?, ?, 'pair', '{}', '{}', 'update', 'rules', ?, 1, 'not:update')
            """,
            f"dec_{n}", writer.space_id, RULES_VERSION,
        )  # fmt: skip
    fit(writer, judge="pair")

    writer.propose("Ana lives in Oslo.", vector(TOPIC, own=1))
    writer.clock.advance(1)
    writer.propose("Ana lives in Bergen.", vector(TOPIC, own=2))

    assert writer.live() == ["Ana lives in Bergen.", "Ana lives in Oslo."]
    assert writer.outcomes()[-1] == ("added", "no judge could decide")


def test_what_is_shown_says_what_a_fit_would_change(writer):
    moved(writer, 1)
    labelled(writer, 40, "distinct")

    (one,) = calibration.show(HOME, writer.host)

    assert (one.labels, one.verdicts["update"].right, one.verdicts["update"].labels) == (40, 0, 40)
    assert one.changes == {("update", "undecided"): 41}
    assert one.fit.findings["update"].standing == "demoted"


# The past


def test_a_supersession_by_a_verdict_that_no_longer_counts_waits_for_a_person_and_stays(writer):
    moved(writer, 1)
    labelled(writer, 40, "distinct")
    assert writer.live() == ["P1 lives in Bergen"]

    made = fit(writer, apply_to_past=True)

    assert (made["relabelled"], made["for_review"]) == (41, 1)
    assert made["changes"] == [{"from": "update", "to": "undecided", "count": 41}]
    (one,) = waiting(writer)
    assert (one.kind, one.proposed, one.memory.statement) == ("unjudged", "undecided", "P1 lives in Bergen")
    assert writer.live() == ["P1 lives in Bergen"]


@pytest.mark.parametrize(
    ("resolution", "live", "said"),
    [
        ("take_candidate", ["P1 lives in Bergen"], "update"),
        ("keep_incumbent", ["P1 lives in Oslo"], None),
        ("keep_both", ["P1 lives in Bergen", "P1 lives in Oslo"], "distinct"),
    ],
)
def test_a_person_decides_about_a_doubted_supersession(writer, resolution, live, said):
    decision_id = moved(writer, 1)
    labelled(writer, 40, "distinct")
    fit(writer, apply_to_past=True)

    writer.carried(lambda: review.resolve(HOME, writer.host, PERSON, waiting(writer)[0].id, resolution))

    assert writer.live() == live
    assert labelling.get(HOME, writer.host, decision_id).label == said
    # and it is not asked again
    assert fit(writer, apply_to_past=True)["for_review"] == 0
    assert not waiting(writer)


def test_an_unjudged_memory_whose_answer_is_clear_now_says_so_on_the_review_list(writer):
    moved(writer, 1, UNSURE)
    # a judge that is always right is not sure enough of itself
    labelled(writer, 3000, "update", {"update": 0.62, "distinct": 0.38})

    made = fit(writer, apply_to_past=True)

    assert made["for_review"] == 1
    (one,) = waiting(writer)
    assert (one.kind, one.proposed) == ("unjudged", "update")
    assert writer.live() == ["P1 lives in Bergen", "P1 lives in Oslo"]


def test_the_past_is_relabelled_in_several_commits_and_the_next_writer_goes_on(writer):
    labelled(writer, 2 * calibrating.BATCH + 40, "distinct")
    with pytest.raises(Pending):
        calibration.fit(HOME, writer.host, PERSON, apply_to_past=True)

    # when the fit and one batch are committed and the process ends
    one_commit(writer)
    batch = one_commit(writer)
    half = writer.rows("SELECT count(relabelled) FROM decision")
    with pytest.raises(StateConflict, match="try again"):
        carried_first(writer, "calibration_fit", judge=None)
    with pytest.raises(StateConflict, match="try again"):
        carried_first(writer, "calibration_revert", id=calibration.show(HOME, writer.host)[0].active.id)
    writer.run()

    # then nobody could change the trust meanwhile, and the rest was done
    assert ("next" in batch, half) == (True, [(calibrating.BATCH,)])
    assert writer.rows("SELECT count(relabelled) FROM decision") == [(2 * calibrating.BATCH + 40,)]
    (told,) = [json.loads(row[0]) for row in writer.rows(
        "SELECT result FROM request WHERE kind = 'calibration_apply' ORDER BY seq DESC LIMIT 1")]  # fmt: skip
    assert (told["relabelled"], told["for_review"]) == (2 * calibrating.BATCH + 40, 0)


def one_commit(writer):
    """Carry out one waiting request, as a writer that ends after it."""
    with writer.host.store.fenced("default", writer.writer.token) as tx:
        asked = requests.next_waiting(tx)
        result = handlers.REQUESTS[asked.kind](writer.host, tx, "default", asked)
        requests.settle(tx, asked.id, state="done", result=result, at=writer.clock())
    return result


def carried_first(writer, kind, **payload):
    """Let the writer meet a request before what waits."""
    asked = Request(
        id="req_first", kind=kind, payload=payload, actor=PERSON, state="waiting", result=None, recorded_at=0
    )
    with writer.host.store.fenced("default", writer.writer.token) as tx:
        return handlers.REQUESTS[kind](writer.host, tx, "default", asked)


# Back


def test_reverting_restores_what_was_relabelled_and_the_review_list(writer):
    moved(writer, 1)
    labelled(writer, 40, "distinct")
    before = counts(writer)
    made = fit(writer, apply_to_past=True)

    done = revert(writer, made["ids"][0])

    assert (done["active"], done["relabelled"], done["for_review"]) == (None, 41, 0)
    assert counts(writer) == before
    assert not waiting(writer)


def test_what_was_answered_under_a_reverted_fit_is_read_by_the_one_before(writer):
    first = fit_of(writer, "distinct")
    moved(writer, 1)
    labelled(writer, 2000, "update")
    second = fit(writer)
    moved(writer, 2)
    assert [one.counted for one in decisions(writer)] == ["update", "undecided"]

    done = revert(writer, second["ids"][0])

    assert done["active"] == first
    assert [one.counted for one in decisions(writer)] == ["undecided", "undecided"]
    assert [one.proposed for one in waiting(writer)] == ["undecided", None]
    # and back to no fit at all
    assert revert(writer, first)["active"] is None
    assert [one.counted for one in decisions(writer)] == ["update", "update"]
    # what is unjudged could be decided now
    assert [one.proposed for one in waiting(writer)] == ["update"]


def fit_of(writer, said):
    labelled(writer, 40, said)
    return fit(writer)["ids"][0]


def test_only_the_active_fit_is_reverted(writer):
    first = fit_of(writer, "distinct")
    fit(writer)

    with pytest.raises(StateConflict):
        revert(writer, first)
    with pytest.raises(NotFound):
        revert(writer, "cal_none")
    with pytest.raises(PersonOnly):
        calibration.revert(HOME, writer.host, AGENT, first)


def test_a_verdict_that_counts_again_takes_the_doubt_off_the_list(writer):
    moved(writer, 1)
    fit_of(writer, "distinct")
    fit(writer, apply_to_past=True)
    assert len(waiting(writer)) == 1
    labelled(writer, 4000, "update")

    done = fit(writer, apply_to_past=True)

    assert done["for_review"] == 0
    assert not waiting(writer)
