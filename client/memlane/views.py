"""What each answer looks like to a person: from the JSON of a route to text and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memlane.render import Block, Rows, one_line

Json = Mapping[str, Any]

# Evidence is shown to be recognised: two lines of a terminal.
EVIDENCE_CHARS = 160


def fields(answer: Json) -> Iterator[Block]:
    """Show every value of a nested answer as `name  value`."""
    yield Rows(columns=("name", "value"), rows=list(_leaves("", answer)))


def health(answer: Json) -> Iterator[Block]:
    """Show what health rests on, and each warning on a line of its own."""
    yield from fields({name: value for name, value in answer.items() if name != "warnings"})
    for warning in answer.get("warnings", ()):
        yield f"Warning: {one_line(warning)}"


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, list):
        if not any(isinstance(inner, Mapping | list) for inner in value):
            yield name, ", ".join(str(inner) for inner in value)
            return
        for index, inner in enumerate(value):
            yield from _leaves(f"{name}.{index}", inner)
    else:
        yield name, value


def found(answer: Json) -> Iterator[Block]:
    """Show search results: similarity, id, text and where it comes from."""
    rows = [
        (_score(hit.get("similarity")), hit["id"], hit.get("memory") or hit.get("chunk"), _origins(hit))
        for hit in answer["results"]
    ]
    yield Rows(columns=("score", "id", "text", "source"), rows=rows)
    explained = [(hit["id"], _parts(hit["explain"])) for hit in answer["results"] if hit.get("explain")]
    if explained:
        yield Rows(columns=("id", "parts of the score"), rows=explained)


def answered(answer: Json) -> Iterator[Block]:
    """Show an answer, its numbered evidence and what it saved."""
    yield str(answer["answer"])
    for citation in answer["citations"]:
        yield f"[{citation['n']}] {_beginning(citation['text'])}  ({citation['id']}, {_origins(citation) or 'direct'})"
    tokens = answer["tokens"]
    # A fact that was written directly has no source that it saves reading.
    instead = f" for {tokens['source']} tokens of source" if tokens["source"] else ""
    yield f"{tokens['context']} tokens of context{instead}, by {answer['model']}"


def _beginning(text: Any) -> str:
    """Return the first words of a piece of evidence on one line; `--json` has all of it."""
    words = " ".join(str(text).split())
    return one_line(words if len(words) <= EVIDENCE_CHARS else f"{words[:EVIDENCE_CHARS].rsplit(' ', 1)[0]} ...")


def remembered(answer: Json) -> Iterator[Block]:
    """Show what was written: id and text; or that it is still to be written."""
    if "memories" in answer:
        yield Rows(columns=("id", "memory"), rows=[(memory["id"], memory["memory"]) for memory in answer["memories"]])
    else:
        yield from pending(answer)


def pending(answer: Json) -> Iterator[Block]:
    """Show a change that is kept and was not carried out in the time a request waits."""
    yield f"pending  {answer.get('id', '')}"


def memories(entries: Sequence[Json]) -> Iterator[Block]:
    """Show memories: id, version, state and text."""
    rows = [
        (entry["id"], entry.get("version"), _liveness(entry), entry.get("memory"), entry.get("updatedAt"))
        for entry in entries
    ]
    yield Rows(columns=("id", "version", "state", "memory", "updated"), rows=rows)


def versions(answer: Json) -> Iterator[Block]:
    """Show the versions of a memory, oldest first."""
    rows = [
        (entry["id"], entry.get("version"), _liveness(entry), entry.get("memory"), _windows(entry), _origins(entry))
        for entry in answer.get("versions", ())
    ]
    yield Rows(columns=("id", "version", "state", "memory", "valid", "source"), rows=rows)


def candidates(answer: Json) -> Iterator[Block]:
    """Show what would be forgotten, and the command that does it."""
    yield Rows(columns=("score", "id", "memory"), rows=_matches(answer["candidates"]))
    yield f"{len(answer['candidates'])} would be forgotten; nothing was changed. To forget exactly these:"
    yield f"  {answer['apply']}"


def forgotten(answer: Json) -> Iterator[Block]:
    """Show what was forgotten, and the command that restores it."""
    if answer.get("status") == "pending":
        yield from pending(answer)
        return
    yield Rows(columns=("score", "id", "memory"), rows=_matches(answer["forgotten"]))
    yield f"{len(answer['forgotten'])} forgotten. To restore:"
    yield f"  {answer['restore']}"


def restored(answer: Json) -> Iterator[Block]:
    """Show what is live again."""
    if answer.get("status") == "pending":
        yield from pending(answer)
        return
    entries = answer.get("memories", [answer])
    yield Rows(columns=("id", "memory"), rows=[(entry["id"], entry.get("memory")) for entry in entries])
    yield f"{len(entries)} restored"


def compressed(answer: Json) -> Iterator[Block]:
    """Show a compressed text and nothing else, so that it can be piped on."""
    yield str(answer["text"])


def ingested(answer: Json) -> Iterator[Block]:
    """Show what was skipped, then the sum."""
    for outcome in answer["documents"]:
        if outcome["state"] == "skipped":
            yield f"skipped  {one_line(outcome['path'])}: {outcome['reason']}"
    yield summary(answer["summary"])


def summary(count: Json) -> str:
    """Return the last line of an ingest."""
    line = f"{count['ingested']} ingested, {count['skipped']} skipped, {count['failed']} failed"
    return f"{line}, {count['unchanged']} unchanged" if count["unchanged"] else line


def jobs(entries: Sequence[Json]) -> Iterator[Block]:
    """Show jobs: id, state, progress, what they work on and why they failed."""
    rows = [
        (job["id"], job["state"], progress(job), job.get("document_id") or job.get("session_id"), job.get("reason"))
        for job in entries
    ]
    yield Rows(columns=("id", "state", "items", "of", "reason"), rows=rows)


def progress(job: Json) -> str:
    """Return how far a job is, as `done/total`."""
    return f"{job.get('items_done') or 0}/{job.get('items_total') or 0}"


def job_line(job: Json) -> str:
    """Return one line of a watched job."""
    return "  ".join(part for part in (job["id"], job["state"], progress(job), job.get("reason") or "") if part)


def nodes(answer: Json) -> Iterator[Block]:
    """Show nodes: lanes now, state, what is in flight, temperature, memory, models, until when paused, and why."""
    columns = (
        "name",
        "card",
        "lanes",
        "state",
        "in flight",
        "waited",
        "bad answers",
        "°C",
        "memory",
        "models",
        "paused until",
        "why",
    )
    yield Rows(columns=columns, rows=[_node(node) for node in answer["nodes"]], below="why")


def _node(node: Json) -> tuple[Any, ...]:
    waits = node.get("queue_wait_seconds") or {}
    models = [
        f"{one['model'] or one['role']}{'' if one['healthy'] else ' (failing)'}" for one in node.get("models", ())
    ]
    return (
        node["name"],
        node["card"],
        ", ".join(node["lanes"]) or "none",
        node["state"],
        node["in_flight"],
        f"{max(waits.values()):.1f} s" if waits else None,
        node.get("bad_answers"),
        None if node.get("celsius") is None else round(node["celsius"]),
        _share(node.get("memory_used_bytes"), node.get("memory_total_bytes")),
        ", ".join(dict.fromkeys(models)),
        node["paused_until"],
        node["why"],
    )


def _share(used: int | None, total: int | None) -> str | None:
    return f"{100 * used / total:.0f} %" if used is not None and total else None


def _matches(matches: Sequence[Json]) -> list[tuple[Any, ...]]:
    return [(_score(match.get("score")), match["id"], match["memory"]) for match in matches]


def _score(value: Any) -> str:
    return "" if value is None else f"{value:.3f}"


def _parts(explain: Json) -> str:
    return "  ".join(
        f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value}" for name, value in explain.items()
    )


def _liveness(entry: Json) -> str:
    """Name the state of a version; `/v4` spells its keys in camelCase, `/v1` in snake_case."""
    if entry.get("isForgotten", entry.get("is_forgotten")):
        return "forgotten"
    if not entry.get("isLatest", entry.get("is_latest", True)):
        return "superseded"
    # The newest version of a chain can be disbelieved as well, as when its document says otherwise now.
    return "retired" if entry.get("isRetired", entry.get("is_retired", False)) else "live"


def _windows(entry: Json) -> str:
    return "; ".join(
        f"{window.get('valid_from') or ''}..{window.get('valid_to') or ''}" for window in entry.get("windows", ())
    )


def _origins(entry: Json) -> str:
    sources = entry.get("sources") or ([entry["source"]] if entry.get("source") else [])
    return "; ".join(dict.fromkeys(_origin(source) for source in sources))


def _origin(source: Json) -> str:
    """Name one source; `/v4` spells its keys in camelCase, `/v1` in snake_case."""
    conversation = source.get("conversationId") or source.get("conversation_id")
    if conversation:
        index = source.get("messageIndex", source.get("message_index"))
        return f"{conversation}#{index}"
    if source.get("kind") == "direct":
        return "direct"
    document = source.get("documentId") or source.get("document_id")
    return str(source.get("title") or document or source.get("id") or source.get("kind"))
