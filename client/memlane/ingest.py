"""Hands files, pages and texts to the server and waits until each is done or failed."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from memlane.errors import Forbidden, MemlaneError, NotMemlane, Unauthenticated, Unreachable
from memlane.folders import Entry, Found, Skipped
from memlane.http import Client
from memlane.texts import Empty, NotText, read_file
from memlane.uploads import read_upload
from memlane.web_pages import Page

State = Literal["ingested", "unchanged", "skipped", "failed"]
Pause = Callable[[float], None]

# Polled at a time, oldest first: the server works in that order, so the others cannot be done yet.
WINDOW = 8
# A short document is done in about this time; a long one is asked about less and less often.
FIRST_PAUSE_SECONDS = 0.1
MOST_PAUSE_SECONDS = 1.0
PAUSE_GROWTH = 1.5
JOB_STATES: Mapping[str, State] = {"done": "ingested", "partial": "ingested", "failed": "failed", "cancelled": "failed"}
DOCUMENT_STATES: Mapping[str, State] = {"done": "ingested", "failed": "failed"}
# After one of these every further document would fail the same way.
HOPELESS = (Unreachable, NotMemlane, Unauthenticated, Forbidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What is said about every document of one run."""

    space: str | None = None
    date: str | None = None  # ISO 8601
    metadata: Mapping[str, Any] = field(default_factory=dict)
    custom_id: str | None = None  # instead of the one made from the path
    wait: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one entry."""

    path: str  # as shown
    state: State
    reason: str | None = None  # why skipped or failed, or a warning of a document that is done
    id: str | None = None  # of the document
    job_id: str | None = None
    custom_id: str | None = None


@dataclass(slots=True, kw_only=True)
class Report:
    """What became of a run."""

    outcomes: list[Outcome] = field(default_factory=list)
    stopped_by: MemlaneError | None = None  # what made it pointless to go on
    warnings: list[str] = field(default_factory=list)  # of the server, each once

    def counts(self) -> dict[str, int]:
        """Return how many entries ended in each state."""
        count = Counter(outcome.state for outcome in self.outcomes)
        return {state: count[state] for state in ("ingested", "skipped", "failed", "unchanged")}

    def exit_code(self) -> int:
        """Return 3 or 1 when something failed, 4 when there was nothing to ingest, else 0."""
        count = self.counts()
        if self.stopped_by is not None:
            return self.stopped_by.exit_code
        if count["failed"]:
            return 1
        return 0 if count["ingested"] + count["unchanged"] else 4


class Progress(Protocol):
    """Is told how a run goes."""

    def sent(self, path: str) -> None:
        """Note that a document was accepted."""
        ...

    def moved(self, path: str, status: str, done: int, total: int) -> None:
        """Note how far a document is: `done` of `total` work items."""
        ...

    def settled(self, outcome: Outcome) -> None:
        """Note that an entry is finished with."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    path: str
    id: str
    job_id: str | None
    custom_id: str | None


class Ingest:
    """One run over some entries."""

    def __init__(
        self,
        client: Client,
        how: How,
        progress: Progress,
        *,
        warn: Callable[[str], None] = lambda sentence: None,
        pause: Pause = time.sleep,
    ) -> None:
        """Prepare a run.

        Args:
            client: where documents go.
            how: what is said about them.
            progress: is told of every step.
            warn: is told each warning of the server once, at once: a run may wait long for what it warns of.
            pause: waits some seconds between two looks at a job.
        """
        self._client = client
        self._how = how
        self._progress = progress
        self._tell = warn
        self._pause = pause
        self._report = Report()

    def files(self, entries: Iterable[Entry | Page]) -> Report:
        """Hand in every file that was found and every page, and wait for them, unless told not to.

        Args:
            entries: as `folders.walk` yields them, and pages.

        Returns:
            The outcome of every entry.
        """
        sent: list[_Sent] = []
        for entry in entries:
            if isinstance(entry, Found):
                self._file(entry, sent)
            elif isinstance(entry, Page):
                self._send(entry.url, sent, content=entry, custom_id=self._how.custom_id or entry.custom_id)
            else:
                state: State = "skipped" if isinstance(entry, Skipped) else "failed"
                self._settle(Outcome(path=entry.shown, state=state, reason=entry.reason))
        self._wait(deque(sent))
        return self._report

    def text(self, text: str, *, shown: str) -> Report:
        """Hand in one text that has no file and wait for it, unless told not to."""
        sent: list[_Sent] = []
        self._send(shown, sent, content=text, custom_id=self._how.custom_id)
        self._wait(deque(sent))
        return self._report

    def _file(self, found: Found, sent: list[_Sent]) -> None:
        custom_id = self._how.custom_id or found.custom_id
        try:
            file = read_upload(found.path)
            text = read_file(found.path) if file is None else ""
        except NotText:
            self._settle(Outcome(path=found.shown, state="skipped", reason="not text"))
        except Empty:
            self._settle(Outcome(path=found.shown, state="skipped", reason="empty"))
        except OSError as error:
            self._settle(Outcome(path=found.shown, state="failed", reason=error.strerror or str(error)))
        else:
            named = {"title": found.title, "filepath": found.filepath}
            self._send(found.shown, sent, content=text if file is None else file, custom_id=custom_id, **named)

    def _send(
        self, shown: str, sent: list[_Sent], *, content: str | bytes | Page, custom_id: str | None, **named: Any
    ) -> None:
        if self._report.stopped_by is not None:
            self._settle(Outcome(path=shown, state="failed", reason="not sent", custom_id=custom_id))
            return
        how = self._how
        said = {"custom_id": custom_id, "space": how.space, "date": how.date, "metadata": how.metadata, **named}
        try:
            if isinstance(content, bytes):
                answer = self._client.add_file(str(named["title"]), content, **said)
            elif isinstance(content, Page):
                answer = self._client.add_document(url=content.url, **said)
            else:
                answer = self._client.add_document(content, **said)
        except MemlaneError as error:
            self._settle(Outcome(path=shown, state="failed", reason=_sentence(error), custom_id=custom_id))
            self._stop_if_hopeless(error)
            return
        self._warn(answer.get("warning"))
        one = _Sent(path=shown, id=str(answer["id"]), job_id=answer.get("jobId"), custom_id=custom_id)
        # Only what the server had before, word for word, is done the moment it is accepted.
        if answer.get("status") == "done":
            self._settle(_outcome(one, "unchanged"))
        elif how.wait:
            self._progress.sent(shown)
            sent.append(one)
        else:
            self._settle(_outcome(one, "ingested", "accepted, not waited for"))

    def _wait(self, waiting: deque[_Sent]) -> None:
        window: list[_Sent] = []
        seconds = FIRST_PAUSE_SECONDS
        while waiting or window:
            while waiting and len(window) < WINDOW:
                window.append(waiting.popleft())
            still = [one for one in window if not self._look(one)]
            if len(still) < len(window):
                seconds = FIRST_PAUSE_SECONDS
            elif still:
                self._pause(seconds)
                seconds = min(seconds * PAUSE_GROWTH, MOST_PAUSE_SECONDS)
            window = still

    def _look(self, one: _Sent) -> bool:
        if self._report.stopped_by is not None:
            self._settle(_outcome(one, "failed", "accepted, but the server could not be asked how it ended"))
            return True
        try:
            state, reason = self._by_job(one, one.job_id) if one.job_id else self._by_document(one)
        except MemlaneError as error:
            self._settle(_outcome(one, "failed", _sentence(error)))
            self._stop_if_hopeless(error)
            return True
        if state is not None:
            self._settle(_outcome(one, state, reason))
        return state is not None

    def _by_job(self, one: _Sent, job_id: str) -> tuple[State | None, str | None]:
        job = self._client.job(job_id, space=self._how.space)
        self._progress.moved(one.path, str(job["state"]), job.get("items_done") or 0, job.get("items_total") or 0)
        return JOB_STATES.get(job["state"]), job.get("reason") or job.get("warning")

    def _by_document(self, one: _Sent) -> tuple[State | None, str | None]:
        document = self._client.document(one.id, space=self._how.space)
        self._progress.moved(one.path, str(document["status"]), 0, 0)
        return DOCUMENT_STATES.get(document["status"]), document.get("errorMessage") or document.get("warning")

    def _settle(self, outcome: Outcome) -> None:
        self._report.outcomes.append(outcome)
        self._progress.settled(outcome)

    def _warn(self, warning: Any) -> None:
        if warning and warning not in self._report.warnings:
            self._report.warnings.append(str(warning))
            self._tell(str(warning))

    def _stop_if_hopeless(self, error: MemlaneError) -> None:
        if isinstance(error, HOPELESS):
            self._report.stopped_by = error


def _outcome(one: _Sent, state: State, reason: str | None = None) -> Outcome:
    return Outcome(path=one.path, state=state, reason=reason, id=one.id, job_id=one.job_id, custom_id=one.custom_id)


def _sentence(error: MemlaneError) -> str:
    return f"{error.message} {error.hint}" if error.hint else error.message
