"""What extraction found, by rules or by a model, becomes candidates that wait for their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.guidance import NO_GUIDANCE, Guidance
from memory.records import Statement, WorkItem
from memory.secret_filter import SecretFilter
from memory.statements import equality_key
from services.host import Host
from store import candidates, documents, sessions
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.connection import Writer

# Statements of about 25 tokens: as many tokens as a batch of chunks would be a tenth, so twice as many go together.
STATEMENT_BATCH = 32
RULES = "rules"
# A candidate is of no space before it is kept: a merge may move its source while facts are found in it.
NO_SPACE = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """By what statements were extracted."""

    model: str = RULES
    prompt_version: str = ""
    node: str | None = None


def candidate(item: WorkItem, found: Statement, origin: Origin, **place: Any) -> Candidate:
    """Return the candidate of a statement, for `keep`.

    Args:
        item: the work item that found it.
        found: the statement.
        origin: what extracted it.
        **place: `document_id`, `revision` and `chunk_id`, or `episode_id`.
    """
    return Candidate(
        space_id=NO_SPACE, job_id=item.job_id, statement=found.text, quote=found.quote, start=found.start,
        end=found.end, position=found.position, kind=found.kind, confidence=found.confidence, model=origin.model,
        prompt_version=origin.prompt_version, node=origin.node, equality_key=equality_key(found.text, found.speaker),
        speaker=found.speaker, said_at=found.said_at, said_zone=found.said_zone, valid_from=found.valid_from,
        valid_to=found.valid_to, entities=tuple({"name": one.name, "type": one.type} for one in found.entities),
        relations=tuple({"from": one.origin, "type": one.type, "to": one.target} for one in found.relations), **place,
    )  # fmt: skip


def guarded(
    host: Host, found: Iterable[Statement], source: str, *, offset: int = 0, wanted: Guidance = NO_GUIDANCE
) -> list[tuple[Statement, str | None]]:
    """Apply the setting `secrets`, and what is wanted of a space's material, to statements.

    Args:
        host: whose settings.
        found: of one source.
        source: the text they were found in.
        offset: of that text in the source.
        wanted: what the settings include and exclude.

    Returns:
        Each statement, without its secrets unless they are allowed, and why it is not to be kept, None when it is.
    """
    policy = host.settings.secrets
    if policy == "allow":
        return [(one, wanted.refusal(one.text)) for one in found]
    checked = SecretFilter(source, offset=offset)
    rows = []
    for one in found:
        clean, kinds = checked.filtered(one)
        refused = f"it holds a secret ({', '.join(kinds)})" if kinds and policy == "refuse" else None
        rows.append((clean, refused or wanted.refusal(clean.text)))
    return rows


def keep(host: Host, tx: Writer, item: WorkItem, found: Sequence[tuple[Candidate, str | None]]) -> int:
    """Store candidates in the transaction that settles their item, and queue their embedding.

    They go into the space that their source is in by now.

    Args:
        host: the truth plane's adapters.
        tx: the transaction.
        item: the work item that found them.
        found: each candidate, and why it is dropped at once, if it is.

    Returns:
        How many wait for a vector now; those of an earlier extraction of the same place are passed over.
    """
    at, space_id = host.clock(), _space_of(tx, item)
    found = [(replace(one, space_id=space_id), reason) for one, reason in found]
    for one, reason in found:
        if reason is not None:
            for seq in candidates.add(tx, [one], at=at):
                candidates.settle(tx, seq, outcome="dropped", reason=reason, memory_id=None, at=at)
    added = candidates.add(tx, [one for one, reason in found if reason is None], at=at)
    batches = [added[start : start + STATEMENT_BATCH] for start in range(0, len(added), STATEMENT_BATCH)]
    if batches:
        ledger_rows.add_items(
            tx, job_id=item.job_id, task="embed.texts", queue="background",
            payloads=[{"candidates": batch} for batch in batches], continuation="job.settle",
            tally_payload={"job": item.job_id}, at=at,
        )  # fmt: skip
    return len(added)


def _space_of(tx: Writer, item: WorkItem) -> int:
    if "session" in item.payload:
        return sessions.by_id(tx, str(item.payload["session"])).space_id
    return documents.place_of(tx, str(item.payload["document"])).space_id
