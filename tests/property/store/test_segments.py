import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import filters
from memory.records import Scope
from memory.segmentation import segment
from services.fakes import SteppedClock, fake_host
from store import rows
from store.segments import SegmentCache
from tests.rows import ACTOR, put_memories

SCOPE = Scope(tenant="default", spaces=("home",))
WORDS = ("tea", "rum", "boat")
STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "stage", "open", "retire", "close", "describe", "elsewhere", "prune"]),
              st.integers(0, 30)),
    min_size=1, max_size=12,
)  # fmt: skip


def change(host, step, number, known):
    """Do one step to the row that the number falls on."""
    if step in ("add", "stage"):
        window = {} if step == "add" else {"window": None}
        known += put_memories(
            host, "home", [f"{WORDS[number % 3]} {number}"] * (1 + number % 3), start=number, **window
        )
    elif step == "elsewhere":
        put_memories(host, "work", ["tea"])
    elif known:
        row_id, at = known[number % len(known)], host.clock()
        with host.store.write("default") as tx:
            if step == "open":
                rows.open_window(tx, row_id, valid_from=at - number, at=at, actor=ACTOR)
            elif step == "retire":
                rows.retire_windows(tx, row_id, at=at, actor=ACTOR, reason="test")
            elif step == "close":
                rows.close_windows(tx, row_id, until=at, at=at, actor=ACTOR, reason="test")
            elif step == "describe":
                tx.execute("UPDATE memory SET metadata = json_object('n', ?) WHERE row_id = ?", (number, row_id))
                rows.announce(tx, row_id, "metadata", at=at)
            else:
                tx.execute("DELETE FROM change")
    host.clock.advance(1)


def said(snapshot, word):
    (term,) = segment(word)
    posting = snapshot.posting(term)
    return posting.slots.tolist(), posting.counts.tolist()


def described(snapshot):
    """Return by what may be asked of facts which rows pass."""
    asked = [{"key": "n", "value": number} for number in range(31)] + [{"key": "support", "value": 1}]
    facts = snapshot.facts
    passing = [facts.passing(filters.parse(one)).tolist() for one in asked]
    return passing, facts.of_kinds(["fact"]).tolist(), facts.confidences.tolist()


@given(steps=STEPS, facts=st.booleans())
@settings(deadline=None, max_examples=25)
def test_a_segment_kept_fresh_says_what_one_loaded_anew_says(steps, facts):
    with tempfile.TemporaryDirectory() as folder:
        # given a resident segment
        host = fake_host(Path(folder), clock=SteppedClock())
        kept, known = SegmentCache(host.store), put_memories(host, "home", ["tea for all"])
        # when things happen, with a query after each
        for step, number in steps:
            change(host, step, number, known)
            resident = kept.segment("default", "home", facts=facts)
        # then it is as if it had just been read
        fresh = SegmentCache(host.store).segment("default", "home", facts=facts)
        for name in ("row_ids", "vectors", "groups", "lengths", "text_keys", "reading_order"):
            np.testing.assert_array_equal(getattr(resident, name), getattr(fresh, name), err_msg=name)
        assert [said(resident, word) for word in WORDS] == [said(fresh, word) for word in WORDS]
        for at in (host.clock() - 2_000_000, host.clock()):
            masks = [
                one.visible(SCOPE, as_of=at, known_at=host.clock(), kinds=("memory",)) for one in (resident, fresh)
            ]
            np.testing.assert_array_equal(*masks)
        assert not facts or described(resident) == described(fresh)
        host.store.close()
