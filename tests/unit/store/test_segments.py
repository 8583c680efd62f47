import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory import filters
from memory.records import FOREVER, Scope
from memory.segmentation import segment
from services.fakes import fake_host
from store import rows
from store import segment as segment_module
from store.segments import SegmentCache
from tests.rows import ACTOR, put_document, put_memories

SCOPE = Scope(tenant="default", spaces=("home",))


@pytest.fixture
def host(tmp_path):
    return fake_host(tmp_path)


@pytest.fixture
def cache(host):
    return SegmentCache(host.store)


def seen(host, cache, *, as_of=None, known_at=None, scope=SCOPE, kinds=("memory", "chunk")):
    snapshot = cache.segment("default", "home")
    now = host.clock()
    mask = snapshot.visible(scope, as_of=as_of or now, known_at=known_at or now, kinds=kinds)
    return snapshot.row_ids[mask].tolist()


def test_a_space_that_does_not_exist_has_no_segment(cache):
    assert cache.segment("default", "nowhere") is None


def test_a_committed_row_is_seen_by_the_next_query(host, cache):
    first = put_memories(host, "home", ["Ann likes tea."])
    assert seen(host, cache) == first
    second = put_memories(host, "home", ["Bob likes rum.", "Eve likes gin."])
    assert seen(host, cache) == first + second


def test_a_staged_row_is_not_seen_until_it_has_a_window(host, cache):
    (row_id,) = put_memories(host, "home", ["Ann likes tea."], window=None)
    assert seen(host, cache) == []
    with host.store.write("default") as tx:
        rows.open_window(tx, row_id, valid_from=0, at=host.clock(), actor=ACTOR)
    assert seen(host, cache) == [row_id]


def test_liveness_is_half_open_on_both_clocks(host, cache):
    # given a row true from 100 to 200 that was recorded now and retired later
    (row_id,) = put_memories(host, "home", ["Ann lives in Rome."], window=(100, 200))
    recorded = host.clock()
    assert seen(host, cache, as_of=150) == [row_id]
    host.clock.advance(10)
    retired = host.clock()
    with host.store.write("default") as tx:
        rows.retire_windows(tx, row_id, at=150, actor=ACTOR, reason="wrong")
        tx.execute("UPDATE validity SET retired_at = ?", (retired,))
    # then each bound is in at the beginning and out at the end
    believed = {at: seen(host, cache, as_of=at, known_at=recorded) for at in (99, 100, 199, 200)}
    assert believed == {99: [], 100: [row_id], 199: [row_id], 200: []}
    known = {at: seen(host, cache, as_of=150, known_at=at) for at in (recorded - 1, recorded, retired - 1, retired)}
    assert known == {recorded - 1: [], recorded: [row_id], retired - 1: [row_id], retired: []}


def test_a_snapshot_does_not_change_under_its_query(host, cache):
    # given a query under way
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    before = cache.segment("default", "home")
    held = (len(before), before.windows.retired_at.tolist(), before.vectors.copy())
    # when rows come and windows go
    put_memories(host, "home", ["Eve likes gin."] * 50)
    with host.store.write("default") as tx:
        rows.retire_windows(tx, int(before.row_ids[0]), at=host.clock(), actor=ACTOR, reason="test")
    after = cache.segment("default", "home")
    # then it still reads what it read
    assert len(after) == 52
    assert (len(before), before.windows.retired_at.tolist()) == held[:2]
    np.testing.assert_array_equal(before.vectors, held[2])
    assert len(before.posting("gin").slots) == 0


def test_a_row_with_an_owner_is_seen_by_that_owner_and_by_who_names_none(host, cache):
    shared = put_memories(host, "home", ["The door code is 5."])
    anns = put_memories(host, "home", ["Ann has a cold."], user="ann")
    for user, expected in ((None, shared + anns), ("ann", shared + anns), ("bob", shared)):
        assert seen(host, cache, scope=Scope(tenant="default", spaces=("home",), user=user)) == expected


def test_an_erased_row_is_gone_from_memory(host, cache):
    row_ids = put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    assert seen(host, cache) == row_ids
    with host.store.write("default") as tx:
        tx.execute("DELETE FROM source WHERE memory_id = ?", (f"mem_{row_ids[0]}",))
        for table in ("memory", "validity", "vector"):
            tx.execute(f"DELETE FROM {table} WHERE row_id = ?", (row_ids[0],))
        tx.execute("DELETE FROM search_row WHERE id = ?", (row_ids[0],))
        rows.announce(tx, row_ids[0], "erase", at=host.clock())
    snapshot = cache.segment("default", "home")
    assert snapshot.row_ids.tolist() == row_ids[1:]
    assert len(snapshot.posting("tea").slots) == 0


def test_only_vectors_of_the_serving_generation_are_searched(host, cache):
    # given rows of a model that is replaced by another
    put_memories(host, "home", ["Ann likes tea."])
    assert cache.segment("default", "home").vectors.shape == (1, 384)
    with host.store.write("default") as tx:
        tx.execute("UPDATE generation SET state = 'retired'")
        tx.execute("INSERT INTO generation (model, dimension, state, created_at) VALUES ('other', 8, 'serving', 0)")
    # then the row is there without a vector
    snapshot = cache.segment("default", "home")
    assert snapshot.model == "other"
    assert snapshot.vectors.shape == (1, 8)
    assert not snapshot.vectors.any()


def test_changes_that_were_pruned_are_made_up_for(host, cache):
    put_memories(host, "home", ["Ann likes tea."])
    seen(host, cache)
    row_ids = put_memories(host, "home", ["Bob likes rum.", "Eve likes gin."])
    with host.store.write("default") as tx:
        tx.execute("DELETE FROM change")
    assert seen(host, cache)[1:] == row_ids


def leaf(key, value):
    return filters.parse({"key": key, "value": value})


def test_facts_follow_the_metadata_of_a_row(host, cache):
    # given a filter that has asked once
    (row_id, *_) = put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."], metadata={"mood": "good"})
    put_document(host, "home", "doc_1", ["How to make tea."])
    assert cache.segment("default", "home", facts=True).facts.passing(leaf("mood", "good")).sum() == 2
    # when a row's metadata changes and a row is added
    with host.store.write("default") as tx:
        tx.execute('UPDATE memory SET metadata = \'{"mood": "bad"}\' WHERE row_id = ?', (row_id,))
        rows.announce(tx, row_id, "metadata", at=host.clock())
    put_memories(host, "home", ["Eve likes gin."], metadata={"mood": "bad"}, kind="preference")
    # then the next query knows, whether it asks with a filter or not
    snapshot = cache.segment("default", "home")
    assert snapshot.facts.passing(leaf("mood", "bad")).tolist() == [True, False, False, True]
    assert snapshot.facts.of_kinds(["preference"]).tolist() == [False, False, False, True]
    assert snapshot.facts.passing(leaf("team", "docs")).tolist() == [False, False, True, False]


def test_the_least_used_space_is_dropped_when_memory_runs_out(host):
    cache = SegmentCache(host.store, memory_bytes=1)
    for space in ("home", "work"):
        put_memories(host, space, ["Ann likes tea."])
        assert len(cache.segment("default", space)) == 1
    assert [key for key, _ in cache._residents.items()] == [("default", "work")]
    assert len(cache.segment("default", "home")) == 1


def test_queries_of_several_threads_see_whole_rows_only(host, cache):
    # given a writer that adds a row with its window in one transaction
    put_memories(host, "home", ["Ann likes tea."])
    torn, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            snapshot = cache.segment("default", "home")
            n = len(snapshot)
            mask = snapshot.visible(SCOPE, as_of=FOREVER - 1, known_at=FOREVER - 1, kinds=("memory",))
            said = snapshot.posting(segment("likes")[0]).slots
            if not (mask.all() and len(said) == n == len(snapshot.reading_order)):
                torn.append(n)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    # when it adds many
    for number in range(40):
        put_memories(host, "home", [f"Person {number} likes tea."], start=number)
    stop.set()
    for thread in threads:
        thread.join(10)
    # then nobody ever saw half of one
    assert torn == []
    assert len(cache.segment("default", "home")) == 41


def test_a_row_takes_little_more_than_its_vector(host, cache):
    # given rows as long as memories are
    said = [
        f"Ann told Bob that the red boat number {number} leaves on Friday for the green island" for number in range(900)
    ]
    put_memories(host, "home", said)
    # when they are resident, with all that a search needs
    snapshot = cache.segment("default", "home")
    # then each takes its vector of 1,536 bytes and less than half of that again
    assert snapshot.nbytes / len(snapshot) <= 2.2 * 1024


def test_a_space_dropped_for_memory_is_searched_as_before(host):
    # given a cache for one space that is asked for two in turn
    cache = SegmentCache(host.store, memory_bytes=1)
    ids = {space: put_memories(host, space, ["Ann likes tea.", "Bob likes rum."]) for space in ("home", "work")}
    for _ in range(3):
        for space in ("home", "work"):
            snapshot = cache.segment("default", space)
            slots, cosines = snapshot.nearest(snapshot.vectors[1], np.ones(2, dtype=bool), 1)
            # then each answers as if it had never been dropped
            assert snapshot.row_ids[slots].tolist() == ids[space][1:]
            np.testing.assert_allclose(cosines, [1.0], atol=1e-5)


def test_nothing_of_a_space_that_is_gone_stays_resident(host, cache):
    put_memories(host, "home", ["Ann likes tea."])
    seen(host, cache)
    with host.store.write("default") as tx:
        for table in ("source", "memory", "validity", "vector", "search_row", "space"):
            tx.execute(f"DELETE FROM {table}")
    assert cache.segment("default", "home") is None
    assert not cache._residents


@pytest.mark.parametrize(
    "broken", ["block_of", "links", "asks", "normalised", "_with_rows", "times_by_row", "Snapshot", "_windows"]
)
def test_an_error_while_rows_are_taken_in_leaves_nothing_half_done(host, cache, monkeypatch, broken):
    # given a resident space, and memory that runs out while more comes
    put_memories(host, "home", ["Ann likes tea."])
    before = cache.segment("default", "home", facts=True, times=True)
    put_memories(host, "home", ["Bob likes tea.", "Eve likes tea."], metadata={"mood": "good"})

    def fails(*given, **named):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(segment_module, broken, fails)
        with pytest.raises(MemoryError):
            cache.segment("default", "home", facts=True, times=True)
    # then who holds the old rows keeps them, and the next query has each new one once
    assert before.posting("tea").slots.tolist() == [0]
    after, fresh = (one.segment("default", "home", facts=True, times=True) for one in (cache, SegmentCache(host.store)))
    assert after.row_ids.tolist() == fresh.row_ids.tolist()
    assert after.posting("tea").slots.tolist() == [0, 1, 2]
    assert after.facts.passing(leaf("mood", "good")).tolist() == [False, True, True]
    np.testing.assert_array_equal(after.vectors, fresh.vectors)


def test_a_thread_that_read_an_older_state_does_not_take_the_rows_of_others_back(host, cache, monkeypatch):
    # given a thread that has read where the space stands, and another that takes in a row before it goes on
    put_memories(host, "home", ["Ann likes tea."])
    seen(host, cache)
    loads, resident = [], cache._resident

    def overtaken(key):
        monkeypatch.setattr(cache, "_resident", resident)
        put_memories(host, "home", ["Bob likes rum."])
        with ThreadPoolExecutor(1) as other:
            other.submit(cache.segment, "default", "home").result()
        monkeypatch.setattr(segment_module.Segment, "load", lambda *given: loads.append(given))
        return resident(key)

    monkeypatch.setattr(cache, "_resident", overtaken)
    # when it needs what was not read yet
    snapshot = cache.segment("default", "home", facts=True, times=True)
    # then it reads that and has the other's row too
    assert len(snapshot) == len(snapshot.facts) == len(snapshot.times.said) == 2
    assert loads == []


def test_what_queries_make_of_a_space_counts_and_may_drop_another(host):
    # given room for two spaces, but not for what is made of them
    spaces = ("home", "work")
    for space in spaces:
        put_memories(host, space, [f"Ann likes tea number {number}." for number in range(200)])
    plain = sum(SegmentCache(host.store).segment("default", space).nbytes for space in spaces)
    cache = SegmentCache(host.store, memory_bytes=plain + 1_000)
    snapshots = [cache.segment("default", space) for space in spaces]
    assert len(cache._residents) == 2
    # when the second is looked at for several users
    for user in ("ann", "bob", "eve", None):
        scope = Scope(tenant="default", spaces=("work",), user=user)
        snapshots[1].view(scope, as_of=1, known_at=host.clock(), kinds=("memory",))
    assert snapshots[1].nbytes - snapshots[1].own_bytes == 4 * 17 * 200
    # then at its next query the first one goes
    cache.segment("default", "work")
    assert list(cache._residents) == [("default", "work")]
