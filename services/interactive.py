"""Model calls that somebody waits for: through the queue with a deadline, or straight to a server when that fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from memory.errors import BrokerDown, MemlaneError, ModelRefused, ModelTimeout, ModelUnavailable
from memory.fleet import Role
from memory.ports import Embedded, LookAtFleet, Queue, Replies, Reranked
from memory.vectors import decode_vectors
from services.direct_models import DirectModels
from services.node_servers import able, well
from services.rerank_parts import Floats, joined, part_positions

log = logging.getLogger(__name__)

DIRECT = "The queue is down; a model server was asked directly."
UNANSWERED = "No worker answered; a model server was asked directly."
QUERY_CUT = "The query is longer than the model reads; only its beginning was compared."
PASSAGES_CUT = "Some texts are longer than the reranker reads; only their beginnings were compared."

# Of the time a call may take; the rest is for asking a server directly when nobody has answered.
QUEUE_SHARE = 0.6
LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """Questions that are under way."""

    reply: str  # the list on which the answers come
    role: Role
    until: float  # monotonic seconds: how long they are waited for
    count: int


class RedisInteractive:
    """The port `InteractiveModels`: a task with a deadline and a reply list."""

    def __init__(
        self,
        *,
        queue: Queue,
        replies: Replies,
        direct: DirectModels,
        look: LookAtFleet,
        dimension: int,
        seconds: float,
        question_seconds: float | None = None,
    ) -> None:
        """Keep the ways to a model.

        Args:
            queue: carries the question.
            replies: carries the answer.
            direct: asked when the broker is down or nobody answers.
            look: sees which workers take interactive work.
            dimension: length of a vector.
            seconds: how long a call may take in all.
            question_seconds: how long one may that was started, and that the caller can do without; None: as long.
        """
        self._queue = queue
        self._replies = replies
        self._direct = direct
        self._look = look
        self._dimension = dimension
        self._seconds = seconds
        self._question_seconds = seconds if question_seconds is None else min(seconds, question_seconds)

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed a few short texts.

        Args:
            texts: what to embed; of one that is longer than the model reads, the beginning.

        Returns:
            Vectors, with `degraded` when the queue was passed by or a text was cut.

        Raises:
            ModelUnavailable: no node could be reached, directly either.
            ModelTimeout: no answer before the deadline.
            ModelRefused: the model answered with an error.
        """
        return self._start(texts, self._seconds)()

    def start_embedding(self, texts: Sequence[str]) -> Callable[[], Embedded]:
        """Send a question to embed texts that the caller can do without; see `embed`.

        Args:
            texts: what to embed.

        Returns:
            Waits for the answer, or asks a server directly when the queue has none; not longer than a search may wait.
        """
        return self._start(texts, self._question_seconds)

    def _start(self, texts: Sequence[str], seconds: float) -> Callable[[], Embedded]:
        until = time.monotonic() + seconds
        try:
            sent = self._send("embed.texts", "embed", [{"texts": list(texts)}], seconds)
        except _PassedBy as passed:
            return partial(self._embed_directly, texts, until, passed.why)
        return lambda: self._embedded(sent, texts, until)

    def _embedded(self, sent: _Sent, texts: Sequence[str], until: float) -> Embedded:
        try:
            ((_, answer),) = self._answers(sent)
        except _PassedBy as passed:
            return self._embed_directly(texts, until, passed.why)
        vectors, cut = decode_vectors(answer["vectors"], self._dimension), bool(answer.get("cut"))
        return Embedded(vectors=vectors, cut=cut, degraded=QUERY_CUT if cut else None)

    def _embed_directly(self, texts: Sequence[str], until: float, why: str) -> Embedded:
        fitted = self._direct.embed(texts, seconds=until - time.monotonic())
        return Embedded(
            vectors=fitted.values, cut=fitted.cut, degraded=_sentences(why, QUERY_CUT if fitted.cut else None)
        )

    def rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None) -> Reranked:
        """Score passages against a query, on as many nodes as there are for it.

        Args:
            query: what they are scored against.
            passages: what to score.
            idf: weights of terms; None for uniform ones.

        Returns:
            Raw scores, or none and the reason why; never raises for a model or broker that does not answer. What part
            of the fleet did not score in time is `missing`, and `degraded` says how much that is.
        """
        if not passages:
            return Reranked(scores=np.zeros(0, dtype=np.float32))
        try:
            return self._rerank(query, passages, idf)
        except MemlaneError as error:
            log.warning("not reranked: %s", error.message)
            return Reranked(scores=None, degraded=f"The results were not reranked: {error.message}")

    def _rerank(self, query: str, passages: Sequence[str], idf: Mapping[str, float] | None) -> Reranked:
        until = time.monotonic() + self._seconds
        parts = part_positions(len(passages), len(able(self._look(), "rerank")) or 1)
        questions = [{"query": query, "passages": [passages[at] for at in part], "idf": idf} for part in parts]
        answers: dict[int, Floats] = {}
        notes: list[str | None] = []
        why: str | None = None
        refusal: MemlaneError | None = None
        try:
            for number, answer in self._answers(self._send("rerank.pairs", "rerank", questions, self._seconds)):
                answers[number] = np.asarray(answer["scores"], dtype=np.float32)
                notes += [PASSAGES_CUT] if answer.get("cut") else []
        except _PassedBy as passed:
            why = passed.why
        except MemlaneError as error:
            refusal = error
        for number in range(len(parts)) if why else ():
            left = until - time.monotonic()
            if number not in answers and left > 0:
                try:
                    fitted = self._direct.rerank(query, [passages[at] for at in parts[number]], idf, seconds=left)
                except MemlaneError as error:
                    refusal = error
                    break
                answers[number] = fitted.values
                notes += [why, PASSAGES_CUT if fitted.cut else None]
        if not answers:
            raise refusal or ModelTimeout()
        scores, missing = joined(len(passages), parts, answers)
        if missing:
            reason = refusal.message if refusal else "no node answered in time."
            notes.append(f"{len(missing)} of {len(passages)} results were not reranked: {reason}")
        return Reranked(scores=scores, missing=missing, degraded=_sentences(*notes))

    def _send(self, task: str, role: Role, questions: Sequence[Mapping[str, Any]], seconds: float) -> _Sent:
        """Ask the lane.

        Args:
            task: its name.
            role: of the models that answer.
            questions: a message for each.
            seconds: how long the call may take in all.

        Raises:
            _PassedBy: the broker is down, or nobody takes the lane's work.
        """
        self._require_takers(role)
        share = seconds * QUEUE_SHARE
        reply, until = f"reply:{uuid4().hex}", time.monotonic() + share
        try:
            deadline = self._replies.now() + round(share * 1_000_000)
            for number, question in enumerate(questions):
                message = {**question, "reply": reply, "deadline": deadline, "part": number}
                self._queue.send(task, message, queue="interactive")
        except BrokerDown as error:
            raise _PassedBy(DIRECT) from error
        return _Sent(reply=reply, role=role, until=until, count=len(questions))

    def _answers(self, sent: _Sent) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the answers as they come, each with the number of its question.

        Raises:
            _PassedBy: the broker went down, or a question has no answer in time; those that have been yielded stand.
            ModelError: what was asked is at fault.
        """
        try:
            yield from self._taken(sent)
        except BrokerDown as error:
            raise _PassedBy(DIRECT) from error
        except (TimeoutError, ModelUnavailable) as error:
            log.info("no answer to %s: %s", sent.role, error)
            raise _PassedBy(UNANSWERED) from error

    def _taken(self, sent: _Sent) -> Iterator[tuple[int, Mapping[str, Any]]]:
        refusal: MemlaneError | None = None
        for _ in range(sent.count):
            answer = self._wait(sent.reply, sent.role, sent.until)
            if "error" in answer:
                refusal = refusal if isinstance(refusal, ModelRefused) else _error(answer["error"])
            else:
                yield int(answer.get("part", 0)), answer
        if refusal is not None:
            raise refusal

    def _wait(self, reply: str, role: Role, until: float) -> Mapping[str, Any]:
        """Wait for an answer, but not for nobody: once a second it is asked whether anyone still takes questions."""
        while True:
            left = until - time.monotonic()
            try:
                return self._replies.wait(reply, seconds=max(0.0, min(left, LOOK_SECONDS)))
            except TimeoutError:
                if left <= LOOK_SECONDS:
                    raise
            # One that was paused meanwhile finishes what it holds.
            if (sight := self._look(fresh=True)).broker and not well(sight, role):
                raise TimeoutError("nobody can answer any more")

    def _require_takers(self, role: Role) -> None:
        """Pass the queue by when it is down, or when it is known that no worker would take the question."""
        sight = self._look()
        if sight.broker is not None and not able(sight, role):
            # A second old is too old to decide this by: the worker may just have been started.
            sight = self._look(fresh=True)
        if sight.broker is False:
            raise _PassedBy(DIRECT)
        if sight.broker and not able(sight, role):
            raise _PassedBy(UNANSWERED)


class _PassedBy(Exception):
    """The queue has no answer; the servers are to be asked directly."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def _error(said: Mapping[str, Any]) -> MemlaneError:
    if said.get("node_at_fault"):
        return ModelUnavailable(said["message"])
    kinds = {kind.code: kind for kind in (ModelUnavailable, ModelTimeout)}
    return kinds.get(said["code"], ModelRefused)(said["message"])


def _sentences(*notes: str | None) -> str | None:
    return " ".join(dict.fromkeys(note for note in notes if note)) or None
