"""What an export holds of every table, and how its columns travel; a table that is not named here fails a test.

A line names its space, the number of its search row in that space, and the candidates and buckets it refers to by what
they are called everywhere, so that it means the same in another file. All other columns travel as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SPACE, ROW, CANDIDATE, BUCKET = "space_id", "row_id", "candidate_seq", "bucket_id"
# Where the number of a search row in its space ends and the space's begins.
ROW_BITS = 32
ROW_MASK = (1 << ROW_BITS) - 1
# The highest number that a file may give a search row: as many again are left for what comes later.
LAST_ROW = ROW_MASK >> 1

# {space}: numbers of spaces; {owned}: visible rows by owner; {docs}, {sessions}, {memories}: visible ids of those
# tables. What a row needs beside that is in `store.transfer_conditions`.
_OF_DOCUMENT = "{table}.document_id IN ({docs})"
_OF_MEMORY = "{table}.memory_id IN ({memories})"
_BY_SPACE = "(SELECT name FROM space WHERE space.id = space_id), key"
_BY_BUCKET = "memory_id, (SELECT key FROM bucket WHERE bucket.id = bucket_id)"
# Of a pending or failed revision there is only what its job has come to; the import begins that anew.
_CUT = "(SELECT document_id, revision FROM revision WHERE state IN ('live', 'replaced'))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The lines of one table."""

    name: str  # what its lines are called
    table: str
    where: str  # which rows; may name {space}, {owned}, {docs}, {sessions}, {memories}, {table}
    order: str
    left_out: frozenset[str] = frozenset()  # columns that another file gives values of its own
    json: frozenset[str] = frozenset()  # columns that hold JSON, which travels as such
    added: Mapping[str, str] = field(default_factory=dict)  # by name in the line: SQL of a value
    passed_over: frozenset[str] = frozenset()  # columns left out that older files have; nothing is made of them
    stands_alone: tuple[str, ...] = ()  # what its lines have besides, in the place of a column that is left out
    whole: bool = False  # only in the export of a whole tenant


PARTS: tuple[Part, ...] = (
    Part(name="space", table="space", where="space.id IN ({space})", order="space.name",
         left_out=frozenset(("id", "next_row")), passed_over=frozenset(("next_row",)),
         json=frozenset(("memory_paths",))),
    Part(name="setting", table="setting", where="1", order="name", json=frozenset(("value",)), whole=True),
    Part(name="calibration", table="calibration", where="1", order="id", json=frozenset(("fitted",)), whole=True),
    Part(name="job", table="job", order="id",
         where="""space_id IN ({space}) AND kind IN ('document', 'conversation', 'judging')
             AND (kind <> 'judging' OR state NOT IN ('queued', 'running'))"""),
    Part(name="document", table="document", where="{owned}", order="id", json=frozenset(("metadata",))),
    Part(name="revision", table="revision", where=_OF_DOCUMENT, order="document_id, revision"),
    Part(name="revision_source", table="revision_source", where=_OF_DOCUMENT, order="document_id, revision"),
    Part(name="session", table="session", where="id IN ({sessions})", order="id",
         json=frozenset(("metadata",))),
    Part(name="episode", table="episode", where="session_id IN ({sessions})", order="session_id, seq",
         json=frozenset(("metadata",))),
    Part(name="row", table="search_row", order="id", left_out=frozenset(("id",)), stands_alone=("row",),
         where=f"""search_row.id IN (SELECT row_id FROM memory WHERE id IN ({{memories}}) UNION SELECT row_id FROM chunk
             WHERE document_id IN ({{docs}}) AND (document_id, revision) IN {_CUT})"""),
    Part(name="chunk", table="chunk", order="document_id, revision, position", json=frozenset(("heading",)),
         where=f"document_id IN ({{docs}}) AND (document_id, revision) IN {_CUT}",
         added={SPACE: "(SELECT space_id FROM document WHERE document.id = document_id)"}),
    # A version comes after the one it supersedes.
    Part(name="memory", table="memory", where="id IN ({memories})", order="root_id, version",
         json=frozenset(("metadata", "entities", "relations"))),
    Part(name="belief", table="belief", where=_OF_MEMORY, order="memory_id, retired_at, id",
         left_out=frozenset(("id",)), json=frozenset(("metadata",))),
    Part(name="source", table="source", where=_OF_MEMORY, order="memory_id, id", left_out=frozenset(("id",))),
    Part(name="tombstone", table="tombstone", where="{owned}", order="memory_id"),
    Part(name="candidate", table="candidate", order="seq",
         where="candidate.space_id IN ({space}) AND state = 'settled'",
         left_out=frozenset(("seq", "generation_id")), json=frozenset(("entities", "relations"))),
    Part(name="decision", table="decision", order="id", json=frozenset(("inputs", "probabilities")),
         where="decision.space_id IN ({space})"),
    Part(name="judgement", table="judgement", order="candidate_seq, round, memory_id",
         where="decision_id IS NOT NULL"),
    Part(name="relabelling", table="relabelling", where="1", order="calibration_id, decision_id", whole=True),
    Part(name="review", table="review", where="{owned}", order="id"),
    Part(name="bucket", table="bucket", where="space_id IN ({space})", order=_BY_SPACE,
         left_out=frozenset(("id",))),
    Part(name="bucket_memory", table="bucket_memory", where=_OF_MEMORY, order=_BY_BUCKET,
         added={SPACE: "(SELECT space_id FROM bucket WHERE bucket.id = bucket_id)"}),
)  # fmt: skip

# Whose row a column names, by column. Where `session_id` is what a caller calls a run it names no row.
_REFERS: Mapping[str, str] = {
    "document_id": "document", "episode_id": "episode", "chunk_id": "chunk", "memory_id": "memory",
    "root_id": "memory", "parent_id": "memory", "other_id": "memory", "written_id": "memory",
    "job_id": "job", "decision_id": "decision", "calibration_id": "calibration", "previous_id": "calibration",
}  # fmt: skip
_OF_SESSIONS = frozenset(("episode", "job"))  # tables whose `session_id` is that of a session
# Columns that name a revision of the document that the row is of.
NUMBERED: Mapping[str, tuple[str, ...]] = {
    "document": ("latest_revision", "live_revision"),
    **dict.fromkeys(("job", "revision_source", "chunk", "source", "candidate"), ("revision",)),
}
# Columns that end like references and are none: names that callers choose, actors, and what a line tells otherwise.
NO_REFERENCE = frozenset((
    "user_id", "agent_id", "session_id", "custom_id", "conversation_id", "actor_id", "retired_id", "labelled_id",
    "generation_id", SPACE, ROW, BUCKET,
))  # fmt: skip
# By which column the rows of a table are known everywhere; two files have the same only when they hold the same thing.
NAMED_BY: Mapping[str, str] = {
    "space": "name", "setting": "name", "calibration": "id", "job": "id", "document": "id", "session": "id",
    "episode": "id", "chunk": "id", "memory": "id", "candidate": "source_key", "decision": "id", "review": "id",
    "tombstone": "memory_id",
}  # fmt: skip


def refers(part: Part) -> dict[str, str]:
    """Return the columns of a part that name rows, each with the table."""
    return {**_REFERS, "session_id": "session"} if part.table in _OF_SESSIONS else dict(_REFERS)


# Windows and vectors travel in the line of their search row.
_IN_ROWS = "in the lines of search rows"
NOT_EXPORTED: Mapping[str, str] = {
    "validity": _IN_ROWS,
    "vector": _IN_ROWS,
    "generation": "in the header; another file has generations of its own",
    "fence": "of one file's writers",
    "change": "of one file's readers",
    "request": "asked of one file's writer",
    "tally": "work that the import begins anew",
    "work_item": "work that the import begins anew",
    "idempotency": "answers of one server; they go after seven days",
    "erasure": "receipts of what was done to one file",
    "erased": "hashes with a key of one tenant, which mean nothing elsewhere",
    "deletion": "spaces that were put away; restore one to export it",
    "merge": "what was done in one file",
    "merge_source": "what was done in one file",
    "import": "what was done in one file",
    "import_space": "what was done in one file",
}
