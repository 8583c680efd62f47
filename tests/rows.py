"""Puts memories and chunks into a store without the pipeline, for tests of what reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inference.fake_words import word_vectors
from memory.names import row_names
from memory.records import BEGINNING, FOREVER, Actor, Owner, Scope
from memory.statements import attributed
from services.fake_models import WordModels
from services.fakes import SteppedClock, fake_host
from services.host import Host
from store import generations, rows, spaces
from store.connection import Store
from store.segments import SegmentCache

ACTOR = Actor(kind="pipeline", id="job_1")
MODEL = "all-MiniLM-L6-v2"


def searching_host(data_dir: Path) -> Host:
    """Return a host with models made of words and resident search arrays."""
    store = Store(data_dir, clock=(clock := SteppedClock()), busy_seconds=2.0)
    return fake_host(data_dir, models=WordModels(), store=store, clock=clock, search=SegmentCache(store))


def put_memories(
    host: Host,
    space: str,
    statements: list[str],
    *,
    group: str = "ses_1",
    kind: str = "fact",
    confidence: float = 0.7,
    metadata: Mapping[str, Any] | None = None,
    speaker: str | None = None,
    window: tuple[int, int] | None = (BEGINNING, FOREVER),
    user: str | None = None,
    session: str | None = None,
    document: str | None = None,
    episode: str | None = None,
    start: int = 0,
) -> list[int]:
    """Insert live memories (staged ones without a window) and return their row ids."""
    at = host.clock()
    texts = [attributed(statement, speaker, None, None) for statement in statements]
    vectors = word_vectors(texts, 384) if texts else []
    ids = []
    with host.store.write("default") as tx:
        space_id = spaces.ensure(Scope(tenant="default", spaces=(space,)), tx, at=at)
        generation = generations.for_vectors(tx, model=MODEL, dimension=384, at=at)
        for position, (statement, text, vector) in enumerate(zip(statements, texts, vectors, strict=True), start):
            row_id = rows.add_row(
                tx,
                rows.NewRow(
                    space_id=space_id, kind="memory", group_key=group, position=position, text=text,
                    vector=vector.tobytes(), generation_id=generation, speaker=speaker,
                    owner=Owner(user=user, session=session), names=row_names(statement),
                ),
                at=at,
            )  # fmt: skip
            tx.execute(
                """
                INSERT INTO memory (id, space_id, row_id, root_id, version, statement, speaker, kind, confidence,
                                    metadata, equality_key, user_id, session_id, model, actor_kind, actor_id,
                                    recorded_at, updated_at)
                VALUES (?1, ?2, ?3, ?1, 1, ?4, ?5, ?6, ?7, ?8, ?4, ?9, ?10, 'rules', 'pipeline', 'job_1', ?11, ?11)
                """,
                (f"mem_{row_id}", space_id, row_id, statement, speaker, kind, confidence, json.dumps(metadata or {}),
                 user, session, at),
            )  # fmt: skip
            tx.execute(
                """
                INSERT INTO source (memory_id, kind, document_id, episode_id, quote, recorded_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                (f"mem_{row_id}", "document" if document else "episode" if episode else "direct", document, episode,
                 statement, at),
            )  # fmt: skip
            if window is not None:
                rows.open_window(tx, row_id, valid_from=window[0], valid_to=window[1], at=at, actor=ACTOR)
            ids.append(row_id)
    return ids


def put_document(host: Host, space: str, document_id: str, bodies: list[str], *, title: str = "Guide") -> list[int]:
    """Insert a done document of one revision with one chunk per body and return the row ids."""
    at = host.clock()
    texts = [f"{title}\n{body}" for body in bodies]
    ids = []
    with host.store.write("default") as tx:
        space_id = spaces.ensure(Scope(tenant="default", spaces=(space,)), tx, at=at)
        generation = generations.for_vectors(tx, model=MODEL, dimension=384, at=at)
        tx.execute(
            """
            INSERT INTO document (id, space_id, title, metadata, status, latest_revision, live_revision, created_at,
                                  updated_at) VALUES (?, ?, ?, '{"team": "docs"}', 'done', 1, 1, ?, ?)
            """,
            (document_id, space_id, title, at, at),
        )
        tx.execute(
            "INSERT INTO revision VALUES (?, 1, ?, 'hash', ?, 'live', 'job_1', ?)",
            (document_id, "\n".join(bodies), sum(len(body.split()) for body in bodies), at),
        )
        for position, (body, text, vector) in enumerate(zip(bodies, texts, word_vectors(texts, 384), strict=True)):
            row_id = rows.add_row(
                tx,
                rows.NewRow(
                    space_id=space_id, kind="chunk", group_key=document_id, position=position, text=text,
                    vector=vector.tobytes(), generation_id=generation,
                ),
                at=at,
            )  # fmt: skip
            tx.execute(
                "INSERT INTO chunk VALUES (?, ?, 1, ?, 0, ?, ?, ?, 'hash', ?, '')",
                (f"chk_{row_id}", document_id, position, len(body), json.dumps([title]), body, row_id),
            )
            rows.open_window(tx, row_id, valid_from=BEGINNING, at=at, actor=ACTOR)
            ids.append(row_id)
    return ids


def put_conversation(host: Host, space: str, conversation_id: str, messages: list[str]) -> list[str]:
    """Insert a session with its episodes and return the episode ids."""
    at = host.clock()
    with host.store.write("default") as tx:
        space_id = spaces.ensure(Scope(tenant="default", spaces=(space,)), tx, at=at)
        tx.execute(
            "INSERT INTO session (id, space_id, conversation_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
            (f"ses_{conversation_id}", space_id, conversation_id, at, at),
        )
        ids = [f"ep_{conversation_id}_{number}" for number in range(len(messages))]
        tx.executemany(
            """
            INSERT INTO episode (id, session_id, seq, kind, role, content, tokens, salt, text_hash, chain_hash,
                                 recorded_at) VALUES (?, ?, ?, 'turn', 'user', ?, ?, x'00', x'00', x'00', ?)
            """,
            [
                (one, f"ses_{conversation_id}", number, text, len(text.split()), at)
                for number, (one, text) in enumerate(zip(ids, messages, strict=True))
            ],
        )
    return ids
