"""Labels: what a person says a judge's answer should have been. Calibration rests on nothing else.

A label is one of the judge's options, or "not:" before its own verdict when a person only said that it is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from memory.calibration import NOT, UNDECIDED
from memory.errors import InvalidInput
from memory.judging import PAIR_LETTERS
from memory.records import Actor, MemoryKind, Micros, Page, Review, Scope
from services import asking
from services.host import Host
from services.persons import require_person
from store import labels
from store.connection import Reader, Writer
from store.decisions import Decision as Decision
from store.requests import Request

# What a resolution says of the two statements. Only what is clear: to keep what is known says nothing of whether the
# candidate contradicts it, and an edit is neither.
_MEANT: Mapping[str, str] = {"take_candidate": "update", "keep_both": "distinct"}


def listing(scope: Scope, host: Host, **which: Any) -> Page[Decision]:
    """Return one page of decisions, newest first; the arguments are those of `store.labels.listing`.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    with host.store.read(scope.tenant) as db:
        return labels.listing(scope, db, **which)


def get(scope: Scope, host: Host, decision_id: str) -> Decision:
    """Return one decision.

    Raises:
        NotFound: there is none that the scope may see.
    """
    with host.store.read(scope.tenant) as db:
        return labels.find(scope, db, decision_id)


def label(
    scope: Scope, host: Host, actor: Actor, decision_id: str, *, option: str | None = None, wrong: bool = False
) -> Decision:
    """Say what the answer of a judge should have been.

    Args:
        scope: whose.
        host: the adapters.
        actor: a person.
        decision_id: which answer.
        option: the right one; equal to the verdict it confirms it.
        wrong: the verdict is wrong, and no other option is named.

    Returns:
        The decision, with its label.

    Raises:
        PersonOnly: it is not a person who says so.
        InvalidInput: neither of the two or both, an option that the judge does not have, or "wrong" of an answer that
            was undecided.
        NotFound: there is no such decision.
    """
    require_person(actor)
    found = get(scope, host, decision_id)
    said = _checked(found, option, wrong=wrong)
    there = replace(scope, spaces=(str(found.space),))
    asking.ask(there, host, actor, "label", asking.payload_of(there, id=decision_id, label=said))
    return get(scope, host, decision_id)


def options(one: Decision) -> Sequence[str]:
    """Return what a judge can be said to have had to answer."""
    if one.judge == "pair":
        return tuple(PAIR_LETTERS.values())
    known = get_args(MemoryKind) if one.judge == "kind" else ()
    return tuple(dict.fromkeys((*known, *one.probabilities, *({one.verdict} - {UNDECIDED}))))


def _checked(one: Decision, option: str | None, *, wrong: bool) -> str:
    if (option is None) != wrong:
        raise InvalidInput("Send the right option as `label`, or `wrong`: true.", field="label")
    if option is None:
        if one.verdict == UNDECIDED:
            raise InvalidInput("The judge was undecided; say which option is right.", field="label")
        return f"{NOT}{one.verdict}"
    if option not in options(one):
        raise InvalidInput("This judge has no such option.", field="label", hint=f"One of {', '.join(options(one))}.")
    return option


def keep(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Keep a label, on the writer's side.

    Raises:
        PersonOnly: it is not a person who says so.
        NotFound: the decision is gone.
    """
    require_person(asked.actor)
    found = labels.find(asking.scope_of(tenant, asked.payload), tx, str(asked.payload["id"]))
    labels.set_label(tx, found.id, str(asked.payload["label"]), actor=asked.actor, at=host.clock())
    return {"id": found.id}


def from_resolution(tx: Writer, found: Review, resolution: str, *, actor: Actor, at: Micros) -> None:
    """Label the decision behind an entry of the review list, where its resolution says clearly what was right.

    What a person has said of the decision itself stays.
    """
    meant = _MEANT.get(resolution) if found.kind in ("contradiction", "unjudged") else None
    decision = behind(tx, found) if meant else None
    if meant is not None and decision is not None and decision.label is None:
        labels.set_label(tx, decision.id, meant, actor=actor, at=at)


def behind(db: Reader, found: Review) -> Decision | None:
    """Return the one decision that an entry rests on; None when there are several, or none."""
    judged = labels.of_candidate(db, found.candidate_seq) if found.candidate_seq is not None else []
    if found.decision_id is not None:
        about = [one for one in judged if one.id == found.decision_id]
    elif found.kind == "contradiction":
        about = [one for one in judged if one.other_id == found.memory_id]
    else:
        about = [one for one in judged if one.counted != "distinct"]
    return about[0] if len(about) == 1 else None


HANDLERS = {"label": keep}
