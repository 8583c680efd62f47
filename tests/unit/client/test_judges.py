"""`memlane decisions` and `memlane calibration`: what judges answered, saying what is right, and fitting to that."""

import pytest


@pytest.fixture
def decision(server):
    return server.judges.decide("Ada lives in Rome.", "Ada lives in Oslo.", "update")


def test_decisions_are_listed_with_their_texts(server, memlane, decision):
    server.judges.decide("Ada likes tea.", "Ada likes coffee.", "distinct")

    ran = memlane("decisions", "--verdict", "update", "--unlabelled", "--judge", "pair", "--limit", "5")

    assert (ran.code, "Ada lives in Rome. | Ada lives in Oslo." in ran.out, "tea" in ran.out) == (0, True, False)
    sent = server.sent("GET", "/v1/decisions")[-1].query
    assert sent == {"verdict": "update", "labelled": "false", "judge": "pair", "limit": "5"}
    assert len(memlane("decisions", "list", "--json").json) == 2


@pytest.mark.parametrize(
    ("said", "label"), [(["--right"], "update"), (["--wrong"], "not:update"), (["--as", "distinct"], "distinct")]
)
def test_an_answer_is_labelled(server, memlane, decision, said, label):
    ran = memlane("decisions", "label", decision, *said, "--json")

    assert (ran.code, ran.json[0]["label"]) == (0, label)
    assert server.judges.decisions[decision]["label"] == label


@pytest.mark.parametrize("said", [[], ["--right", "--wrong"], ["--right", "--as", "update"]])
def test_exactly_one_thing_is_said(server, memlane, decision, said):
    assert memlane("decisions", "label", decision, *said).code == 2
    assert not server.requests


def test_an_unknown_decision_is_not_found(server, memlane):
    assert memlane("decisions", "label", "dec_none", "--right").code == 4


def test_calibration_is_shown(server, memlane, decision):
    ran = memlane("calibration")

    assert (ran.code, "pair\trules\trules-1\t1\t2\tnone\tnothing" in ran.out) == (0, True)
    assert "update\t1/2\t0.09 and 0.91\tfrom 0.6 (unproven)" in ran.out


def test_judges_are_fitted_and_it_is_said_what_follows(server, memlane):
    ran = memlane("calibration", "fit", "--judge", "pair", "--apply-to-past")

    assert ran.code == 0
    assert "3 past decisions relabelled (3 update to undecided); 1 to look at" in ran.out
    assert server.sent("POST", "/v1/calibration/fit")[-1].body == {"judge": "pair", "apply_to_past": True}


def test_a_fit_is_reverted(server, memlane):
    ran = memlane("calibration", "revert", "cal_1")

    assert (ran.code, "none: judges are trusted as they speak" in ran.out) == (0, True)
