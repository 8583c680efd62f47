"""The words of a memory, once the source that they came from is erased: taken from a source that is left.

Sources that say one thing in different words make one memory, in the words of the first. Those words go with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory.records import Micros
from memory.statements import attributed, equality_key, normalised
from store import attribution
from store.connection import Reader, Writer
from store.rows import names_of, reword


def renew(tx: Writer, memory_id: str, *, at: Micros, note: Callable[[str], None]) -> bool | None:
    """Let a memory that has lost sources say what a source says that is left, unless one says it in the same words.

    Args:
        tx: the transaction; the lost sources and their candidates are gone.
        memory_id: the memory.
        at: now.
        note: is told the words that go.

    Returns:
        Whether its words are others now: its row then has no vector. None when no source is left whose words are
        known; the memory is then as it was.
    """
    memory = tx.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchone()
    left = tx.execute(attribution.LEFT, (memory_id,)).fetchall()
    if _is_said(memory["statement"], left):
        return False
    # What a person wrote when deciding a conflict is not in the quote that it rests on, which said something else.
    by_person = memory["actor_kind"] == "person"
    source = next((one for one in left if one["statement"] or (_words(one) and not by_person)), None)
    if source is None:
        return None
    note(memory["statement"])
    _say(tx, memory, source, at=at)
    return True


def unsaid(db: Reader) -> list[Mapping[str, Any]]:
    """Return the memories, `id` and `row_id`, whose words no source says; a verification does not take their word."""
    found = db.execute(
        """
        SELECT id, row_id, statement FROM memory WHERE NOT EXISTS (
            SELECT 1 FROM candidate WHERE candidate.memory_id = memory.id AND candidate.statement = memory.statement)
        AND NOT EXISTS (SELECT 1 FROM source WHERE source.memory_id = memory.id AND source.quote = memory.statement)
        """
    ).fetchall()
    return [
        one for one in found if not _is_said(one["statement"], db.execute(attribution.LEFT, (one["id"],)).fetchall())
    ]


def _words(source: Mapping[str, Any]) -> str:
    """Return what a source said; without its candidate, what is quoted of it."""
    return source["statement"] or " ".join((source["quote"] or "").split())


def _is_said(statement: str, left: Sequence[Mapping[str, Any]]) -> bool:
    return normalised(statement) in {normalised(words) for one in left if (words := _words(one))}


def _say(tx: Writer, memory: Mapping[str, Any], source: Mapping[str, Any], *, at: Micros) -> None:
    memory_id, words = memory["id"], _words(source)
    # Without a candidate nobody knows who said it but the memory.
    teller = source if source["statement"] else memory
    speaker, said_at, zone = teller["speaker"], teller["said_at"], teller["said_zone"]
    tx.execute(
        """
        UPDATE memory SET statement = ?, equality_key = ?, speaker = ?, said_at = ?, said_zone = ?, entities = ?,
               relations = ?, updated_at = ? WHERE id = ?
        """,
        (words, equality_key(words, speaker), speaker, said_at, zone, source["entities"] or json.dumps([]),
         source["relations"] or json.dumps([]), at, memory_id),
    )  # fmt: skip
    tx.execute("UPDATE decision SET inputs = '{}' WHERE memory_id = ? OR other_id = ?", (memory_id, memory_id))
    tx.execute("DELETE FROM vector WHERE row_id = ?", (memory["row_id"],))
    group = source["document_id"] or source["session_id"] or memory_id
    text = attributed(words, speaker, said_at, zone)
    reword(
        tx, memory["row_id"], text=text, names=names_of(words, source["entities"]), speaker=speaker, group_key=group,
        position=source["position"], at=at,
    )  # fmt: skip
