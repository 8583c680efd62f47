"""Turns ids into whole records: memories with their windows and sources, chunks with the document they are of."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.chunk_body import headed
from memory.records import FOREVER, Actor, Memory, Micros, Source, Window
from store import believed
from store.connection import Reader

# Later than anything recorded, and before what is never retired.
_NOW: Micros = FOREVER - 1

# In each statement ?1 is a JSON list of ids and ?2 the time that is meant: its text stays the same, so that SQLite
# prepares it once.
MEMORIES = """
    SELECT memory.*, space.name AS space,
           NOT memory.historic AND NOT EXISTS (
               SELECT 1 FROM memory AS next WHERE next.root_id = memory.root_id AND next.version > memory.version
               AND NOT next.historic AND next.recorded_at <= ?2) AS is_latest,
           EXISTS (SELECT 1 FROM review WHERE review.memory_id = memory.id AND review.kind = 'contradiction'
                   AND opened_at <= ?2 AND (resolved_at IS NULL OR resolved_at > ?2)) AS is_disputed
    FROM memory JOIN space ON space.id = memory.space_id WHERE memory.id IN (SELECT value FROM json_each(?1))
"""
WINDOWS = """
    SELECT memory.id AS memory_id, validity.* FROM validity JOIN memory ON memory.row_id = validity.row_id
    WHERE memory.id IN (SELECT value FROM json_each(?1)) AND validity.recorded_at <= ?2 ORDER BY validity.id
"""
# What was believed at a time; when nothing was, everything that the memory had rested on until then: every fact can be
# walked back.
SOURCES = """
    SELECT source.*, title, conversation_id, episode.seq AS message_index,
           coalesce(document_date, occurred_at) AS said_at
    FROM source
    LEFT JOIN document ON document.id = source.document_id
    LEFT JOIN episode ON episode.id = source.episode_id
    LEFT JOIN session ON session.id = episode.session_id
    WHERE source.memory_id IN (SELECT value FROM json_each(?1)) AND source.recorded_at <= ?2
    AND ((source.retired_at IS NULL OR source.retired_at > ?2) OR NOT EXISTS (
        SELECT 1 FROM source AS other WHERE other.memory_id = source.memory_id AND other.recorded_at <= ?2
        AND (other.retired_at IS NULL OR other.retired_at > ?2)))
    ORDER BY source.id
"""
# Revisions share the row of a chunk that did not change: the live one is shown, else the newest, so that a read of the
# past finds what was replaced since.
CHUNKS = """
    SELECT chunk.*, document.title, document.metadata, document.updated_at, document.document_date,
           document.filepath, space.name AS space
    FROM chunk JOIN document ON document.id = chunk.document_id JOIN space ON space.id = document.space_id
    WHERE chunk.row_id IN (SELECT value FROM json_each(?1))
    ORDER BY chunk.revision IS document.live_revision, chunk.revision
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundChunk:
    """A chunk with what is shown of its document."""

    id: str  # chk_...
    row_id: int
    space: str
    document_id: str
    revision: int
    position: int
    start: int  # character offsets in the document
    end: int
    heading: tuple[str, ...]
    body: str
    title: str | None
    metadata: Mapping[str, Any]  # of the document
    updated_at: Micros
    document_date: Micros | None
    filepath: str | None = None  # of the document

    @property
    def text(self) -> str:
        """The chunk as it is shown and reranked: heading path, then body."""
        return headed(self.heading, self.body)


def load_memories(db: Reader, ids: Sequence[str], *, known_at: Micros = _NOW) -> dict[str, Memory]:
    """Return memories by id as they were known at a time, each with its windows and the sources that held.

    Args:
        db: the store.
        ids: of memories; unknown ones are left out of the result, those recorded later are not.
        known_at: the time that is meant; now, when left out. Windows, sources, confidence, support, metadata, kind are
            those believed then, and nothing is told of what was retired or forgotten after it.
    """
    windows, sources = _by_memory(db, WINDOWS, ids, known_at), _by_memory(db, SOURCES, ids, known_at)
    then = {row["memory_id"]: row for row in _select(db, believed.THEN, ids, known_at)} if known_at < _NOW else {}
    return {
        row["id"]: _memory(
            _known(row, then.get(row["id"]), known_at),
            [_window(window, known_at) for window in windows[row["id"]]],
            sources[row["id"]],
        )
        for row in _select(db, MEMORIES, ids, known_at)
    }


def _known(row: Any, then: Mapping[str, Any] | None, known_at: Micros) -> Mapping[str, Any]:
    """Return a memory's row without what was not known yet."""
    # By name each of thirty columns is looked for among all of them.
    known: dict[str, Any] = dict(zip(row.keys(), row, strict=True))
    if then is not None and then["support"] is not None:
        known |= {name: then[name] for name in ("confidence", "support", "metadata", "kind")}
    if known["forgotten_at"] is not None and known["forgotten_at"] > known_at:
        known |= {"forgotten_at": None, "forget_reason": None}
    if then is not None and known["updated_at"] > known_at:
        known["updated_at"] = max(known["recorded_at"], then["changed_at"] or 0, known["forgotten_at"] or 0)
    return known


def memories_by_row(db: Reader, row_ids: Sequence[int], *, known_at: Micros = _NOW) -> dict[int, Memory]:
    """Return memories by the id of their search row, with the sources that held at a time."""
    ids = {
        row["id"]: row["row_id"]
        for row in _select(
            db, "SELECT id, row_id FROM memory WHERE row_id IN (SELECT value FROM json_each(?1))", row_ids
        )
    }
    return {ids[memory_id]: memory for memory_id, memory in load_memories(db, list(ids), known_at=known_at).items()}


def chunks_by_row(db: Reader, row_ids: Sequence[int]) -> dict[int, FoundChunk]:
    """Return chunks by the id of their search row."""
    return {row["row_id"]: _chunk(row) for row in _select(db, CHUNKS, row_ids)}


def source_tokens(db: Reader, sources: Sequence[Source]) -> int:
    """Count the tokens of the whole documents and conversations that some sources are part of, each once.

    Args:
        db: the store.
        sources: of memories or chunks; a memory written directly has no larger whole and counts nothing.
    """
    documents = list({source.document_id for source in sources if source.document_id})
    episodes = list({source.id for source in sources if source.kind == "episode"})
    of_documents = _select(
        db,
        """
        SELECT tokens FROM revision JOIN document ON document.id = document_id AND revision = live_revision
        WHERE document_id IN (SELECT value FROM json_each(?1))
        """,
        documents,
    )
    sessions = _select(
        db, "SELECT DISTINCT session_id FROM episode WHERE id IN (SELECT value FROM json_each(?1))", episodes
    )
    of_sessions = _select(
        db,
        "SELECT tokens FROM episode WHERE session_id IN (SELECT value FROM json_each(?1))",
        [row["session_id"] for row in sessions],
    )
    return sum(row["tokens"] or 0 for row in (*of_documents, *of_sessions))


def _select(db: Reader, statement: str, keys: Sequence[Any], *at: Micros) -> list[Any]:
    return db.execute(statement, (json.dumps(keys), *at)).fetchall() if keys else []


def _by_memory(db: Reader, statement: str, ids: Sequence[str], at: Micros) -> defaultdict[str, list[Any]]:
    grouped: defaultdict[str, list[Any]] = defaultdict(list)
    for row in _select(db, statement, ids, at):
        grouped[row["memory_id"]].append(row)
    return grouped


def _memory(row: Mapping[str, Any], windows: Sequence[Window], sources: Sequence[Any]) -> Memory:
    return Memory(
        id=row["id"], space=row["space"], root_id=row["root_id"], parent_id=row["parent_id"], version=row["version"],
        statement=row["statement"], speaker=row["speaker"], said_at=row["said_at"], said_zone=row["said_zone"],
        kind=row["kind"], confidence=row["confidence"], support=row["support"], is_static=bool(row["is_static"]),
        is_latest=bool(row["is_latest"]), is_forgotten=row["forgotten_at"] is not None,
        forget_reason=row["forget_reason"], metadata=json.loads(row["metadata"]),
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), recorded_at=row["recorded_at"],
        updated_at=row["updated_at"], windows=tuple(windows),
        sources=tuple(source_of(source, row["id"]) for source in sources), forget_after=row["forget_after"],
        is_disputed=bool(row["is_disputed"]), is_unjudged=bool(row["unjudged"]), is_inferred=bool(row["inferred"]),
    )  # fmt: skip


def _window(row: Mapping[str, Any], known_at: Micros) -> Window:
    retired = row["retired_at"] is not None and row["retired_at"] <= known_at
    return Window(
        valid_from=row["valid_from"], valid_to=row["valid_to"], recorded_at=row["recorded_at"],
        retired_at=row["retired_at"] if retired else None, reason=row["reason"] if retired else None,
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]),
        retired_by=Actor(kind=row["retired_kind"], id=row["retired_id"]) if retired else None,
    )  # fmt: skip


def source_of(row: Mapping[str, Any], memory_id: str) -> Source:
    """Return a source of a memory, read with what is shown of its document or message."""
    return Source(
        kind=row["kind"], id=row["episode_id"] or row["document_id"] or memory_id, document_id=row["document_id"],
        revision=row["revision"], chunk_id=row["chunk_id"], start=row["start"], end=row["end"],
        conversation_id=row["conversation_id"], message_index=row["message_index"], quote=row["quote"],
        title=row["title"], said_at=row["said_at"],
    )  # fmt: skip


def _chunk(row: Mapping[str, Any]) -> FoundChunk:
    return FoundChunk(
        id=row["id"], row_id=row["row_id"], space=row["space"], document_id=row["document_id"],
        revision=row["revision"], position=row["position"], start=row["start"], end=row["end"],
        heading=tuple(json.loads(row["heading"])), body=row["body"], title=row["title"],
        metadata=json.loads(row["metadata"]), updated_at=row["updated_at"], document_date=row["document_date"],
        filepath=row["filepath"],
    )  # fmt: skip
