"""Lists, memories, histories and search at any point of both clocks equal those of a naive model of windows."""

import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import AlreadyKnown, NotFound, NotLive, StateConflict
from memory.records import FOREVER, Clocks, NewMemory, SearchQuery
from services import memories, provenance
from services.search import search
from tests.pipeline import HOME, PERSON, Pipeline

REFUSED = (AlreadyKnown, NotFound, NotLive, StateConflict)
CITIES = ("Rome", "Oslo", "Bern", "Kyiv")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("add", "change", "correct", "forget", "restore", "undo", "tag", "again")),
        st.integers(0, 3), st.sampled_from(CITIES), st.integers(-4, 2),
    ),
    min_size=3, max_size=14,
)  # fmt: skip
OFFSETS = st.lists(st.tuples(st.floats(-0.1, 1.1), st.floats(0, 1)), min_size=4, max_size=4)


def do(pipeline, chains, step):
    """Carry one step out; what the present state does not allow is refused and changes nothing."""
    kind, place, city, days = step
    host, since = pipeline.host, pipeline.clock() + days * 1_000_000
    old = memories.history(HOME, host, chains[place % len(chains)])[-1] if chains else None
    if kind == "add" or old is None:
        new = NewMemory(content=f"Person {len(chains)} lives in {city}.", valid_from=since)
        chains.append(memories.remember(HOME, host, PERSON, [new]).memories[0].id)
    elif kind in ("change", "correct"):
        text = f"{old.statement.partition(' lives')[0]} lives in {city}."
        fields = {"valid_from": since if days < 0 and kind == "change" else None, "correction": kind == "correct"}
        memories.update(HOME, host, PERSON, memory_id=old.id, new_content=text, **fields)
    elif kind == "tag":
        tagged = {"metadata": {"tag": city}}
        memories.update(HOME, host, PERSON, memory_id=old.id, new_content=old.statement, **tagged)
    elif kind == "again":
        memories.remember(HOME, host, PERSON, [NewMemory(content=old.statement)])
    elif kind == "forget":
        memories.forget(HOME, host, PERSON, memory_id=old.id)
    elif kind == "restore":
        memories.restore(HOME, host, PERSON, old.id)
    else:
        versions = memories.history(HOME, host, old.id)
        provenance.undo(HOME, host, PERSON, versions[max(0, len(versions) - 1 - place)].id)


def whole(pipeline):
    """Return every version there is."""
    return memories.listing(HOME, pipeline.host, limit=200, history=True, forgotten=True).rows


def holds(window, as_of, known_at):
    retired = FOREVER if window.retired_at is None else window.retired_at
    return window.valid_from <= as_of < window.valid_to and window.recorded_at <= known_at < retired


@given(steps=STEPS, offsets=OFFSETS)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_reads_at_two_clocks_equal_a_naive_model(steps, offsets):
    # given any course of events, and what was shown of each memory after each of them
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Pipeline(Path(folder))
        begin, chains, shown = pipeline.clock(), [], []
        for step in steps:
            pipeline.clock.advance(1)
            try:
                do(pipeline, chains, step)
            except REFUSED:
                continue
            everything = memories.listing(HOME, pipeline.host, limit=200, history=True, forgotten=True).rows
            shown.append(
                (pipeline.clock(), {one.id: (one.metadata, one.confidence, one.support) for one in everything})
            )
        every = memories.listing(HOME, pipeline.host, limit=200, history=True, forgotten=True).rows
        length = pipeline.clock() - begin

        for of, known in offsets:
            as_of, known_at = begin + round(of * length), begin + round(known * length)
            clocks = Clocks(as_of=as_of, known_at=known_at)
            wanted = {one.id for one in every if any(holds(window, as_of, known_at) for window in one.windows)}

            # when
            page = memories.listing(HOME, pipeline.host, clocks, limit=200)
            found = search(HOME, pipeline.host, SearchQuery(q="lives", limit=100, as_of=as_of, known_at=known_at)).hits

            # then the same memories are there, as they were known
            assert {one.id for one in page.rows} == wanted
            assert {hit.text for hit in found} == {one.text for one in every if one.id in wanted}
            then = [facts for at, facts in shown if at <= known_at]
            for one in page.rows:
                assert (one.metadata, one.confidence, one.support) == then[-1][one.id]
                assert memories.get(HOME, pipeline.host, one.id, clocks).id == one.id
                assert one in memories.history(HOME, pipeline.host, one.id, clocks)
                assert all(window.recorded_at <= known_at for window in one.windows)
                assert not one.is_forgotten

        # and the windows of a chain never overlap, and one version of it is live at most
        for root in {one.root_id for one in every}:
            windows = sorted(
                (window.valid_from, window.valid_to)
                for one in every if one.root_id == root for window in one.windows if window.retired_at is None
            )  # fmt: skip
            assert all(before[1] <= after[0] for before, after in pairwise(windows))

        # and the feed of changes tells of every version and of every end of one
        told = provenance.changes(HOME, pipeline.host, limit=200).rows
        assert {one.id for one in told if one.kind in ("learned", "restored")} | {
            one.other_id for one in told if one.kind in ("superseded", "corrected")
        } == {one.id for one in every}
        assert [(one.at, f"{one.kind}:{one.id}") for one in told] == sorted(
            (one.at, f"{one.kind}:{one.id}") for one in told
        )
