"""A tenant with something in every column that an export tells of: as it comes about or, where that is long, put in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memory.records import Message, NewMemory, NewSource
from services import memories
from store.transfer_plan import PARTS
from tests.pipeline import HOME, PERSON, Pipeline

ACTOR = {"actor_kind": "person", "actor_id": "ann"}
_FITTED = """{"temperature": 1.5, "thresholds": {"update": 0.7, "contradiction": null}, "verdicts": {"update": {
    "standing": "proven", "threshold": 0.7, "target": 0.9,
    "precision": {"labels": 3, "right": 3, "low": 0.4, "high": 1.0}}}}"""
_JUDGE = {"judge": "pair", "model": "m", "prompt_version": "1"}


def fill_with_everything(pipeline: Pipeline) -> None:
    """Put something into every column of every table that an export tells of, and more into another space."""
    ann = replace(HOME, user="ann", agent="helper", session="run")
    for content in ("The depot opens at six.", "The depot opens at seven every day."):
        pipeline.add(content, scope=ann, custom_id="d", metadata={"team": "north"}, filepath="/a/b")
    pipeline.add("", source=NewSource(kind="file", name="lift.md", body=b"# Lift\n\nThe limit is 40 kg.\n"))
    pipeline.say(Message(role="user", name="Ann", content="I like my bees a lot.", said_at=1, said_zone="Z"), scope=ann)
    made = memories.remember(ann, pipeline.host, PERSON, [NewMemory(content="Ann likes tea.")]).memories[0]
    memories.update(ann, pipeline.host, PERSON, memory_id=made.id, new_content="Ann likes green tea.")
    gone = memories.remember(ann, pipeline.host, PERSON, [NewMemory(content="Ann has a cat.")]).memories[0]
    memories.forget(ann, pipeline.host, PERSON, memory_id=gone.id, reason="wrong")
    away = replace(HOME, spaces=("away",))
    pipeline.add("Bob lives in Rome.", scope=away)
    pipeline.say(Message(role="user", name="Bob", content="I moved to Oslo."), scope=away)
    pipeline.settle()
    for space in ("home", "away"):
        _judge(pipeline, space, tag=made.id[-8:])
    _tell_the_rest(pipeline)


def _judge(pipeline: Pipeline, space: str, *, tag: str) -> None:
    """Write what judges and people said of a memory of a space."""
    ((number,),) = pipeline.rows("SELECT id FROM space WHERE name = ?", space)
    ((memory,), (other,), *_) = pipeline.rows("SELECT id FROM memory WHERE space_id = ? ORDER BY id", number)
    ((seq,), *_) = pipeline.rows("SELECT seq FROM candidate WHERE space_id = ? AND document_id IS NOT NULL", number)
    decision, first, second = f"dec_{space}_{tag}", f"cal_1_{tag}", f"cal_2_{tag}"
    label = {"label": "update", "labelled_kind": "person", "labelled_id": "ann", "labelled_at": 3}
    retired = {"state": "retired", "retired_kind": "person", "retired_id": "ann", "retired_at": 2}
    rows: tuple[tuple[str, dict[str, Any]], ...] = (
        ("calibration", {"id": first, **_JUDGE, "fitted": _FITTED, "labels": 2, **retired, **ACTOR,
                         "at": 1}),
        ("calibration", {"id": second, **_JUDGE, "fitted": _FITTED, "labels": 3, "previous_id": first,
                         "state": "active", **ACTOR, "at": 2}),
        ("decision", {"id": decision, "space_id": number, "candidate_seq": seq, "memory_id": memory, "other_id": other,
                      "inputs": "{}", "probabilities": '{"update": 0.9}', "verdict": "update", "node": "n1",
                      "milliseconds": 4, "at": 1, "relabelled": "distinct", "calibration_id": second, **_JUDGE,
                      **label}),
        ("judgement", {"candidate_seq": seq, "round": 1, "memory_id": other, "position": 0, "similarity": 0.5,
                       "mark": "x", "decision_id": decision}),
        ("relabelling", {"calibration_id": second, "decision_id": decision, "before": "update"}),
        ("review", {"id": f"con_{space}_{tag}", "space_id": number, "user_id": "ann", "agent_id": "helper",
                    "session_id": "run", "kind": "contradiction", "memory_id": memory, "candidate_seq": seq,
                    "decision_id": decision, "state": "resolved", "resolution": "edit", "reason": "x", "opened_at": 1,
                    "resolved_at": 2, "proposed": "y", **ACTOR}),
        ("belief", {"memory_id": memory, "confidence": 1, "support": 1, "metadata": "{}", "retired_at": 1,
                    "kind": "fact"}),
        ("bucket", {"id": number, "space_id": number, "key": "k", "description": "d", "created_at": 1,
                    "retired_at": 2}),
        ("bucket_memory", {"memory_id": memory, "bucket_id": number, "belongs": 1, "decision_id": decision, "at": 1}),
        ("setting", {"name": "chunk_size", "value": "800", **ACTOR, "at": 1}),
    )  # fmt: skip
    with pipeline.host.store.write("default") as tx:
        for table, row in rows:
            marks = ",".join("?" * len(row))
            tx.execute(f"INSERT OR IGNORE INTO {table} ({','.join(row)}) VALUES ({marks})", tuple(row.values()))


# What has to fit something else; all other columns in which nothing came about are given a word or a number.
_FITTING = (
    "UPDATE space SET memory_paths = '[\"/a\"]'",
    "UPDATE session SET user_id = 'ann', agent_id = 'helper' WHERE user_id IS NULL",
    "UPDATE source SET job_id = (SELECT id FROM job WHERE job.space_id ="
    " (SELECT space_id FROM memory WHERE memory.id = memory_id) LIMIT 1)",
    "UPDATE candidate SET written_id = memory_id, generation_id = (SELECT id FROM generation WHERE state = 'serving'),"
    " valid_from = 8, valid_to = 9,"
    " vector = (SELECT data FROM vector JOIN memory ON memory.row_id = vector.row_id WHERE memory.id = memory_id)",
)
_WORDS = {"TEXT": "x", "INTEGER": 9, "REAL": 0.5}


def _tell_the_rest(pipeline: Pipeline) -> None:
    with pipeline.host.store.write("default") as tx:
        for statement in _FITTING:
            tx.execute(statement)
        for part in PARTS:
            columns = tx.execute("SELECT name, type FROM pragma_table_info(?)", (part.table,)).fetchall()
            for name, kind in [tuple(row) for row in columns if row["name"] not in part.left_out]:
                (told,) = tx.execute(f'SELECT count("{name}") FROM {part.table}').fetchone()
                if not told:
                    tx.execute(f'UPDATE {part.table} SET "{name}" = ?', (_WORDS[kind],))
