"""A store with many memories, written straight into its file: through the API the embedding alone would take an hour.

What a search reads is as it would be: rows with their vectors, windows, memories and sources, in sessions of twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.search_data import Floats, grown
from memory.names import row_names
from memory.records import FOREVER, Actor, Scope
from services.clock import system_clock
from store import generations, rows, spaces
from store.connection import Store, Writer

SESSION = 20  # memories of a session
BATCH = 5_000  # memories of a transaction
ACTOR = Actor(kind="pipeline", id="job_benchmark")

_MEMORY = """
    INSERT INTO memory (id, space_id, row_id, root_id, version, statement, kind, confidence, metadata, equality_key,
                        model, actor_kind, actor_id, recorded_at, updated_at)
    VALUES (?1, ?2, ?3, ?1, 1, ?4, 'fact', 0.7, ?5, ?4, 'rules', 'pipeline', 'job_benchmark', ?6, ?6)
"""
_SOURCE = "INSERT INTO source (memory_id, kind, quote, recorded_at) VALUES (?, 'direct', ?, ?)"


def fill(folder: Path, space: str, texts: Sequence[str], base: Floats, count: int) -> None:
    """Write so many memories into a new store.

    Args:
        folder: the data folder.
        space: whose memories they are.
        texts: what is remembered, again and again with a number behind it.
        base: float32 (texts, dimension), their vectors.
        count: memories.
    """
    store = Store(folder, clock=system_clock)
    store.ensure_tenant("default")
    vectors = grown(base, count)
    at = system_clock()
    with store.write("default") as tx:
        space_id = spaces.ensure(Scope(tenant="default", spaces=(space,)), tx, at=at)
        generation = generations.for_vectors(tx, model="all-MiniLM-L6-v2", dimension=vectors.shape[1], at=at)
    for first in range(0, count, BATCH):
        with store.write("default") as tx:
            for number in range(first, min(first + BATCH, count)):
                text = f"{texts[number % len(texts)]} Number {number}."
                _add(tx, text, vectors[number], number, space_id, generation, at)
    store.close()


def _add(tx: Writer, text: str, vector: Floats, number: int, space_id: int, generation: int, at: int) -> None:
    row = rows.NewRow(
        space_id=space_id, kind="memory", group_key=f"ses_{number // SESSION}", position=number % SESSION, text=text,
        vector=vector.tobytes(), generation_id=generation, names=row_names(text),
    )  # fmt: skip
    row_id = rows.add_row(tx, row, at=at)
    hundredth = f'{{"hundredth": {number * 7919 % 100}}}'
    tx.execute(_MEMORY, (f"mem_{row_id}", space_id, row_id, text, hundredth, at))
    tx.execute(_SOURCE, (f"mem_{row_id}", text, at))
    rows.open_window(tx, row_id, valid_from=0, valid_to=FOREVER, at=at, actor=ACTOR)
