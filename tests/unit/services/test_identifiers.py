import re
import threading

from services.clock import system_clock
from services.fakes import SteppedClock
from services.identifiers import TimeSortedIds


def test_an_id_is_a_prefix_and_26_characters():
    assert re.fullmatch(r"doc_[0-9A-HJKMNP-TV-Z]{26}", TimeSortedIds(SteppedClock())("doc"))
    assert TimeSortedIds(SteppedClock())("doc_").count("_") == 1


def test_later_ids_sort_after_earlier_ones_also_when_the_clock_goes_back():
    clock = SteppedClock()
    new_id = TimeSortedIds(clock)
    ids = []
    for step in (0, 0, 0, 0.001, -5, 0, 10):
        clock.advance(step)
        ids.append(new_id("ep"))

    assert ids == sorted(set(ids))


def test_threads_never_get_the_same_id():
    new_id, ids = TimeSortedIds(system_clock), []
    threads = [threading.Thread(target=lambda: ids.extend(new_id("m") for _ in range(500))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(ids)) == 2000


def test_two_makers_at_the_same_time_differ():
    clock = SteppedClock()
    assert TimeSortedIds(clock)("a") != TimeSortedIds(clock)("a")
