"""How an erasure reaches every column that can hold text; a column that is not named here fails a test.

"row": the row goes with its target. "blank": the column is emptied, the row stays. Anything else is the reason why the
column cannot hold what somebody wrote.
"""

from __future__ import annotations

from collections.abc import Mapping

from store.connection import Reader

ROW, BLANK = "row", "blank"
_ID = "an id that we made"
_WORD = "one of a few words of ours"
_MODEL = "a model's, prompt's, node's or file's name or version"
_CHOSEN = "the id of an HTTP request, ours or one that a client chose to find its request in the log"
_HASH = "a hash with a key or a salt that is erased"

PLAN: Mapping[str, Mapping[str, str]] = {
    "space": dict.fromkeys(("name", "display_name", "entity_context", "memory_paths"), ROW),
    "setting": {"name": _WORD, "value": ROW, "actor_kind": _WORD, "actor_id": _ID},
    "deletion": dict.fromkeys(
        ("id", "name", "reason", "actor_kind", "actor_id", "restored_kind", "restored_id"), ROW
    ),
    "merge": dict.fromkeys(("id", "state", "progress", "job_id", "reason", "actor_kind", "actor_id"), ROW),
    "merge_source": dict.fromkeys(("merge_id", "name"), ROW),
    "import": {
        "id": _ID, "state": _WORD, "spaces": BLANK, "model": _MODEL, "counts": "numbers by our words", "reason": BLANK,
        "actor_kind": _WORD, "actor_id": _ID,
    },
    "import_space": dict.fromkeys(("import_id", "name", "sent"), ROW),
    "generation": {"model": _MODEL, "prefix_rules": _MODEL, "state": _WORD},
    "document": dict.fromkeys(
        ("id", "custom_id", "title", "type", "filepath", "metadata", "document_zone", "user_id", "agent_id",
         "session_id", "status", "reason", "warning", "task_type", "entity_context", "summary"), ROW,
    ),
    "revision": dict.fromkeys(("document_id", "content", "content_hash", "state", "job_id"), ROW),
    "revision_source": dict.fromkeys(
        ("document_id", "kind", "name", "media_type", "url", "final_url", "title", "extracted_by", "warning", "body"),
        ROW,
    ),
    "chunk": dict.fromkeys(("id", "document_id", "heading", "body", "text_hash", "opening"), ROW),
    "session": {
        "id": _ID, "job_id": _ID, **dict.fromkeys(("conversation_id", "metadata", "user_id", "agent_id"), BLANK),
    },
    "episode": {
        "id": _ID, "session_id": _ID, "kind": _WORD, "role": _WORD, "text_hash": _HASH, "chain_hash": _HASH,
        **dict.fromkeys(("name", "content", "zone", "metadata", "salt"), BLANK),
    },
    "search_row": dict.fromkeys(
        ("kind", "group_key", "user_id", "agent_id", "session_id", "speaker", "shadow", "names"), ROW
    ),
    "vector": {"data": ROW},
    "validity": dict.fromkeys(("actor_kind", "actor_id", "job_id", "retired_kind", "retired_id", "reason"), ROW),
    "memory": dict.fromkeys(
        ("id", "root_id", "parent_id", "statement", "speaker", "said_zone", "kind", "metadata", "equality_key",
         "user_id", "agent_id", "session_id", "model", "prompt_version", "job_id", "actor_kind", "actor_id",
         "forget_reason", "forget_batch", "entities", "relations", "node", "version_reason"), ROW,
    ),
    "belief": dict.fromkeys(("memory_id", "metadata", "kind"), ROW),
    "bucket": dict.fromkeys(("key", "description"), ROW),
    "bucket_memory": dict.fromkeys(("memory_id", "decision_id"), ROW),
    "calibration": {
        "id": _ID, "judge": _WORD, "model": _MODEL, "prompt_version": _MODEL, "fitted": "numbers by our words",
        "previous_id": _ID, "state": _WORD, "actor_kind": _WORD, "actor_id": _ID, "retired_kind": _WORD,
        "retired_id": _ID,
    },
    "relabelling": {"calibration_id": _ID, "decision_id": _ID, "before": _WORD},
    "source": dict.fromkeys(
        ("memory_id", "kind", "document_id", "chunk_id", "episode_id", "quote", "job_id", "reason"), ROW
    ),
    "change": {"op": _WORD},
    "candidate": {
        **dict.fromkeys(("job_id", "document_id", "chunk_id", "episode_id", "state"), ROW), "kind": _WORD,
        **dict.fromkeys(
            ("statement", "quote", "speaker", "said_zone", "equality_key", "vector", "outcome", "outcome_reason",
             "memory_id", "entities", "relations", "written_id"), BLANK,
        ),
        "source_key": "a hash over a job's random id", "model": _MODEL, "prompt_version": _MODEL, "node": _MODEL,
    },
    "tombstone": dict.fromkeys(("memory_id", "equality_key", "user_id", "agent_id", "reason"), ROW),
    "request": {
        "id": _ID, "kind": _WORD, "payload": "emptied as soon as it is settled", "actor_kind": _WORD, "actor_id": _ID,
        "state": _WORD, "result": BLANK, "caused_by": _CHOSEN,
    },
    "job": {
        "caused_by": _CHOSEN,
        **dict.fromkeys(("id", "kind", "state", "document_id", "session_id", "reason", "warning"), ROW),
    },
    "tally": dict.fromkeys(("job_id", "continuation", "payload"), ROW),
    "work_item": dict.fromkeys(("job_id", "task", "queue", "payload", "state", "node", "reason"), ROW),
    "idempotency": {
        "route": _WORD, "key": "chosen by a client to tell a repeat; kept to refuse it, and gone after seven days",
        "body_hash": BLANK, "response": BLANK,
    },
    "decision": {
        "id": _ID, "judge": _WORD, "memory_id": BLANK, "other_id": BLANK, "inputs": BLANK,
        "probabilities": "numbers by option", "verdict": _WORD, "model": _MODEL, "prompt_version": _MODEL,
        "node": _MODEL, "label": _WORD, "labelled_kind": _WORD, "labelled_id": _ID, "relabelled": _WORD,
        "calibration_id": _ID,
    },
    "judgement": dict.fromkeys(("memory_id", "mark", "decision_id"), ROW),
    "review": dict.fromkeys(
        ("id", "user_id", "agent_id", "session_id", "kind", "memory_id", "decision_id", "state", "resolution",
         "actor_kind", "actor_id", "reason", "proposed"), ROW,
    ),
    "erasure": {
        "id": _ID, "kind": _WORD, "state": _WORD, "counts": "numbers by our words",
        "verification": "numbers by our words", "waits_for": "a sentence of ours", "note": "a sentence of ours",
        "actor_kind": _WORD,
        "actor_id": _ID,
    },
    "erased": {"kind": _WORD, "hash": _HASH, "erasure_id": _ID},
}  # fmt: skip


def text_columns(db: Reader) -> dict[str, list[str]]:
    """Return the columns of every table of ours that can hold text or bytes, by table; FTS5's own tables left out.

    Args:
        db: a tenant's file.
    """
    found = db.execute(
        """
        SELECT tables.name AS "table", columns.name FROM pragma_table_list AS tables
        JOIN pragma_table_info (tables.name) AS columns
        WHERE tables.type = 'table' AND tables.schema = 'main' AND tables.name NOT LIKE 'sqlite%'
          AND upper(columns.type) NOT IN ('INTEGER', 'REAL')
        ORDER BY tables.name, columns.cid
        """
    ).fetchall()
    columns: dict[str, list[str]] = {}
    for row in found:
        columns.setdefault(row["table"], []).append(row["name"])
    return columns
