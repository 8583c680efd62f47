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
