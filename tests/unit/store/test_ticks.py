from services.fakes import SteppedClock
from store import ticks
from store.connection import Store


def test_a_slot_is_claimed_once_and_forgotten_after_a_day(tmp_path):
    store = Store(tmp_path, clock=SteppedClock())
    with store.control_write() as tx:
        assert ticks.claim(tx, "sweep", 7, 1)
        assert not ticks.claim(tx, "sweep", 7, 2)
        assert ticks.claim(tx, "sweep", 8, 2)
        assert ticks.claim(tx, "dream", 7, 2)
    with store.control_write() as tx:
        assert ticks.prune(tx, now=ticks.KEEP_MICROS + 2) == 1
        assert not ticks.claim(tx, "dream", 7, 3)
    store.close()


def test_ticks_go_on_at_once_when_the_clock_is_set_back(tmp_path):
    store = Store(tmp_path, clock=SteppedClock())
    hour = 3600
    with store.control_write() as tx:
        assert all(ticks.claim(tx, "sweep", slot, slot * 1_000_000) for slot in range(0, hour, 3))

    with store.control_write() as tx:
        again = [ticks.claim(tx, "sweep", slot, slot * 1_000_000 + 1) for slot in range(60, 120, 3)]
        assert not ticks.claim(tx, "sweep", 60, 120_000_000)
    store.close()

    # Only the slot that was claimed before the hour that is lived through again stays taken.
    assert again == [False] + [True] * 19
