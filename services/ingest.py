"""Ingest: from an accepted document or message to searchable chunks and candidates.

Host work (chunking, extraction by rules) runs in the host worker and settles its item in its own transaction. Model
work is a background item whose result arrives as `item.done` in the reconcile worker. Continuations only ask the writer
(a request row), because what they lead to is a knowledge write.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory.chunking import chunk
from memory.extraction import from_document, from_message
from memory.records import Actor, Episode, Job, Message, WorkItem
from memory.statements import attributed
from memory.vectors import decode_vectors
from services import extracted, extracting, guidance, ledger, owed, request_ids, sourced
from services.attempts import under_lease
from services.host import Host
from services.source_slots import SourceSlots
from services.titles import title_of, without_echo
from store import candidates, chunks, documents, episodes, generations, heap, requests, sessions
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.chunks import StoredChunk
from store.connection import Writer

# Chunks of about 300 tokens: 16 are 2 to 4 seconds of one slow core, short enough to retry and to let others in.
CHUNK_BATCH = 16
# Chunks whose statements are extracted as one item: some 90,000 characters, well under a second of rules.
EXTRACT_GROUP = 64
# What a longer text took is given back to the system once it is cut: a worker would keep several times its size.
KEPT_CHARS = 1_000_000


def prepare_document(host: Host, tenant: str, item_id: int, attempt: int, *, slots: SourceSlots) -> None:
    """Chunk a pending revision, once it is read, and queue its embedding; a stale message changes nothing."""
    under_lease(host, tenant, item_id, attempt, slots.bound(_prepare))


def extract_group(host: Host, tenant: str, item_id: int, attempt: int) -> None:
    """Extract the candidates of a group of chunks or messages and queue their embedding."""
    under_lease(host, tenant, item_id, attempt, _extract)


def _prepare(host: Host, item: WorkItem) -> None:
    if _cut(host, item) > KEPT_CHARS:
        heap.trim()


def _cut(host: Host, item: WorkItem) -> int:
    """Cut a revision into chunks and return how many characters it has."""
    with host.store.read(item.tenant) as db:
        document_id, number = str(item.payload["document"]), int(item.payload["revision"])
        content = documents.revision(db, document_id, number).content
        size = guidance.chunk_size(db)
    read = sourced.read(host, item.tenant, document_id, number)
    content = content if read is None else read.found.text
    spans = chunk(content, size=size)
    ready = []
    for span in spans:
        body = span.body(content)
        digest = hashlib.sha256("\x1f".join((*span.heading, body)).encode("utf-8", "surrogatepass")).hexdigest()
        ready.append((host.new_id("chk"), span, body, digest))
    title = (read and read.found.title) or title_of((span.heading for span in spans), content)
    tokens = host.count_tokens(content)
    at = host.clock()
    with ledger.host_commit(host, item) as tx:
        if tx is None:
            return len(content)
        if read is not None:
            read.keep(tx)
        chunks.add(tx, document_id, number, ready)
        documents.set_prepared(tx, document_id, number, title=title, tokens=tokens, at=at)
        waiting = [one.id for one in chunks.of(tx, document_id, number) if one.row_id is None]
        place = {"document": document_id, "revision": number, "job": item.job_id}
        batches = [{"chunks": batch} for batch in _batches(waiting, CHUNK_BATCH)]
        if batches:
            ledger_rows.add_items(
                tx, job_id=item.job_id, task="embed.texts", queue="background", payloads=batches,
                continuation="revision.switch", tally_payload=place, at=at,
            )  # fmt: skip
        else:
            ask_writer(host, tx, "revision.switch", place)
    return len(content)


def _batches(rows_: Sequence[Any], size: int) -> list[list[Any]]:
    return [list(rows_[start : start + size]) for start in range(0, len(rows_), size)]


def add_extraction(host: Host, tx: Writer, *, job_id: str, document_id: str, revision: int) -> None:
    """Queue the extraction of a live revision, in groups of chunks: by a node's language model, else by rules."""
    document = documents.by_id(tx, document_id)
    space_id = documents.place_of(tx, document_id).space_id
    if document.task_type == "superrag" or not guidance.teaches(tx, space_id, document.filepath):
        return
    lengths = [one.end - one.start for one in chunks.of(tx, document_id, revision)]
    if host.has_llm:
        groups = extracting.document_groups(lengths, document_id, revision)
    else:
        groups = [
            {
                "document": document_id,
                "revision": revision,
                "from": start,
                "to": min(start + EXTRACT_GROUP, len(lengths)),
            }
            for start in range(0, len(lengths), EXTRACT_GROUP)
        ]
    add_groups(host, tx, job_id, groups, queue="background" if host.has_llm else "host")


def add_groups(host: Host, tx: Writer, job_id: str, groups: Sequence[Mapping[str, Any]], *, queue: str) -> None:
    """Queue the extraction of groups; the last of them lets the job be settled.

    Args:
        host: the truth plane's adapters.
        tx: the transaction.
        job_id: whose.
        groups: their payloads.
        queue: background for a language model, host for the rules.
    """
    ledger_rows.add_items(
        tx, job_id=job_id, task="extract.group", queue=queue, payloads=groups, continuation="job.settle",
        tally_payload={"job": job_id}, at=host.clock(),
    )  # fmt: skip


def _extract(host: Host, item: WorkItem) -> None:
    found = _of_messages(host, item) if "session" in item.payload else _of_chunks(host, item)
    with ledger.host_commit(host, item) as tx:
        if tx is None:
            return
        extracted.keep(host, tx, item, found)


def _of_chunks(host: Host, item: WorkItem) -> list[tuple[Candidate, str | None]]:
    document_id, number = str(item.payload["document"]), int(item.payload["revision"])
    with host.store.read(item.tenant) as db:
        document = documents.by_id(db, document_id)
        content = documents.revision(db, document_id, number).content
        group = chunks.of(db, document_id, number)[int(item.payload["from"]) : int(item.payload["to"])]
        wanted = guidance.of_space(db, documents.place_of(db, document_id).space_id)
    first, last = (group[0].start, group[-1].end) if group else (0, 0)
    found = from_document(
        content, [one.span for one in group], title=document.title, document_date=document.document_date,
        document_zone=document.document_zone,
    )  # fmt: skip
    found = without_echo(found, content)
    return [
        (
            extracted.candidate(
                item, one, extracted.Origin(), document_id=document_id, revision=number,
                chunk_id=_chunk_at(group, one.start),
            ),
            refused,
        )
        for one, refused in extracted.guarded(host, found, content[first:last], offset=first, wanted=wanted)
    ]  # fmt: skip


def _chunk_at(group: Iterable[StoredChunk], offset: int) -> str | None:
    return next((one.id for one in group if one.start <= offset < one.end), None)


def _of_messages(host: Host, item: WorkItem) -> list[tuple[Candidate, str | None]]:
    session_id = str(item.payload["session"])
    with host.store.read(item.tenant) as db:
        wanted = guidance.of_space(db, sessions.by_id(db, session_id).space_id)
        said = episodes.between(db, session_id, start=int(item.payload["from"]), end=int(item.payload["to"]))
    return [
        (extracted.candidate(item, one, extracted.Origin(), episode_id=episode.id), refused)
        for episode in said
        if episode.kind == "turn"
        for one, refused in extracted.guarded(
            host, from_message(_message(episode), position=episode.index), episode.content, wanted=wanted
        )
    ]


def _message(episode: Episode) -> Message:
    return Message(
        role=episode.role, content=episode.content, name=episode.name, said_at=episode.said_at,
        said_zone=episode.said_zone, metadata=episode.metadata,
    )  # fmt: skip


def embed_message(host: Host, item: WorkItem) -> Mapping[str, Any]:
    """Return the message of an embedding item: ids become texts only when it is sent."""
    with host.store.read(item.tenant) as db:
        if "rows" in item.payload:
            texts = owed.texts(db, item.payload["rows"])
        elif "chunks" in item.payload:
            texts = [one.text for one in chunks.by_id(db, item.payload["chunks"])]
        else:
            waiting = candidates.by_seq(db, item.payload["candidates"])
            texts = [attributed(one.statement, one.speaker, one.said_at, one.said_zone) for one in waiting]
    return {"texts": texts}


def embedded(host: Host, tx: Writer, item: WorkItem, result: Mapping[str, Any]) -> None:
    """Accept the vectors of an embedding item: chunks get staged search rows, candidates become ready, rows a vector.

    Raises:
        ModelRefused: the vectors do not fit the item.
    """
    settings, at = host.settings, host.clock()
    vectors = decode_vectors(str(result["vectors"]), settings.embed_dimension)
    model, dimension = settings.embed_model, settings.embed_dimension
    generation = generations.for_vectors(tx, model=model, dimension=dimension, at=at)
    if "rows" in item.payload:
        return owed.accept(tx, item, vectors, generation, at=at)
    if "chunks" in item.payload:
        waiting = chunks.by_id(tx, item.payload["chunks"])
        for one, vector in zip(waiting, vectors, strict=True):
            if one.row_id is None:
                row = chunks.search_row(tx, one, vector=vector.tobytes(), generation_id=generation)
                chunks.set_row(tx, one.id, owed.add_row(host, tx, row, at=at))
        return
    ready = candidates.by_seq(tx, item.payload["candidates"])
    for candidate, vector in zip(ready, vectors, strict=True):
        candidates.set_vector(tx, candidate.seq, vector=vector.tobytes(), generation_id=generation)


def ask_writer(host: Host, tx: Writer, kind: str, payload: Mapping[str, Any]) -> None:
    """Ask the writer to go on with a job, as a row in this transaction."""
    actor = Actor(kind="pipeline", id=str(payload["job"]))
    requests.add(
        tx, request_id=host.new_id("req"), kind=kind, payload=payload, actor=actor, caused_by=request_ids.current(),
        at=host.clock(),
    )  # fmt: skip


def continue_with_writer(kind: str) -> Any:
    """Return the continuation that asks the writer for `kind` with the tally's payload."""

    def continuation(host: Host, tx: Writer, job: Job, payload: Mapping[str, Any]) -> None:
        ask_writer(host, tx, kind, payload)

    return continuation


MESSAGES = {"embed.texts": embed_message, **extracting.MESSAGES}
COMPLETIONS = {"embed.texts": embedded, **extracting.COMPLETIONS}
CONTINUATIONS = {kind: continue_with_writer(kind) for kind in ("revision.switch", "job.settle")}
