"""Reverting fits, one after the other, restores every decision as it was before them."""

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reconciling import Reconciling

OPTIONS = ("duplicate", "update", "contradiction", "distinct")
SHARES = st.sampled_from([0.5, 0.62, 0.75, 0.92, 0.97, 0.995])
ANSWER = st.tuples(st.sampled_from(OPTIONS), SHARES, st.sampled_from([None, *OPTIONS]), st.integers(1, 60))
# Between two fits some answers come in; each fit is applied to the past or not.
ROUNDS = st.lists(st.tuples(st.lists(ANSWER, min_size=1, max_size=4), st.booleans()), min_size=1, max_size=4)


class Judge:
    """A store with the answers of one judge and no memories."""

    def __init__(self, folder):
        self.writer = Reconciling(folder, lambda old, new: "distinct")
        self._count = 0

    def answer(self, option, share, label, times):
        other = "distinct" if option != "distinct" else "update"
        said = json.dumps({option: share, other: 1 - share})
        verdict = option if share >= 0.6 else "undecided"
        with self.writer.host.store.write("default") as tx:
            for _ in range(times):
                self._count += 1
                tx.execute(
                    """
                    INSERT INTO decision (id, space_id, judge, inputs, probabilities, verdict, model, prompt_version,
                                          at, label)
                    VALUES (?, ?, 'pair', '{}', ?, ?, 'm', 'p', ?, ?)
                    """,
                    (f"dec_{self._count:06d}", self.writer.space_id, said, verdict, self._count, label),
                )

    def state(self):
        return self.writer.rows("SELECT id, relabelled FROM decision ORDER BY id"), self.writer.rows(
            "SELECT id FROM calibration WHERE state = 'active'"
        )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ROUNDS)
def test_reverting_restores(rounds):
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(Path(folder))
        before = []
        # given some fits, with answers before each
        for answers, apply_to_past in rounds:
            for one in answers:
                judge.answer(*one)
            if not judge.writer.rows("SELECT 1 FROM decision WHERE label IS NOT NULL LIMIT 1"):
                continue
            before.append(judge.state())
            judge.writer.ask("calibration_fit", judge=None, apply_to_past=apply_to_past)

        # when they are taken back, then each time everything that was there before is as it was
        for state in reversed(before):
            (active,) = judge.writer.rows("SELECT id FROM calibration WHERE state = 'active'")
            judge.writer.ask("calibration_revert", id=active[0])
            now, active_now = judge.state()
            assert now[: len(state[0])] == state[0]
            assert active_now == state[1]
        judge.writer.host.store.close()
