"""Server-sent events: the progress of a job, and an answer as it comes about.

    id: 5f1c0a9be2d4c781
    event: job
    data: {"id": "job_...", "state": "running", ...}

The id of a `job` event is a hash of its data, and each event is the whole state. So whoever comes back with
`Last-Event-ID` is told at once what it has missed, and nothing when it has missed nothing: there is no past to keep.
A comment is sent when there was nothing to tell for a while, so that a proxy keeps the connection and a caller that has
left is noticed. Once a stream has begun a failure is an event, `error`, in the one error shape.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Request, Response, current_app, g, request

from api import auth, render
from api.channels import WATCH
from api.context import caller, host, streams
from api.errors import INTERNAL, shape
from memory.errors import MemlaneError
from memory.records import Job, Scope, SearchQuery
from services import ask, jobs, progress, request_ids
from services.keys import LOCAL

log = logging.getLogger("memlane.api")

TYPE = "text/event-stream"
# Proxies close a connection that is silent for 60 s, some after 30.
BEAT_SECONDS = 15.0
# What a browser waits before it opens a stream again.
RETRY_MILLISECONDS = 2000
HEADERS = {"X-Accel-Buffering": "no"}  # nginx would hold events back until it has a page of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something to tell."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None

    def text(self) -> str:
        """Return it as it is sent."""
        # JSON text has no line ends, so it is one line of data.
        head = f"id: {self.id}\n" if self.id else ""
        return f"{head}event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n"


def wanted() -> bool:
    """Tell whether the caller asks for events in place of a JSON object."""
    return request.accept_mimetypes.best_match(["application/json", TYPE]) == TYPE


def job_events(whose: Scope, job_id: str) -> Response:
    """Answer with a stream of what becomes of a job; 204 when it has ended and the caller knows how.

    Args:
        whose: job it is.
        job_id: which.

    Raises:
        NotFound: there is none in the scope's spaces.
        Busy: there are as many streams open as may be.
    """
    known = request.headers.get("Last-Event-ID")
    first = jobs.get(whose, host(), job_id)
    if not first.is_open and known == _job_event(first).id:
        # A browser opens a stream that has ended again, until it is answered so.
        return Response(status=204)
    leave = streams().enter(caller().tenant, None if caller().actor == LOCAL else caller().actor.id)
    looks = progress.watch(whose, host(), job_id, seconds=host().settings.stream_seconds)
    answer = _stream(_with_beats(_job_events(looks, known), _Listener()))
    # Also when the stream is never begun, which the end of a generator would not notice.
    answer.call_on_close(leave)
    return answer


def answer_events(whose: Scope, query: SearchQuery) -> Response:
    """Answer a question with its evidence first, in an event `evidence`, and then the answer, in an event `answer`.

    What is refused before there is evidence is refused with a status, as without a stream.
    """
    steps = ask.in_steps(whose, host(), query)
    first = next(steps)
    return _stream(Event(name=name, data=render.answer(one)).text() for name, one in itertools.chain([first], steps))


def _job_events(looks: Iterator[Job | None], known: str | None) -> Iterator[Event | None]:
    for job in looks:
        event = _job_event(job) if job else None
        yield event if event and event.id != known else None
        known = None if event else known
        if job is not None and not job.is_open:
            yield Event(name="end", data={"state": job.state})


def _job_event(job: Job) -> Event:
    data = render.job(job)
    return Event(name="job", data=data, id=hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16])


class _Listener:
    """Who listens to the stream of the request under way."""

    def __init__(self) -> None:
        self._host, self._streams = host(), streams()
        self._request: Request = request._get_current_object()  # type: ignore[attr-defined]
        watch: Callable[[], Callable[[], bool]] = request.environ.get(WATCH, lambda: lambda: False)
        self._left = watch()

    @property
    def gone(self) -> bool:
        """Whether the caller has left, or the server ends."""
        return self._left() or self._streams.ended

    def ask_again(self) -> None:
        """Make sure that the caller may still listen.

        Raises:
            Unauthenticated: its key was revoked or has expired meanwhile.
        """
        auth.caller(self._host, self._request)


def _with_beats(events: Iterator[Event | None], listener: _Listener) -> Iterator[str]:
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    told = time.monotonic()
    for event in events:
        if listener.gone:
            return
        if event is None and time.monotonic() - told < BEAT_SECONDS:
            continue
        if event is None:
            listener.ask_again()
        told = time.monotonic()
        yield event.text() if event else ": still here\n\n"


def _stream(events: Iterator[str]) -> Response:
    """Return a stream, whose failures become its last event and whose log lines name the request."""
    request_id, opened = g.request_id, time.monotonic()

    def told() -> Iterator[str]:
        request_ids.begin(request_id)
        try:
            yield from events
        except MemlaneError as error:
            yield Event(name="error", data=shape(error.message, error.code, error.details)).text()
        except Exception as error:
            log.error("a stream failed: %s", type(error).__name__, exc_info=error)
            yield Event(name="error", data=shape(INTERNAL[1], INTERNAL[0], {"request_id": request_id})).text()
        finally:
            log.info("a stream ended after %.1f s", time.monotonic() - opened)
            # Whichever thread closes the stream, it works for nobody then.
            request_ids.begin(None)

    return current_app.response_class(told(), mimetype=TYPE, headers=HEADERS)
