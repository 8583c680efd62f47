"""Who said a memory and when, once the source that told so is erased: taken from a source that is left.

The text that is indexed begins with the attribution, such as a document's title, so the row is written anew. Its vector
stays until the next embedding generation: no model may be waited for here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.records import Micros
from memory.statements import attributed
from store.connection import Reader, Writer
from store.rows import names_of, reword

# What is left to tell it, oldest first; what was written directly names nobody.
LEFT = """
    SELECT source.document_id, session.id AS session_id, source.kind, candidate.speaker, candidate.said_at,
           candidate.said_zone, coalesce(candidate.position, 0) AS position,
           coalesce(document.metadata, session.metadata, '{}') AS metadata,
           candidate.statement, candidate.entities, candidate.relations, source.quote
    FROM source
    LEFT JOIN document ON document.id = source.document_id
    LEFT JOIN episode ON episode.id = source.episode_id
    LEFT JOIN session ON session.id = episode.session_id
    LEFT JOIN candidate ON candidate.memory_id IN (
            SELECT kin.id FROM memory JOIN memory AS kin ON kin.root_id = memory.root_id
            WHERE memory.id = source.memory_id)
        AND candidate.document_id IS source.document_id
        AND candidate.episode_id IS source.episode_id AND candidate.job_id = source.job_id
    WHERE source.memory_id = ?
    ORDER BY source.retired_at IS NOT NULL, source.id, candidate.memory_id <> source.memory_id, candidate.seq
"""


def renew(tx: Writer, memory_id: str, *, erased_metadata: Sequence[str], at: Micros) -> None:
    """Let a memory that has lost sources be told by one that is left, unless one says already who and when.

    Args:
        tx: the transaction; the lost sources are gone.
        memory_id: the memory.
        erased_metadata: JSON of the documents and conversations that go; a memory that took one over takes another.
        at: now.
    """
    memory = tx.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchone()
    left = tx.execute(LEFT, (memory_id,)).fetchall()
    if memory["metadata"] in erased_metadata:
        _set_metadata(tx, memory, left[0]["metadata"])
    if not any(_told(one) == _told(memory) for one in left):
        _tell(tx, memory, left[0], at=at)


def erased_metadata(db: Reader, documents: str, sessions: str, values: Mapping[str, Any]) -> list[str]:
    """Return the metadata that documents and conversations of a target have, but for empty ones.

    Args:
        db: the store.
        documents: the target's condition of documents.
        sessions: and of conversations.
        values: of both.
    """
    query = f"""
        SELECT metadata FROM document WHERE {documents} AND metadata <> '{{}}'
        UNION SELECT metadata FROM session WHERE {sessions} AND metadata <> '{{}}'
    """
    return [row["metadata"] for row in db.execute(query, values).fetchall()]


def _told(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["speaker"], row["said_at"], row["said_zone"]


def _set_metadata(tx: Writer, memory: Mapping[str, Any], metadata: str) -> None:
    tx.execute("UPDATE memory SET metadata = ? WHERE id = ?", (metadata, memory["id"]))
    tx.execute(
        "UPDATE belief SET metadata = ? WHERE memory_id = ? AND metadata = ?",
        (metadata, memory["id"], memory["metadata"]),
    )


def _tell(tx: Writer, memory: Mapping[str, Any], source: Mapping[str, Any], *, at: Micros) -> None:
    speaker, said_at, zone = _told(source)
    tx.execute(
        "UPDATE memory SET speaker = ?, said_at = ?, said_zone = ? WHERE id = ?", (speaker, said_at, zone, memory["id"])
    )
    group = source["document_id"] or source["session_id"] or memory["id"]
    text = attributed(memory["statement"], speaker, said_at, zone)
    reword(
        tx, memory["row_id"], text=text, names=names_of(memory["statement"], memory["entities"]), speaker=speaker,
        group_key=group, position=source["position"], at=at,
    )  # fmt: skip
