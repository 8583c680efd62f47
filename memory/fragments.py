"""Pieces of texts that prove, when they are found nowhere, that the texts are gone; and a search for them in bytes.

A file of a database splits long texts over pages and an index keeps single terms, so whole texts cannot be looked for.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from memory.segmentation import segment

# Two pieces fit into the smallest page side by side, so a text of some length has whole ones on every page.
FRAGMENT_CHARS = 48
# The scan finds places by their first eight bytes.
LEAST_BYTES = 8
# Beyond this further pieces of one erasure are not kept: about a million characters.
MOST_FRAGMENTS = 20_000
_CARRIED = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")


def fragments(text: str) -> Iterator[str]:
    """Yield the pieces of a text: consecutive runs of its lines, and its terms as the full-text index has them.

    What is shorter than `LEAST_BYTES` is left out.
    """
    for line in text.splitlines():
        for start in range(0, len(line), FRAGMENT_CHARS):
            yield from _long_enough(line[start : start + FRAGMENT_CHARS].strip())
    for term in segment(text):
        yield from _long_enough(term)


def _long_enough(piece: str) -> Iterator[str]:
    if len(piece.encode("utf-8", "surrogatepass")) >= LEAST_BYTES:
        yield piece


def needles(pieces: Iterable[str]) -> list[bytes]:
    """Return the byte sequences to look for: each piece in UTF-8, and as it stands in JSON where that differs."""
    found: dict[bytes, None] = {}
    for piece in pieces:
        for spelling in (piece, json.dumps(piece)[1:-1]):
            raw = spelling.encode("utf-8", "surrogatepass")
            if len(raw) >= LEAST_BYTES:
                found[raw] = None
    return list(found)


def found_in(block: bytes, sought: Sequence[bytes]) -> set[bytes]:
    """Return which byte sequences occur in a block.

    Args:
        block: any bytes; what is split between two blocks is found when they overlap by the longest sequence.
        sought: sequences of at least `LEAST_BYTES` bytes.

    Returns:
        Those that occur. The time hardly depends on their number: 0.1 s a megabyte and less.
    """
    by_prefix: dict[int, list[bytes]] = {}
    for one in sought:
        by_prefix.setdefault(int.from_bytes(one[:LEAST_BYTES], "little"), []).append(one)
    prefixes = np.array(sorted(by_prefix), dtype=np.uint64)
    seen: set[bytes] = set()
    for shift in range(min(LEAST_BYTES, max(0, len(block) - LEAST_BYTES + 1))):
        words = np.frombuffer(block, dtype="<u8", offset=shift, count=(len(block) - shift) // LEAST_BYTES)
        for place in np.flatnonzero(np.isin(words, prefixes)):
            at = shift + int(place) * LEAST_BYTES
            seen |= {one for one in by_prefix[int(words[place])] if block.startswith(one, at)}
    return seen


def unpacked(block: bytes) -> bytes:
    """Return what a block carries in base 64, as queued messages do, each run on a line of its own."""
    runs = []
    for run in _CARRIED.finditer(block):
        try:
            runs.append(base64.b64decode(run[0][: len(run[0]) // 4 * 4]))
        except binascii.Error:
            continue
    return b"\n".join(runs)
