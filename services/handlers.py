"""What runs for each kind of request, for each task and for each tally, gathered from the modules that do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memory.records import WorkItem
from services import (
    bucket_changes,
    bucket_sets,
    bucketing,
    calibrating,
    correcting,
    edits,
    erasure,
    expiry,
    generations,
    import_steps,
    inferred,
    ingest,
    judging,
    labelling,
    merging,
    owed,
    resolving,
    revisions,
    undoing,
)
from services.host import Completion, Continuation, Host, Message
from store.connection import Writer
from store.requests import Request

Handler = Callable[[Host, Writer, str, Request], Mapping[str, Any]]

# What is asked of the writer, by kind; runs in its fenced transaction and returns the request's result.
REQUESTS: Mapping[str, Handler] = {
    **bucket_sets.HANDLERS,
    **bucket_changes.HANDLERS,
    **bucketing.HANDLERS,
    **calibrating.HANDLERS,
    **correcting.HANDLERS,
    **edits.HANDLERS,
    **erasure.HANDLERS,
    **expiry.HANDLERS,
    **generations.HANDLERS,
    **import_steps.HANDLERS,
    **inferred.HANDLERS,
    **labelling.HANDLERS,
    **merging.HANDLERS,
    **resolving.HANDLERS,
    **revisions.HANDLERS,
    **undoing.HANDLERS,
}


def _judge_questions(host: Host, item: WorkItem) -> Mapping[str, Any]:
    """Return the message of a judge's work item, which is about a candidate or about a bucket."""
    return bucketing.questions(host, item) if bucketing.is_mine(item) else judging.questions(host, item)


def _judge_answers(host: Host, tx: Writer, item: WorkItem, result: Mapping[str, Any]) -> None:
    """Keep the answers of a judge's work item."""
    accept = bucketing.accept if bucketing.is_mine(item) else judging.accept
    accept(host, tx, item, result)


# By task.
COMPLETIONS: Mapping[str, Completion] = {**ingest.COMPLETIONS, "judge.options": _judge_answers}
MESSAGES: Mapping[str, Message] = {**ingest.MESSAGES, "judge.options": _judge_questions}
# By what a tally is counted for.
CONTINUATIONS: Mapping[str, Continuation] = {
    **bucketing.CONTINUATIONS,
    **ingest.CONTINUATIONS,
    **judging.CONTINUATIONS,
    **owed.CONTINUATIONS,
    **revisions.CONTINUATIONS,
}

# The fields of `Host` that are made of these.
OF_HOST: Mapping[str, Any] = {"completions": COMPLETIONS, "continuations": CONTINUATIONS, "messages": MESSAGES}
