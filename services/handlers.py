"""What runs for each kind of request, for each task and for each tally, gathered from the modules that do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from services import (
    calibrating,
    edits,
    erasure,
    expiry,
    generations,
    ingest,
    judging,
    labelling,
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
    **calibrating.HANDLERS,
    **edits.HANDLERS,
    **erasure.HANDLERS,
    **expiry.HANDLERS,
    **generations.HANDLERS,
    **labelling.HANDLERS,
    **resolving.HANDLERS,
    **revisions.HANDLERS,
    **undoing.HANDLERS,
}
# By task.
COMPLETIONS: Mapping[str, Completion] = {**ingest.COMPLETIONS, **judging.COMPLETIONS}
MESSAGES: Mapping[str, Message] = {**ingest.MESSAGES, **judging.MESSAGES}
# By what a tally is counted for.
CONTINUATIONS: Mapping[str, Continuation] = {
    **ingest.CONTINUATIONS,
    **judging.CONTINUATIONS,
    **owed.CONTINUATIONS,
    **revisions.CONTINUATIONS,
}

# The fields of `Host` that are made of these.
OF_HOST: Mapping[str, Any] = {"completions": COMPLETIONS, "continuations": CONTINUATIONS, "messages": MESSAGES}
