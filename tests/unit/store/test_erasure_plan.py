"""No column that can hold text is forgotten: each is in the plan, and what the plan says of it is what happens."""

import sqlite3
from dataclasses import replace

import pytest

from memory.records import Message, NewMemory
from services import erasure, memories, verifying
from store.erasure_plan import BLANK, PLAN, ROW, text_columns
from tests.pipeline import HOME, PERSON

ANN = replace(HOME, user="ann")
SENTINEL = "DELME-31 was here"
# Tables that have nothing of a user in them, only of a space.
OF_SPACES = {"space", "bucket"}
# Columns that tell whose a row is, or to what it belongs: with another value it would be another's.
TIES = {
    "id", "user_id", "document_id", "session_id", "memory_id", "job_id", "root_id", "parent_id", "row_id", "written_id",
    "chunk_id", "episode_id", "decision_id", "other_id", "candidate_seq", "agent_id", "salt", "vector", "data", "state",
    "conversation_id", "key",
}  # fmt: skip


def test_every_column_that_can_hold_text_is_in_the_plan(pipeline):
    with pipeline.host.store.read("default") as db:
        found = {f"{table}.{column}" for table, columns in text_columns(db).items() for column in columns}
    planned = {f"{table}.{column}" for table, columns in PLAN.items() for column in columns}

    assert found - planned == set(), "Say in store/erasure_plan.py how an erasure reaches these columns."
    assert planned - found == set(), "These columns do not exist."


def fill(pipeline):
    """Make rows in every table, all of one user in one space."""
    pipeline.add("The depot opens at seven every day.", scope=ANN, custom_id="d", metadata={"team": "north"})
    pipeline.say(Message(role="user", name="Ann", content="I like my bees a lot."), scope=ANN)
    memories.remember(ANN, pipeline.host, PERSON, [NewMemory(content="Ann keeps the key in a drawer.")])
    gone = memories.remember(ANN, pipeline.host, PERSON, [NewMemory(content="Ann keeps a cat at home.")]).memories[0]
    memories.forget(ANN, pipeline.host, PERSON, memory_id=gone.id)
    pipeline.settle()
    with pipeline.host.store.write("default") as tx:
        (space,) = tx.execute("SELECT id FROM space").fetchone()
        (memory,) = tx.execute("SELECT id FROM memory LIMIT 1").fetchone()
        (seq,) = tx.execute("SELECT seq FROM candidate LIMIT 1").fetchone()
        (job,) = tx.execute("SELECT id FROM job LIMIT 1").fetchone()
        rows = {
            "decision": {"id": "dec_1", "space_id": space, "judge": "pair", "candidate_seq": seq, "memory_id": memory,
                         "inputs": "{}", "probabilities": "{}", "verdict": "update", "model": "rules",
                         "prompt_version": "", "at": 1},
            "judgement": {"candidate_seq": seq, "round": 1, "memory_id": memory, "position": 0, "similarity": 0.5,
                          "mark": "", "decision_id": "dec_1"},
            "review": {"id": "con_1", "space_id": space, "user_id": "ann", "kind": "contradiction",
                       "memory_id": memory, "candidate_seq": seq, "decision_id": "dec_1", "state": "resolved",
                       "reason": "", "opened_at": 1, "resolved_at": 2},
            "belief": {"memory_id": memory, "confidence": 1, "support": 1, "metadata": "{}", "retired_at": 1},
            "bucket": {"id": 1, "space_id": space, "key": "k", "description": "d", "created_at": 1},
            "bucket_memory": {"memory_id": memory, "bucket_id": 1, "belongs": 1, "decision_id": "dec_1", "at": 1},
            "tally": {"job_id": job, "remaining": 0, "continuation": "", "payload": "{}"},
        }  # fmt: skip
        for table, row in rows.items():
            marks = ",".join("?" * len(row))
            tx.execute(f"INSERT INTO {table} ({','.join(row)}) VALUES ({marks})", tuple(row.values()))


def write_sentinel(pipeline, tables):
    """Put a text into every column of these tables that takes it; returns in how many it is."""
    written = 0
    with pipeline.host.store.write("default") as tx:
        for table in tables:
            for column, treatment in PLAN[table].items():
                if treatment not in (ROW, BLANK) or column in TIES or (table, column) == ("space", "name"):
                    continue
                for value in (SENTINEL, f'{{"note": "{SENTINEL}"}}', f'["{SENTINEL}"]'):
                    if column in ("metadata", "payload", "inputs", "response", "result") and value[0] != "{":
                        continue
                    try:
                        tx.execute("SAVEPOINT one")
                        written += tx.execute(f"UPDATE {table} SET {column} = ?", (value,)).rowcount > 0
                        break
                    except sqlite3.IntegrityError:
                        tx.execute("ROLLBACK TO one")  # only words of ours fit there
                    finally:
                        tx.execute("RELEASE one")
    return written


@pytest.mark.parametrize("kind", ["subject", "space", "tenant"])
def test_what_the_plan_says_is_what_happens(pipeline, kind):
    # given a text in every column that takes one
    fill(pipeline)
    apart = {"calibration", "erasure", "erased", "generation", "fence", "idempotency", "request", "search_row"}
    tables = set(PLAN) - apart - (OF_SPACES if kind == "subject" else set())
    assert write_sentinel(pipeline, sorted(tables)) > 60

    # when
    named = {"subject": "ann", "space": "home", "tenant": None}[kind]
    target = erasure.find_target(HOME, pipeline.host, kind, named)
    asked = erasure.request(HOME, pipeline.host, PERSON, target, verify=True, confirm="default")
    pipeline.clock.advance(100)
    pipeline.writer.renew()
    pipeline.settle()

    # then no file has it
    assert erasure.get(HOME, pipeline.host, asked.id).state == "finished"
    folder = pipeline.host.store.path(None).parent
    assert [path.name for path in verifying.files(folder, "default") if b"DELME-31" in path.read_bytes()] == []
