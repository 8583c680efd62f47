"""Extraction by a language model: which groups there are, what is asked of each, and what becomes of the answer.

The answer arrives as `item.done` in the reconcile worker, and `memory.fact_answers` keeps of it what the source bears
out. A group without a valid answer fails like any work item; its job is then partial and can be retried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.errors import BadAnswer
from memory.excerpts import CONTEXT_MESSAGES, Excerpt, chunk_groups, message_windows
from memory.extraction_prompt import (
    ANSWER_TOKENS,
    EXTRACT_PROMPT_VERSION,
    FACT_SCHEMA,
    conversation_messages,
    document_messages,
)
from memory.fact_answers import Found, read_facts
from memory.fillers import states_something
from memory.recalled import recalled_within
from memory.records import Episode, Job, Statement, WorkItem
from services import extracted, guidance
from services.extracted import Origin
from services.host import Host
from services.titles import without_echo
from store import chunks, documents, episodes, groups, sessions
from store.connection import Reader, Writer
from store.groups import Group

TASK = "extract.group"
NO_ANSWER = "extraction produced no valid answer"
# Behind the version of the prompt when the settings of the tenant or the space have added to it.
GUIDED = "+guided"
# More would not help anybody to find them.
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Material:
    """What a group's facts may rest on."""

    space_id: int
    excerpts: tuple[Excerpt, ...]  # to extract from
    before: tuple[Excerpt, ...]  # for context only
    source: str  # how the conversation is called; unused for a document
    document_id: str | None = None
    revision: int | None = None
    content: str = ""  # of the document; unused for a conversation
    chunks: tuple[tuple[str, int, int], ...] = ()  # id, start and end of each
    episodes: Mapping[int, str] | None = None  # id by index

    def place(self, found: Statement) -> dict[str, Any]:
        """Return the columns that say where a fact is from."""
        if self.episodes is not None:
            return {"episode_id": self.episodes[found.position]}
        chunk = next((id_ for id_, start, end in self.chunks if start <= found.start < end), None)
        return {"document_id": self.document_id, "revision": self.revision, "chunk_id": chunk}


def document_groups(lengths: Sequence[int], document_id: str, revision: int) -> list[dict[str, Any]]:
    """Return the payloads of a document's groups, about 3,000 characters each.

    Args:
        lengths: of its chunks, characters.
        document_id: which.
        revision: its edition.
    """
    return [
        {"document": document_id, "revision": revision, "from": first, "to": after}
        for first, after in chunk_groups(lengths)
    ]


def conversation_groups(session_id: str, texts: Sequence[tuple[str, str]], first: int) -> list[dict[str, Any]]:
    """Return the payloads of a conversation's windows; those in which nobody states anything are left out.

    Args:
        session_id: which.
        texts: (role, content) of the messages to extract from.
        first: index of the first of them.
    """
    windows = message_windows([content for _, content in texts], first=first)
    return [
        {"session": session_id, "from": one.first, "to": one.after, "start": one.start, "end": one.end}
        for one in windows
        if any(
            role in ("user", "assistant") and states_something(content)
            for role, content in texts[one.first - first : one.after - first]
        )
    ]


def extract_message(host: Host, item: WorkItem) -> Mapping[str, Any]:
    """Return the message of a group for a node; nothing more for one that the host extracts by rules."""
    if item.queue != "background":
        return {}
    with host.store.read(item.tenant) as db:
        material = _material(db, item)
        wanted = guidance.of_material(db, material.space_id, material.document_id).instructions
    if material.episodes is None:
        asked = document_messages(material.excerpts[0], instructions=wanted)
    else:
        asked = conversation_messages(material.excerpts, material.before, source=material.source, instructions=wanted)
    return {"messages": asked, "schema": FACT_SCHEMA, "max_tokens": ANSWER_TOKENS}


def accept_facts(host: Host, tx: Writer, item: WorkItem, result: Mapping[str, Any]) -> None:
    """Accept the answer to a group: what its source bears out becomes candidates.

    Args:
        host: the truth plane's adapters.
        tx: the transaction that settles the item.
        item: the group.
        result: `text`, `model`, `node`, `tries`, and `broken` when the node could not get a whole answer.

    Raises:
        BadAnswer: there is nothing valid in it; the attempt has failed.
    """
    material = _material(tx, item)
    found = read_facts(str(result.get("text") or ""), material.excerpts, before=material.before, source=material.source)
    if not found.valid:
        raise BadAnswer(f"{NO_ANSWER} ({result.get('broken') or 'it was no list of facts'})")
    wanted = guidance.of_material(tx, material.space_id, material.document_id)
    version = f"{EXTRACT_PROMPT_VERSION}{GUIDED}" if wanted.instructions else EXTRACT_PROMPT_VERSION
    origin = Origin(
        model=str(result.get("model") or host.settings.llm_model or "unknown"), prompt_version=version,
        node=str(result["node"]) if result.get("node") else None,
    )  # fmt: skip
    facts = found.facts if material.document_id is None else without_echo(found.facts, material.content)
    rows = [
        (extracted.candidate(item, one, origin, **material.place(one)), reason)
        for excerpt in material.excerpts
        for one, reason in extracted.guarded(
            host, _of(facts, excerpt), excerpt.text, offset=excerpt.offset, wanted=wanted
        )
    ]
    extracted.keep(host, tx, item, rows)
    groups.note(tx, item, _outcome(found, result))


def _of(found: Sequence[Statement], excerpt: Excerpt) -> list[Statement]:
    """Return the facts that rest on one excerpt."""
    return [one for one in found if excerpt.index is None or one.position == excerpt.index]


def _outcome(found: Found, result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "facts": len(found.facts), "refused": dict(Counter(found.refused)), "refused_in_all": len(found.refused),
        "tries": int(result.get("tries") or 1), "bad": int(result.get("bad") or 0), "cut": not found.complete,
    }  # fmt: skip


def missing(tx: Writer, job: Job) -> str | None:
    """Say which groups of a job have failed or were cut; None when none was.

    Args:
        tx: the transaction that ends the job.
        job: which.
    """
    every = groups.of_job(tx, job.id)
    failed = [one for one in every if one.state == "failed"]
    if failed:
        return f"{len(failed)} of {len(every)} groups failed ({_named(failed)}): {failed[0].reason}"
    cut = [one for one in every if one.is_cut]
    if cut:
        return (
            f"{len(cut)} of {len(every)} groups state more than one answer holds ({_named(cut)}); what was read before"
            " it broke off is kept."
        )
    return None


def remark(tx: Writer, job: Job) -> str | None:
    """Say of how many groups every fact was refused, which an empty list of facts must not hide; None when of none.

    Args:
        tx: the transaction that ends the job.
        job: which.
    """
    every = groups.of_job(tx, job.id)
    hollow = [one for one in every if one.is_hollow]
    if not hollow:
        return None
    return (
        f"{len(hollow)} of {len(every)} groups gave only facts that their source does not bear out ({_named(hollow)})."
    )


def _named(which: Sequence[Group]) -> str:
    """Name groups by their positions: a heading would be content in a job, where nobody looks for it to erase it."""
    names = "; ".join(map(_name, which[:_MOST_NAMED]))
    rest = len(which) - _MOST_NAMED
    return f"{names}; and {rest} more" if rest > 0 else names


def _name(group: Group) -> str:
    kind = "message" if "session" in group.payload else "chunk"
    first, last = int(group.payload["from"]), int(group.payload["to"]) - 1
    run = f"{kind} {first}" if first == last else f"{kind}s {first} to {last}"
    return f"group {group.number}, {run}"


def _material(db: Reader | Writer, item: WorkItem) -> _Material:
    return _messages(db, item) if "session" in item.payload else _chunks(db, item)


def _chunks(db: Reader | Writer, item: WorkItem) -> _Material:
    document_id, number = str(item.payload["document"]), int(item.payload["revision"])
    document = documents.by_id(db, document_id)
    content = documents.revision(db, document_id, number).content
    group = chunks.of(db, document_id, number)[int(item.payload["from"]) : int(item.payload["to"])]
    excerpt = Excerpt(
        text=content[group[0].start : group[-1].end], offset=group[0].start, speaker=document.title,
        recalled=recalled_within(content, group[0].start, group[-1].end),
        said_at=document.document_date, said_zone=document.document_zone,
        about="; ".join(dict.fromkeys(" > ".join(one.heading) for one in group if one.heading)),
    )  # fmt: skip
    return _Material(
        space_id=documents.place_of(db, document_id).space_id, excerpts=(excerpt,), before=(), source="",
        document_id=document_id, revision=number, content=content,
        chunks=tuple((one.id, one.start, one.end) for one in group),
    )  # fmt: skip


def _messages(db: Reader | Writer, item: WorkItem) -> _Material:
    payload = item.payload
    session = sessions.by_id(db, str(payload["session"]))
    first, after = int(payload["from"]), int(payload["to"])
    said = episodes.between(db, session.id, start=max(0, first - CONTEXT_MESSAGES), end=after)
    window = [one for one in said if one.index >= first]
    start, end = int(payload.get("start") or 0), payload.get("end")
    return _Material(
        space_id=session.space_id,
        excerpts=tuple(_excerpt(one, start, end) for one in window if _role(one) != "system"),
        before=tuple(_excerpt(one) for one in said if one.index < first and _role(one) != "system"),
        source=session.conversation_id or "conversation",
        episodes={one.index: one.id for one in window},
    )


def _role(episode: Episode) -> str:
    """Return the role as extraction takes it: a call, an outcome or an error states as little as what a tool says."""
    return episode.role if episode.kind == "turn" else "tool"


def _excerpt(episode: Episode, start: int = 0, end: int | None = None) -> Excerpt:
    text = episode.content[start:end]
    return Excerpt(
        text=text, offset=start, speaker=episode.name or episode.role, role=_role(episode), index=episode.index,
        said_at=episode.said_at, said_zone=episode.said_zone,
        recalled=recalled_within(episode.content, start, start + len(text), message=True),
    )  # fmt: skip


COMPLETIONS = {TASK: accept_facts}
MESSAGES = {TASK: extract_message}
