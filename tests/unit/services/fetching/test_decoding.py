"""Compressed bodies: unpacked no further than the limit, in memory too."""

import gzip
import tracemalloc
import zlib

import pytest

from memory.errors import FetchFailed
from services.fetching.decoding import Body

MOST = 100_000


@pytest.mark.parametrize(
    ("encoding", "bomb"),
    [("gzip", gzip.compress(bytes(60_000_000))), ("deflate", zlib.compress(bytes(60_000_000)))],
    ids=["gzip", "deflate"],
)
def test_a_bomb_is_never_whole_in_memory(encoding, bomb):
    body = Body(encoding, MOST)
    tracemalloc.start()
    try:
        with pytest.raises(FetchFailed, match="too large"):
            body.add(bomb)  # all of it at once, as one read may bring it
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 10 * MOST


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_a_body_may_come_in_any_pieces(size):
    packed = gzip.compress(b"The limit is 40 kg. " * 100)
    body = Body("gzip", MOST)

    for start in range(0, len(packed), size):
        body.add(packed[start : start + size])

    assert body.whole() == b"The limit is 40 kg. " * 100
