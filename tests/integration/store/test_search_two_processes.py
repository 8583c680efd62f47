"""What one process commits, the next query of another finds; what it takes away, no query finds again."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memory.records import Scope
from services.clock import system_clock
from store import generations, native, rows, spaces
from store.connection import Store
from tests.rows import ACTOR

ROOT = Path(__file__).parents[3]
TIMES = 1000
DIMENSION = 64

# Answers each vector that it reads with the row ids nearest to it, the nearest first.
READER = """
import sys
from pathlib import Path
import numpy as np
from memory.records import Scope
from services.clock import system_clock
from store import native
from store.connection import Store
from store.segments import SegmentCache
from store.vector_scan import Scanning

kernel = native.kernel() if sys.argv[2] == "native" else None
cache = SegmentCache(Store(Path(sys.argv[1]), clock=system_clock), scanning=Scanning(exact_rows=10, kernel=kernel))
scope = Scope(tenant="default", spaces=("home",))
for line in sys.stdin:
    snapshot = cache.segment("default", "home")
    now = system_clock()
    view = snapshot.view(scope, as_of=now, known_at=now, kinds=("memory",))
    slots, _ = snapshot.nearest(np.array(line.split(), dtype=np.float32), view.visible, 5)
    print(*snapshot.row_ids[slots], flush=True)
"""


class Reader:
    """A second process that searches the same files."""

    def __init__(self, folder, how):
        self._process = subprocess.Popen(
            [sys.executable, "-c", READER, str(folder), how], cwd=ROOT, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    def nearest(self, vector):
        self._process.stdin.write(" ".join(map(str, vector.tolist())) + "\n")
        self._process.stdin.flush()
        return [int(one) for one in self._process.stdout.readline().split()]

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(30) == 0


@pytest.mark.parametrize("how", ["numpy", "native"])
def test_a_commit_is_seen_by_the_next_query_of_another_process(tmp_path, how):
    if how == "native" and native.kernel() is None:
        pytest.skip("the native part is not installed: make setup with a C compiler")
    # given a process that searches by codes, and rows that come and go in this one
    store = Store(tmp_path, clock=system_clock)
    store.ensure_tenant("default")
    with store.write("default") as tx:
        space = spaces.ensure(Scope(tenant="default", spaces=("home",)), tx, at=system_clock())
        generation = generations.for_vectors(tx, model="small", dimension=DIMENSION, at=system_clock())
    rng = np.random.default_rng(1)
    vectors, gone = {}, set()
    add(store, space, generation, rng, vectors)
    reader = Reader(tmp_path, how)
    unseen, returned = [], []
    for number in range(TIMES):
        # when a row is committed, its vector is asked for at once
        row_id = add(store, space, generation, rng, vectors)
        if reader.nearest(vectors[row_id])[:1] != [row_id]:
            unseen.append(row_id)
        # and every third time one is taken away, and asked for at once
        if number % 3 == 0:
            lost = int(rng.choice(sorted(set(vectors) - gone)))
            with store.write("default") as tx:
                rows.retire_windows(tx, lost, at=system_clock(), actor=ACTOR, reason="test")
            gone.add(lost)
            returned += gone & set(reader.nearest(vectors[lost]))
    reader.close()
    store.close()
    # then none was missed and none came back
    assert (unseen, returned) == ([], [])
    assert len(gone) == 334


def add(store, space, generation, rng, vectors):
    vector = rng.standard_normal(DIMENSION).astype(np.float32)
    vector /= np.linalg.norm(vector)
    with store.write("default") as tx:
        row_id = rows.add_row(
            tx,
            rows.NewRow(
                space_id=space, kind="memory", group_key="ses_1", position=len(vectors), text="Ann likes tea.",
                vector=vector.tobytes(), generation_id=generation,
            ),
            at=system_clock(),
        )  # fmt: skip
        rows.open_window(tx, row_id, valid_from=0, at=system_clock(), actor=ACTOR)
    vectors[row_id] = vector
    return row_id
