"""A short run of the fault test with a fixed seed; `make faults SEED=n MINUTES=m` runs longer ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.run import run

SEED = 7
SECONDS = 60.0


@pytest.mark.timeout(300)
def test_whatever_dies_everything_accepted_is_done_or_failed_with_a_reason_once(tmp_path: Path) -> None:
    outcome = run(SEED, SECONDS, tmp_path)
    lines = "\n".join([f"seed {SEED}", *outcome.log, outcome.summary])
    assert not outcome.problems, f"{lines}\n" + "\n".join(outcome.problems)
