from store import candidates
from tests.reconciling import Reconciling, vector


def test_ready_candidates_are_read_in_their_order_from_a_place_on(tmp_path):
    writer = Reconciling(tmp_path)
    seqs = [writer.propose(f"Pump {number} is here", vector(number), run=False) for number in range(5)]
    with writer.host.store.read("default") as db:
        assert [one.seq for one in candidates.ready(db, limit=2)] == seqs[:2]
        assert [one.seq for one in candidates.ready(db, limit=9, after=seqs[1])] == seqs[2:]


def test_the_oldest_ready_candidates_are_found_without_reading_the_settled_ones(tmp_path):
    writer = Reconciling(tmp_path)
    writer.propose("Pump 1 is here", vector(1))
    read: list[str] = []
    with writer.host.store.read("default") as db:
        execute = db.execute

        class Explaining:
            def execute(self, query, values=()):
                read.extend(tuple(row)[-1] for row in execute(f"EXPLAIN QUERY PLAN {query}", values).fetchall())
                return execute(query, values)

        candidates.ready(Explaining(), limit=1)
    assert any("candidate_ready (state=? AND seq>?)" in step for step in read), read
