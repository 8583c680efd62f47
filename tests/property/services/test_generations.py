"""Whatever is written while a model is changed and set back, no search compares vectors of two models."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import MemlaneError, StateConflict, WrongModel
from memory.records import NewMemory, Scope, SearchQuery
from services import generations, ledger, memories, search
from services.fakes import SteppedClock
from store import integrity
from store.segments import SegmentCache
from tests.pipeline import HOME, PERSON, Pipeline

MODELS = (("a-48", 48), ("b-48", 48), ("c-64", 64))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("configure"), st.integers(0, 2)),
        st.tuples(st.sampled_from(("remember", "ingest", "forget", "restore", "patch")), st.integers(0, 9)),
        st.tuples(st.sampled_from(("start", "switch", "rollback", "drop", "carry", "lose")), st.integers(1, 3)),
    ),
    min_size=3,
    max_size=14,
)


class Run:
    """One folder under changing models."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SteppedClock()
        self.pipeline = self.opened(0)

    def opened(self, which: int) -> Pipeline:
        self.clock.advance(60.0)
        model, dimension = MODELS[which]
        return Pipeline(self.folder, model=model, dimension=dimension, clock=self.clock)

    def step(self, what: str, number: int) -> None:
        host = self.pipeline.host
        ids = [row[0] for row in self.pipeline.rows("SELECT id FROM memory ORDER BY rowid")]
        chosen = ids[number % len(ids)] if ids else "mem_none"
        try:
            if what == "configure":
                self.pipeline = self.opened(number)
            elif what == "remember":
                memories.remember(HOME, host, PERSON, [NewMemory(content=f"Word{number} stands in hall {number}.")])
            elif what == "ingest":
                self.pipeline.add(f"The gate {number} was moved to yard {number}.", settle=number % 2 == 0)
            elif what == "patch":
                memories.update(HOME, host, PERSON, memory_id=chosen, new_content=f"Now it is number {number}.")
            elif what == "forget":
                memories.forget(HOME, host, PERSON, memory_id=chosen)
            elif what == "restore":
                memories.restore(HOME, host, PERSON, chosen)
            elif what == "carry":
                ledger.dispatch(host, "default")
                self.pipeline.settle()
            elif what == "lose":
                self.pipeline.queue.waiting.clear()
            else:
                self._generation(what, number)
        except MemlaneError:
            pass  # a refusal changes nothing, which is what is checked below

    def _generation(self, what: str, number: int) -> None:
        host = self.pipeline.host
        if what == "start":
            generations.start(HOME, host, PERSON)
            return
        ask = {"switch": generations.switch, "rollback": generations.roll_back, "drop": generations.drop}[what]
        ask(HOME, host, PERSON, number)

    def check(self) -> None:
        pipeline = self.pipeline
        wrong = """
            SELECT count(*) FROM vector JOIN generation ON generation.id = generation_id
            WHERE length(data) <> 4 * dimension
        """
        assert pipeline.rows(wrong) == [(0,)]
        snapshot = SegmentCache(pipeline.host.store).segment("default", "home")
        serving = pipeline.rows("SELECT id, dimension FROM generation WHERE state = 'serving'")
        if snapshot is None or not serving or not len(snapshot):
            return
        ((generation, dimension),) = serving
        kept = dict(pipeline.rows("SELECT row_id, data FROM vector WHERE generation_id = ?", generation))
        assert (snapshot.generation_id, snapshot.vectors.shape[1]) == (generation, dimension)
        lacking = np.zeros(len(snapshot), dtype=bool) if snapshot.lacking is None else snapshot.lacking
        for slot, row_id in enumerate(snapshot.row_ids):
            assert lacking[slot] == (int(row_id) not in kept)
            expected = np.frombuffer(kept.get(int(row_id), bytes(4 * dimension)), dtype="<f4")
            assert np.array_equal(snapshot.vectors[slot], expected)
        self._search(generation)

    def _search(self, generation: int) -> None:
        """A search compares vectors only when they are of the configured model, and says what it leaves out."""
        host = self.pipeline.host
        ((model, dimension),) = self.pipeline.rows("SELECT model, dimension FROM generation WHERE id = ?", generation)
        own = (model, dimension) == (host.settings.embed_model, host.settings.embed_dimension)
        try:
            answer = search.search(Scope(tenant="default", spaces=("home",)), host, SearchQuery(q="hall"))
        except WrongModel:
            answer = None
        if answer is None:
            assert not own
            return
        assert all(("vectors" in hit.explain) == own for hit in answer.hits)
        assert own or bool(answer.degraded) or not answer.hits

    def finish(self) -> None:
        """Let everything be done that is owed, then change to the last model."""
        for _ in range(4):
            self.clock.advance(60.0)
            self.pipeline.writer.renew()
            ledger.sweep(self.pipeline.host, self.pipeline.queue.facts(at=self.clock()))
            self.pipeline.host.queue.send("reconcile.space", {"tenant": "default"}, queue="reconcile")
            self.pipeline.settle()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_no_search_ever_mixes_models_and_every_row_ends_with_its_vector(steps):
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder))
        for what, number in steps:
            run.step(what, number)
            run.check()
        run.finish()
        run.check()
        host = run.pipeline.host
        try:
            told = generations.start(HOME, host, PERSON)["generations"]
        except StateConflict:
            return
        run.finish()
        own = next(one for one in told if one["configured"])
        if own["state"] != "serving":
            generations.switch(HOME, host, PERSON, own["id"])
            run.finish()
        run.check()
        with host.store.read("default") as db:
            assert integrity.problems(db) == []
        assert run.pipeline.rows("SELECT count(*) FROM candidate WHERE state <> 'settled'") == [(0,)]
        assert run.pipeline.rows("SELECT count(*) FROM job WHERE state IN ('queued', 'running')") == [(0,)]
