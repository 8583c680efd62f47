"""Labels and calibration on a real stack: what people say of answers decides what counts, until it is taken back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ops.launched import Launched, running

MEMLANE = Path(sys.executable).with_name("memlane")
NAMES = (
    "Ana Ben Cleo Dan Eva Finn Gus Hana Ivo Jana Kai Lena Milo Nora Otto Pia Quin Rosa Sven Tara Ugo Vera Wim Xena Yan"
).split()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    with running(tmp_path_factory.mktemp("calibrating") / "data") as one:
        yield one


def write(stack: Launched, *facts: str) -> None:
    """Write facts one after the other, each in the space of whom it is about."""
    for fact in facts:
        stack.post("/v4/memories", memories=[{"content": fact}], containerTag=fact.split()[0])


def current(stack: Launched, *names: str) -> set[str]:
    listed = stack.post("/v4/memories/list", containerTags=list(names), limit=200)["memoryEntries"]
    return {one["memory"] for one in listed}


def memlane(stack: Launched, *arguments: str) -> str:
    command = [str(MEMLANE), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, env=stack.env, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def pair_judge(stack: Launched) -> dict[str, Any]:
    (found,) = (one for one in stack.get("/v1/calibration")["judges"] if one["judge"] == "pair")
    return dict(found)


def test_labels_decide_what_counts_until_the_fit_is_taken_back(alone: Launched) -> None:
    # given changes that the rules saw, and a person who says that none was one
    write(alone, *(f"{name} lives in Oslo." for name in NAMES))
    write(alone, *(f"{name} lives in Bergen." for name in NAMES))
    moved = {f"{name} lives in Bergen." for name in NAMES}
    assert current(alone, *NAMES) == moved
    answered = alone.get("/v1/decisions?verdict=update&labelled=false&limit=200")["decisions"]
    assert len(answered) == len(NAMES)
    memlane(alone, "decisions", "label", answered[0]["id"], "--as", "distinct")
    for one in answered[1:]:
        assert alone.post(f"/v1/decisions/{one['id']}/label", wrong=True)["label"] == "not:update"
    judge = pair_judge(alone)
    assert (judge["labels"], judge["fit"]["verdicts"]["update"]["standing"]) == (len(NAMES), "demoted")
    assert judge["fit"]["changes"] == [{"from": "update", "to": "undecided", "count": len(NAMES)}]

    # when judges are fitted to that
    made = alone.post("/v1/calibration/fit", apply_to_past=True)

    # then what is known stays, and a change is no reason any more to take anything away
    assert (made["relabelled"], made["for_review"]) == (len(NAMES), 0)
    assert current(alone, *NAMES) == moved
    write(alone, "Zoe lives in Oslo.")
    write(alone, "Zoe lives in Bergen.")
    assert {"Zoe lives in Oslo.", "Zoe lives in Bergen."} <= current(alone, "Zoe")
    (waiting,) = alone.get("/v1/conflicts")["conflicts"]
    assert (waiting["kind"], waiting["proposed"]) == ("unjudged", None)

    # and taken back, the same verdict counts again, and is proposed where it did not
    memlane(alone, "calibration", "revert", made["fits"][0]["id"])
    assert pair_judge(alone)["active"] is None
    (waiting,) = alone.get("/v1/conflicts")["conflicts"]
    assert waiting["proposed"] == "update"
    write(alone, "Yara lives in Oslo.")
    write(alone, "Yara lives in Bergen.")
    assert "Yara lives in Oslo." not in current(alone, "Yara")


def test_a_doubted_change_is_put_to_a_person_and_undone(alone: Launched) -> None:
    # given one more change that nobody has said anything of
    write(alone, "Karl works at Volvo.")
    write(alone, "Karl works at Saab.")
    assert "Karl works at Volvo." not in current(alone, "Karl")

    # when a fit no longer trusts such changes
    made = alone.post("/v1/calibration/fit", apply_to_past=True)

    # then a person is asked and can bring back what was replaced
    assert made["for_review"] >= 1
    listed = alone.get("/v1/conflicts")["conflicts"]
    (doubted,) = (one for one in listed if one["proposed"] == "undecided" and "Saab" in one["memory"]["memory"])
    alone.post(f"/v1/conflicts/{doubted['id']}/resolve", resolution="keep_both")
    assert {"Karl works at Volvo.", "Karl works at Saab."} <= current(alone, "Karl")
    said = alone.get("/v1/decisions/" + doubted["decision_id"])
    assert (said["verdict"], said["relabelled"], said["label"]) == ("update", "undecided", "distinct")
