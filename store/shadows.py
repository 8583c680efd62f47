"""The stored terms of rows that another version of the segmentation cut."""

from __future__ import annotations

from collections.abc import Mapping

from memory.names import row_names
from memory.records import Micros
from memory.segmentation import TOKENIZER_VERSION, segment
from store.connection import Reader, Writer
from store.rows import ROW_BITS, announce


def outdated(db: Reader, *, most: int) -> dict[int, str]:
    """Return the shadows of rows of another version, by id, oldest rows first and at most so many."""
    found = db.execute(
        "SELECT id, shadow FROM search_row WHERE tokenizer <> ? ORDER BY id LIMIT ?", (TOKENIZER_VERSION, most)
    ).fetchall()
    return {row["id"]: row["shadow"] for row in found}


def cut_anew(tx: Writer, texts: Mapping[int, str]) -> None:
    """Store the terms that the present version makes of the texts of rows, and what they name unless that is known.

    The full-text index follows by triggers.
    """
    for row_id, text in texts.items():
        terms = segment(text)
        tx.execute(
            "UPDATE search_row SET shadow = ?, terms = ?, tokenizer = ?, names = coalesce(names, ?) WHERE id = ?",
            (" ".join(terms), len(terms), TOKENIZER_VERSION, row_names(text), row_id),
        )


def announce_to_all(tx: Writer, *, at: Micros) -> None:
    """Have every reader load the rows of every space anew: what it holds has the terms of the version before."""
    for row in tx.execute("SELECT id FROM space").fetchall():
        announce(tx, row["id"] << ROW_BITS, "erase", at=at)
