"""The stored terms of rows that another version of the segmentation cut."""

from __future__ import annotations

from collections.abc import Mapping

from memory.names import row_names
from memory.records import Micros
from memory.segmentation import TOKENIZER_VERSION, segment
from store.connection import Reader, Writer
from store.rows import ROW_BITS, announce, names_of


def outdated(db: Reader, *, after: int, most: int) -> list[int]:
    """Return the ids of rows of another version, in order, those above `after` and at most so many."""
    found = db.execute(
        "SELECT id FROM search_row WHERE id > ? AND tokenizer <> ? ORDER BY id LIMIT ?",
        (after, TOKENIZER_VERSION, most),
    ).fetchall()
    return [row["id"] for row in found]


def count_outdated(db: Reader) -> int:
    """Return how many rows are of another version."""
    found = db.execute("SELECT count(*) FROM search_row WHERE tokenizer <> ?", (TOKENIZER_VERSION,)).fetchone()
    return int(found[0])


def cut_anew(tx: Writer, texts: Mapping[int, str]) -> None:
    """Store the terms that the present version makes of the texts of rows, and what they name unless that is known.

    The full-text index follows by triggers.
    """
    marks = ",".join("?" * len(texts))
    memories = tx.execute(f"SELECT row_id, statement, entities FROM memory WHERE row_id IN ({marks})", tuple(texts))
    names = {row["row_id"]: names_of(row["statement"], row["entities"]) for row in memories.fetchall()}
    for row_id, text in texts.items():
        terms = segment(text)
        tx.execute(
            "UPDATE search_row SET shadow = ?, terms = ?, tokenizer = ?, names = coalesce(names, ?) WHERE id = ?",
            (
                " ".join(terms),
                len(terms),
                TOKENIZER_VERSION,
                names[row_id] if row_id in names else row_names(text),
                row_id,
            ),
        )


def announce_to_all(tx: Writer, *, at: Micros) -> None:
    """Have every reader load the rows of every space anew: what it holds has the terms of the version before."""
    for row in tx.execute("SELECT id FROM space").fetchall():
        announce(tx, row["id"] << ROW_BITS, "erase", at=at)
