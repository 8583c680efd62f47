"""Asks judges about a candidate and its nearest memories, and keeps what they answered.

Without a language model the rules answer inside the commit. With one, the questions are a work item of a node; the
answers come back as `item.done` and are kept as decisions until the candidate is settled.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.judging import (
    MOST_NEIGHBOURS,
    NEIGHBOUR_FLOOR,
    PAIR_LETTERS,
    PAIR_PROMPT_VERSION,
    Judged,
    Pair,
    pair_messages,
    read_pair,
    trusted,
)
from memory.pairs import rules as pair_rules
from memory.reconciliation import Neighbour
from memory.records import Job, Micros, Owner, WorkItem
from services.host import Host
from store import calibrations, candidates, decisions, generations, judgements, memories, memory_sources
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.connection import Reader, Writer
from store.decisions import Decision
from store.labels import JudgeName
from store.memories import VersionRef
from store.nearest import Near

log = logging.getLogger(__name__)

# Raised with every change of what the rules say, so that a decision names those it was made by.
RULES_VERSION = "rules-2"
RULES = JudgeName(judge="pair", model="rules", prompt_version=RULES_VERSION)

Verdicts = Mapping[str, Judged]  # by memory id


def near(host: Host, db: Reader, tenant: str, one: Candidate, owner: Owner, *, at: Micros) -> list[Near]:
    """Return the live memories that a candidate has to be compared with, nearest first.

    Vectors of two models are never compared: nothing is near to a candidate of another than the serving generation.
    """
    if not is_comparable(db, one):
        return []
    found = host.near.nearest(
        db, tenant, one.space_id, one.vector or b"", owner, at=at, floor=NEIGHBOUR_FLOOR, most=MOST_NEIGHBOURS + 1
    )
    return [each for each in found if each.version.id != one.written_id][:MOST_NEIGHBOURS]


def is_comparable(db: Reader, one: Candidate) -> bool:
    """Tell whether a candidate's vector is of the serving generation."""
    serving = generations.serving(db)
    return serving is not None and serving.id == one.generation_id


def begin_of(one: Candidate) -> Micros:
    """Return from when on a candidate holds: as stated, else since it was said, else since it came in."""
    if one.valid_from is not None:
        return one.valid_from
    return one.recorded_at if one.said_at is None else min(one.said_at, one.recorded_at)


def by_rules(host: Host, tx: Writer, one: Candidate, found: Sequence[Near], *, at: Micros) -> Verdicts:
    """Judge a candidate's pairs by the rules; what is not distinct is kept as a decision.

    What documents of different titles say, or parts of one document, is left to them: they may be built alike and speak
    of different things, which a rule does not see. A document's own revisions are told apart by what they share.
    """
    verdicts = {each.version.id: _by_rules(tx, one, each) for each in found}
    for memory_id, judged in verdicts.items():
        if judged.verdict != "distinct":
            _keep(host, tx, one, memories.by_id(tx, memory_id), judged, by=RULES, at=at)
    trust, _ = calibrations.trust(tx, RULES)
    return {memory_id: trusted(judged, trust) for memory_id, judged in verdicts.items()}


def _by_rules(tx: Writer, one: Candidate, each: Near) -> Judged:
    judged = pair_rules.judge_pair(_in_time(one, each))
    if judged.verdict != "distinct" and _of_another_thing(tx, one, each):
        return Judged(verdict="distinct", reason="a document says so")
    return judged


def _of_another_thing(tx: Writer, one: Candidate, each: Near) -> bool:
    """Tell whether documents of different titles, or parts of one document, say the two statements."""
    said = memory_sources.only_documents(tx, each.version.id) if one.document_id is not None else frozenset()
    return bool(said) and (each.version.speaker != one.speaker or one.document_id in said)


def answered(db: Reader, one: Candidate, found: Sequence[Near]) -> Verdicts | None:
    """Return the verdicts on a candidate's pairs; None when other memories, or others of their states, were judged."""
    judged = judgements.of_round(db, one.seq, one.round) if one.round else []
    asked = {(each.memory_id, each.mark) for each in judged}
    if asked != {(each.version.id, each.mark) for each in found}:
        return None
    return {
        each.memory_id: Judged(verdict=each.verdict or "undecided", probabilities=each.probabilities)  # type: ignore[arg-type]
        for each in judged
    }


def expect(host: Host, db: Reader, tenant: str, batch: Sequence[Candidate]) -> None:
    """Prepare to look for what is near to several candidates, whose vectors are of the serving generation."""
    spaces: dict[int, list[bytes]] = {}
    for one in batch:
        spaces.setdefault(one.space_id, []).append(one.vector or b"")
    for space_id, vectors in spaces.items():
        host.near.expect(db, tenant, space_id, vectors, floor=NEIGHBOUR_FLOOR)


def awaited(db: Reader, batch: Sequence[Candidate]) -> Mapping[int, list[str]]:
    """Return for each candidate whose judges have not answered the ids of the memories it is compared with, by seq."""
    return judgements.awaited(db, [one.seq for one in batch if one.round])


def ask(host: Host, tx: Writer, one: Candidate, found: Sequence[Near], *, at: Micros) -> None:
    """Queue the questions of a further round as one work item of the candidate's job."""
    judgements.ask(tx, one.seq, one.round + 1, found)
    payload = {"candidate": one.seq, "round": one.round + 1}
    ledger_rows.add_items(
        tx, job_id=one.job_id, task="judge.options", queue="background", payloads=[payload],
        continuation="candidate.judged", tally_payload={**payload, "job": one.job_id}, at=at,
    )  # fmt: skip


def compared(found: Sequence[Near], verdicts: Verdicts, one: Candidate) -> tuple[Neighbour, ...]:
    """Return the neighbours of a candidate with their verdicts, as the pure rules want them."""
    return tuple(
        Neighbour(
            id=each.version.id, verdict=verdicts[each.version.id].verdict, begins=each.begins,
            recorded_at=each.version.recorded_at, confidence=each.version.confidence,
            by_person=each.version.actor.kind == "person",
            replaceable=_could_replace(_in_time(one, each)),
            values_differ=pair_rules.differ_in_values(each.version.statement, one.statement),
        )
        for each in found
    )  # fmt: skip


def questions(host: Host, item: WorkItem) -> Mapping[str, Any]:
    """Return the message of a judge's work item: ids become texts only when it is sent."""
    seq, round_ = int(item.payload["candidate"]), int(item.payload["round"])
    with host.store.read(item.tenant) as db:
        found = candidates.by_seq(db, [seq])
        judged = judgements.of_round(db, seq, round_)
        asked = [
            {
                "id": each.memory_id, "letters": list(PAIR_LETTERS),
                "messages": pair_messages(_pair(found[0], memories.by_id(db, each.memory_id), each.similarity)),
            }
            for each in judged
            if each.decision_id is None and found
        ]  # fmt: skip
    return {"questions": asked}


def accept(host: Host, tx: Writer, item: WorkItem, result: Mapping[str, Any]) -> None:
    """Keep a judge's answers as decisions; answers on what was erased meanwhile are dropped."""
    seq, round_ = int(item.payload["candidate"]), int(item.payload["round"])
    found = candidates.by_seq(tx, [seq])
    if not found:
        return
    for answer in result["answers"]:
        memory_id = str(answer["id"])
        old = memories.find(tx, memory_id)
        if old is None:
            continue
        judged = read_pair({str(k): float(v) for k, v in answer["probabilities"].items() if k in PAIR_LETTERS})
        decision_id = _keep(
            host, tx, found[0], old, judged, by=_model(answer.get("model") or "llm"), at=host.clock(),
            node=result.get("node"), milliseconds=answer.get("ms"),
        )  # fmt: skip
        judgements.answer(tx, seq, round_, memory_id, decision_id)


def exhausted(host: Host, tx: Writer, job: Job, payload: Mapping[str, Any]) -> None:
    """Let a round whose work item failed end without a verdict: the candidate is settled the safe way."""
    seq, round_ = int(payload["candidate"]), int(payload["round"])
    found = candidates.by_seq(tx, [seq])
    for each in judgements.of_round(tx, seq, round_) if found else []:
        old = memories.find(tx, each.memory_id)
        if each.decision_id is None and old is not None:
            decision_id = _keep(host, tx, found[0], old, read_pair({}), by=_model(""), at=host.clock())
            judgements.answer(tx, seq, round_, each.memory_id, decision_id)


def _pair(one: Candidate, old: VersionRef, similarity: float) -> Pair:
    return Pair(
        old=old.statement, new=one.statement, similarity=similarity, old_speaker=old.speaker, new_speaker=one.speaker,
        old_at=old.said_at, new_at=one.said_at,
    )  # fmt: skip


def _in_time(one: Candidate, each: Near) -> Pair:
    """Return a candidate's pair with what became true first as OLD: what was said earlier may come in later."""
    pair = _pair(one, each.version, each.similarity)
    if begin_of(one) >= each.begins:
        return pair
    return replace(
        pair, old=pair.new, new=pair.old, old_speaker=pair.new_speaker, new_speaker=pair.old_speaker,
        old_at=pair.new_at, new_at=pair.old_at,
    )  # fmt: skip


def _could_replace(pair: Pair) -> bool:
    return pair_rules.could_replace(pair.old, pair.new, same_speaker=pair.old_speaker == pair.new_speaker)


def _model(name: object) -> JudgeName:
    return JudgeName(judge="pair", model=str(name), prompt_version=PAIR_PROMPT_VERSION)


def _keep(
    host: Host,
    tx: Writer,
    one: Candidate,
    old: VersionRef,
    judged: Judged,
    *,
    by: JudgeName,
    at: Micros,
    node: str | None = None,
    milliseconds: int | None = None,
) -> str:
    """Log what a judge said, and beside it what that counts as under the active calibration."""
    trust, calibration_id = calibrations.trust(tx, by)
    counts = trusted(judged, trust).verdict
    decision = Decision(
        id=host.new_id("dec"), space_id=one.space_id, judge=by.judge, candidate_seq=one.seq or None,
        memory_id=one.written_id, other_id=old.id, inputs={"old": old.statement, "new": one.statement},
        probabilities=judged.probabilities, verdict=judged.verdict, model=by.model, prompt_version=by.prompt_version,
        node=node, milliseconds=milliseconds, at=at, relabelled=None if counts == judged.verdict else counts,
        calibration_id=calibration_id,
    )  # fmt: skip
    decisions.add(tx, decision)
    return decision.id


MESSAGES: Mapping[str, Callable[[Host, WorkItem], Mapping[str, Any]]] = {"judge.options": questions}
COMPLETIONS = {"judge.options": accept}
CONTINUATIONS = {"candidate.judged": exhausted}
