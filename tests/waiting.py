"""Waiting for what happens elsewhere: in another process or thread."""

import time

WAIT_SECONDS = 45.0  # what takes this long on a busy machine is not slow but wrong


def until(true, seconds=WAIT_SECONDS):
    """Ask until the answer is true, and return it."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.01)
    return found
