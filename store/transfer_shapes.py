"""Which shape every column of an export has; a column that is not named here fails a test.

Trust boundary: what has come in once is read by code that takes it for its own. One time that cannot be written, or a
number where a list is looked for, would make every list with that row fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from memory import tenant_settings
from memory.records import ActorKind, MemoryKind, Outcome, ReviewKind, RowKind
from memory.segmentation import TOKENIZER_VERSION
from memory.values import MOST_DAYS
from store.shapes import (
    BUCKET_KEY,
    BYTES,
    CONTEXT,
    COUNT,
    CUSTOM_ID,
    END,
    ENTITIES,
    FITTED,
    FLAG,
    HASH,
    ID,
    ID_OR_NONE,
    JSON,
    LIKENESS,
    LINE,
    LINES,
    METADATA,
    NAME,
    NAME_OR_NONE,
    NUMBERED,
    OPEN_TIME,
    PATHS,
    PROSE,
    RELATIONS,
    SHARE,
    SHARES,
    SPACE_NAME,
    TEXT,
    TEXTS,
    TIME,
    Shape,
    one_of,
    whole,
)

_ACTOR_KIND = one_of(*get_args(ActorKind))
_KIND = one_of(*get_args(MemoryKind))
_JUDGE = one_of("pair", "kind", "bucket")
_ACTOR = {"actor_kind": _ACTOR_KIND, "actor_id": NAME_OR_NONE}
_OWNER = {"user_id": NAME, "agent_id": NAME, "session_id": NAME}
_MADE = {"created_at": TIME, "updated_at": TIME}
_SAID = {"speaker": LINE, "said_at": TIME, "said_zone": NAME_OR_NONE}
_BY = {"model": NAME_OR_NONE, "prompt_version": NAME_OR_NONE}
_NAMES = {"entities": ENTITIES, "relations": RELATIONS}
_SPAN = {"start": COUNT, "end": COUNT}

SHAPES: Mapping[str, Mapping[str, Shape]] = {
    "space": {
        "name": SPACE_NAME, "retention_days": whole(1, MOST_DAYS), "retention_set_at": TIME, "display_name": LINE,
        "entity_context": CONTEXT, "memory_paths": PATHS, **_MADE,
    },
    # What a value may be depends on the name, see `store.transfer_rules`.
    "setting": {"name": one_of(*sorted(tenant_settings.NAMES)), "value": JSON, **_ACTOR, "at": TIME},
    "calibration": {
        "id": ID, "judge": _JUDGE, **_BY, "fitted": FITTED, "labels": COUNT, "previous_id": ID,
        "state": one_of("active", "retired"), **_ACTOR, "at": TIME, "retired_kind": _ACTOR_KIND,
        "retired_id": NAME_OR_NONE, "retired_at": TIME,
    },
    "job": {
        "id": ID, "kind": one_of("document", "conversation", "judging"),
        "state": one_of("queued", "running", "done", "partial", "failed", "cancelled"), "document_id": ID,
        "revision": NUMBERED, "session_id": ID, "reason": PROSE, "warning": PROSE, **_MADE, "finished_at": TIME,
        "caused_by": NAME_OR_NONE, "kept_days": whole(0, MOST_DAYS), "joined_at": TIME,
    },
    "document": {
        "id": ID, "custom_id": CUSTOM_ID, "title": LINE, "title_sent": FLAG, "type": NAME, "filepath": LINE,
        "metadata": METADATA, "document_date": TIME, "document_zone": NAME_OR_NONE, **_OWNER,
        "status": one_of("unknown", "queued", "extracting", "chunking", "embedding", "indexing", "done", "failed"),
        "reason": PROSE, "warning": PROSE, "latest_revision": NUMBERED, "live_revision": NUMBERED, **_MADE,
        "deleted_at": TIME, "task_type": one_of("memory", "superrag"), "entity_context": CONTEXT, "summary": LINE,
    },
    "revision": {
        "document_id": ID, "revision": NUMBERED, "content": TEXT, "content_hash": NAME_OR_NONE, "tokens": COUNT,
        "state": one_of("pending", "live", "replaced", "failed", "cancelled"), "job_id": ID_OR_NONE,
        "created_at": TIME,
    },
    "revision_source": {
        "document_id": ID, "revision": NUMBERED, "kind": one_of("file", "url"), "name": LINE, "media_type": LINE,
        "url": LINE, "final_url": LINE, "bytes": COUNT, "title": LINE, "extracted_by": NAME_OR_NONE,
        "warning": PROSE, "body": BYTES,
    },
    "session": {
        "id": ID, "conversation_id": CUSTOM_ID, "metadata": METADATA, "user_id": NAME, "agent_id": NAME,
        "watermark": COUNT, "job_id": ID_OR_NONE, **_MADE,
    },
    "episode": {
        "id": ID, "session_id": ID, "seq": COUNT,
        "kind": one_of("turn", "tool_call", "tool_result", "outcome", "error"),
        "role": one_of("user", "assistant", "system", "tool"), "name": LINE, "content": TEXT, "occurred_at": TIME,
        "zone": NAME_OR_NONE, "metadata": METADATA, "tokens": COUNT, "salt": HASH, "text_hash": HASH,
        "chain_hash": HASH, "recorded_at": TIME,
    },
    "search_row": {
        "kind": one_of(*get_args(RowKind)), "group_key": NAME_OR_NONE, "position": COUNT, **_OWNER, "speaker": LINE,
        "shadow": TEXT, "terms": COUNT, "tokenizer": whole(0, TOKENIZER_VERSION), "names": PROSE,
    },
    "validity": {
        "valid_from": OPEN_TIME, "valid_to": OPEN_TIME, "recorded_at": TIME, **_ACTOR, "job_id": ID_OR_NONE,
        "retired_at": TIME, "retired_kind": _ACTOR_KIND, "retired_id": NAME_OR_NONE, "reason": PROSE,
    },
    "chunk": {
        "id": ID, "document_id": ID, "revision": NUMBERED, "position": COUNT, **_SPAN, "heading": LINES, "body": TEXT,
        "text_hash": NAME_OR_NONE, "opening": PROSE,
    },
    "memory": {
        "id": ID, "root_id": ID, "parent_id": ID, "version": NUMBERED, "statement": PROSE, **_SAID, "kind": _KIND,
        "confidence": SHARE, "support": COUNT, "is_static": FLAG, "metadata": METADATA, "equality_key": PROSE, **_OWNER,
        **_BY, "job_id": ID_OR_NONE, **_ACTOR, "recorded_at": TIME, "updated_at": TIME, "forgotten_at": TIME,
        "forget_reason": PROSE, "forget_batch": NAME_OR_NONE, **_NAMES, "unjudged": FLAG, "inferred": FLAG,
        "historic": FLAG, "forget_after": TIME, "node": NAME_OR_NONE, "version_reason": PROSE, "kept_until": END,
        "joined_at": TIME,
    },
    "belief": {
        "memory_id": ID, "confidence": SHARE, "support": COUNT, "metadata": METADATA, "retired_at": TIME, "kind": _KIND,
    },
    "source": {
        "memory_id": ID, "kind": one_of("document", "episode", "direct"), "document_id": ID, "revision": NUMBERED,
        "chunk_id": ID, "episode_id": ID, **_SPAN, "quote": TEXT, "job_id": ID_OR_NONE, "recorded_at": TIME,
        "retired_at": TIME, "reason": PROSE,
    },
    "tombstone": {
        "memory_id": ID, "equality_key": PROSE, "user_id": NAME, "agent_id": NAME, "forgotten_at": TIME,
        "reason": PROSE,
    },
    "candidate": {
        "job_id": ID_OR_NONE, "source_key": NAME, "document_id": ID, "revision": NUMBERED, "chunk_id": ID,
        "episode_id": ID, "statement": PROSE, "quote": TEXT, **_SPAN, "position": COUNT, **_SAID, "kind": _KIND,
        "confidence": SHARE, **_BY, "equality_key": PROSE, "vector": BYTES, "state": one_of("settled"),
        "outcome": one_of(*get_args(Outcome)), "outcome_reason": PROSE, "memory_id": ID, "recorded_at": TIME,
        "settled_at": TIME, "valid_from": OPEN_TIME, "valid_to": OPEN_TIME, **_NAMES, "node": NAME_OR_NONE,
        "written_id": ID, "round": COUNT,
    },
    "decision": {
        "id": ID, "judge": _JUDGE, "memory_id": ID, "other_id": ID, "inputs": TEXTS, "probabilities": SHARES,
        "verdict": NAME, **_BY, "node": NAME_OR_NONE, "milliseconds": COUNT, "at": TIME, "label": NAME,
        "labelled_kind": _ACTOR_KIND, "labelled_id": NAME_OR_NONE, "labelled_at": TIME, "relabelled": NAME,
        "calibration_id": ID,
    },
    "judgement": {
        "round": COUNT, "memory_id": ID, "position": COUNT, "similarity": LIKENESS, "mark": LINE, "decision_id": ID,
    },
    "relabelling": {"calibration_id": ID, "decision_id": ID, "before": NAME},
    "review": {
        "id": ID, **_OWNER, "kind": one_of(*get_args(ReviewKind)), "memory_id": ID, "decision_id": ID,
        "support": COUNT, "state": one_of("open", "resolved"),
        "resolution": one_of("keep_incumbent", "take_candidate", "keep_both", "edit", "moot"), **_ACTOR,
        "reason": PROSE, "opened_at": TIME, "resolved_at": TIME, "proposed": NAME,
    },
    "bucket": {
        "key": BUCKET_KEY, "description": LINE, "created_at": TIME, "retired_at": TIME, "swept_at": TIME,
        "shared": FLAG,
    },
    "bucket_memory": {"memory_id": ID, "belongs": FLAG, "decision_id": ID, "at": TIME},
}  # fmt: skip
