"""Drives reconcile alone: candidates with given vectors, judges that answer when the test says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inference.fake_words import word_vectors
from memory.judging import PAIR_LETTERS
from memory.records import FOREVER, Actor, Message, Micros, Scope
from memory.statements import equality_key
from memory.vectors import encode_vectors
from services import asking, handlers, reconcile
from services.fake_models import WordModels
from services.fakes import RecordingQueue, Sent, SteppedClock, fake_host
from services.writer import WriterLease
from store import candidates, episodes, generations, sessions, spaces
from store import ledger as ledger_rows
from store.candidates import Candidate

PERSON = Actor(kind="person", id="local")
AGENT = Actor(kind="agent", id="helper")
HOME = Scope(tenant="default", spaces=("home",))
DAY: Micros = 86_400_000_000

# (old, new) -> a verdict, or the probability of each.
Judge = Callable[[str, str], str | Mapping[str, float]]
_SHOWN = re.compile(r"OLD(?: \(.*?\))?: (.*)\nNEW(?: \(.*?\))?: (.*)\nLetter:")


def vector(*topics: int, own: int = 0) -> bytes:
    """Return a vector of length 1 with a cosine of 0.7 to others of the same single topic, and 0 to other topics."""
    axis = np.zeros(384, dtype=np.float32)
    for topic in topics:
        axis[topic] = np.sqrt(0.7 / len(topics))
    axis[100 + own % 284] = np.sqrt(0.3)
    return axis.tobytes()


class Reconciling:
    """A writer with a store, whose judges are answered by hand."""

    def __init__(self, folder: Path, judge: Judge | None = None) -> None:
        """Start with an empty space; without a judge the rules decide."""
        self.clock = SteppedClock()
        self.queue = RecordingQueue()
        host = fake_host(folder, clock=self.clock, queue=self.queue, models=WordModels(), **handlers.OF_HOST)
        url = "http://llm" if judge else ""
        self.host = replace(host, settings=replace(host.settings, llm_url=url, interactive_timeout=0.0))
        self.judge: Judge = judge or (lambda old, new: "distinct")
        self.writer = WriterLease(self.host, "test")
        self.writer.renew()
        with self.host.store.write("default") as tx:
            self.space_id = spaces.ensure(HOME, tx, at=self.clock())
            sessions.ensure(
                HOME, tx, session_id="ses_1", space_id=self.space_id, conversation_id="talk", at=self.clock()
            )
        self._said = 0

    def propose(
        self, text: str, vec: bytes, *, said_at: Micros | None = None, confidence: float = 0.7, run: bool = True
    ) -> int:
        """Let a candidate become ready; returns its sequence number."""
        at = self.clock()
        episode = f"ep_{self._said}"
        job = f"job_{self._said}"
        message = Message(role="user", content=text, said_at=said_at)
        with self.host.store.write("default") as tx:
            new = episodes.NewEpisode(id=episode, message=message, tokens=1, salt=b"s" * 16)
            episodes.append(tx, "ses_1", [new], at=at)
            ledger_rows.add_job(tx, id=job, space_id=self.space_id, kind="conversation", session_id="ses_1", at=at)
            one = Candidate(
                space_id=self.space_id, job_id=job, statement=text, quote=text, start=0, end=len(text),
                position=self._said, kind="fact", confidence=confidence, model="test", said_at=said_at,
                equality_key=equality_key(text, None), episode_id=episode,
            )  # fmt: skip
            (seq,) = candidates.add(tx, [one], at=at)
            generation = generations.for_vectors(tx, model="all-MiniLM-L6-v2", dimension=384, at=at)
            candidates.set_vector(tx, seq, vector=vec, generation_id=generation)
        self._said += 1
        self.clock.advance(0.001)
        if run:
            self.run()
        return seq

    def run(self) -> None:
        """Let the writer do what it can."""
        reconcile.run(self.host, self.writer, "default")

    @property
    def asked(self) -> list[Sent]:
        """The judges' work items that are out, oldest first."""
        return [message for message in self.queue.waiting if message.task == "judge.options"]

    def answer(self, which: int = 0) -> None:
        """Let one of the judges' work items that are out be answered."""
        message = self.asked[which]
        self.queue.waiting.remove(message)
        self.clock.advance(0.001)
        answers = [self._answer(one) for one in message.payload["questions"]]
        result = {"status": "done", "node": "n1", "answers": answers}
        item, attempt = message.payload["item"], message.payload["attempt"]
        reconcile.item_done(self.host, self.writer, "default", item, attempt, result)

    def _answer(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        old, new = _SHOWN.search(question["messages"][-1]["content"]).groups()  # type: ignore[union-attr]
        said = self.judge(old, new)
        shares = {said: 1.0} if isinstance(said, str) else said
        letters = {letter: shares.get(verdict, 0.0) for letter, verdict in PAIR_LETTERS.items()}
        return {"id": question["id"], "probabilities": letters if shares else {}, "model": "scripted", "ms": 1}

    def answer_all(self) -> None:
        """Answer until nothing is asked any more."""
        while self.asked:
            self.answer()

    def carried(self, asks: Callable[[], Any]) -> Any:
        """Do something that asks the writer, and let the writer do it meanwhile."""
        send = self.queue.send

        def at_once(task: str, message: Mapping[str, Any], *, queue: str) -> None:
            send(task, message, queue=queue)
            reconcile.settle_requests(self.host, self.writer, "default")

        self.queue.send = at_once  # type: ignore[method-assign]
        try:
            return asks()
        finally:
            self.queue.send = send  # type: ignore[method-assign]

    def ask(self, kind: str, actor: Actor = PERSON, **payload: Any) -> Mapping[str, Any]:
        """Ask the writer for something and have it done; the payload may name whose it is."""
        whose = {"space": "home", "user": None, "agent": None, "session": None}
        done: Mapping[str, Any] = self.carried(lambda: asking.ask(HOME, self.host, actor, kind, {**whose, **payload}))
        return done

    def remember(
        self, text: str, vec: bytes, actor: Actor = PERSON, *, whose: Mapping[str, str] | None = None, **fields: Any
    ) -> Mapping[str, Any]:
        """Write a memory directly."""
        encoded = encode_vectors(np.frombuffer(vec, dtype="<f4")[None])
        item = {"content": text, "is_static": False, "kind": None, "metadata": {}, "valid_from": None, **fields}
        return self.ask("remember", actor, items=[{**item, "vector": encoded}], **(whose or {}))

    def change(self, memory_id: str, text: str, *, correction: bool = False) -> Mapping[str, Any]:
        """Change a memory."""
        encoded = encode_vectors(word_vectors([text], 384))
        return self.ask(
            "update", id=memory_id, content=None, new_content=text, vector=encoded, valid_from=None, metadata=None,
            correction=correction,
        )  # fmt: skip

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Ask the store."""
        with self.host.store.read("default") as db:
            return [tuple(row) for row in db.execute(query, values).fetchall()]

    def execute(self, statement: str, *values: Any) -> None:
        """Write to the store past the services."""
        with self.host.store.write("default") as tx:
            tx.execute(statement, values)

    def outcomes(self) -> list[tuple[str | None, str | None]]:
        """Return the outcome and reason of every candidate, in their order."""
        return self.rows("SELECT outcome, outcome_reason FROM candidate ORDER BY seq")

    def live(self) -> list[str]:
        """Return the statements that are believed to hold now."""
        return [
            row[0]
            for row in self.rows(
                """
                SELECT statement FROM memory JOIN validity ON validity.row_id = memory.row_id
                WHERE retired_at IS NULL AND valid_from <= ?1 AND valid_to > ?1 ORDER BY statement
                """,
                self.clock(),
            )
        ]

    def at(self, as_of: Micros) -> list[str]:
        """Return the statements that are believed now to have held at a time."""
        query = """
            SELECT statement FROM memory JOIN validity ON validity.row_id = memory.row_id
            WHERE retired_at IS NULL AND valid_from <= ?1 AND valid_to > ?1 ORDER BY statement
        """
        return [row[0] for row in self.rows(query, as_of)]

    def id_of(self, text: str) -> str:
        """Return the id of the newest memory with a statement."""
        return str(self.rows("SELECT id FROM memory WHERE statement = ? ORDER BY rowid DESC LIMIT 1", text)[0][0])

    def final(self) -> list[Any]:
        """Return what the store believes, without ids and times of recording: the same for the same outcome."""
        return sorted(
            self.rows(
                """
                SELECT statement, root.statement_ AS root, version, support, unjudged, historic,
                       (SELECT group_concat(span, ' ') FROM (
                           SELECT valid_from || ':' || valid_to AS span FROM validity
                           WHERE row_id = memory.row_id AND retired_at IS NULL ORDER BY valid_from))
                FROM memory JOIN (SELECT id AS root_id_, statement AS statement_ FROM memory) AS root
                  ON root_id_ = memory.root_id
                """
            ),
            key=str,
        )


def verdicts(**pairs: str) -> Judge:
    """Return a judge that knows some pairs by their first words, "old|new", and calls all others distinct."""
    return lambda old, new: pairs.get(f"{old.split()[0]}_{new.split()[0]}", "distinct")


__all__ = ["AGENT", "DAY", "FOREVER", "HOME", "PERSON", "Reconciling", "vector", "verdicts"]
