"""Candidates put straight into the store of a running stack, so that reconcile is measured and not the extraction.

They come with the vectors that the simulated nodes would give them. From there on everything is as for others: the
writer looks at them, asks judges through the queue, and settles them.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from inference.fake_words import word_vectors
from memory.records import Message, Micros, Scope
from memory.settings import Settings
from memory.statements import equality_key
from ops.launched import Launched, wait_until
from services.clock import system_clock
from store import candidates, episodes, generations, ledger, sendings, sessions, spaces
from store.connection import Store
from workers.transport import make_queue

TENANT = "default"
DIMENSION = 384
# Of one transaction: the writer is held up no longer than by an ingest.
_AT_ONCE = 500


class Candidates:
    """The candidates of a stack on this machine, from beside it."""

    def __init__(self, up: Launched) -> None:
        """Open the store, and the way to the writer."""
        self._store = Store(up.data_dir, clock=system_clock)
        self._queue = make_queue(Settings(data_dir=str(up.data_dir)))

    def close(self) -> None:
        """Let go of the files."""
        self._store.close()

    def add(self, space: str, texts: Sequence[str]) -> list[int]:
        """Let texts be what was said in a conversation each, and wake the writer; returns their sequence numbers."""
        seqs: list[int] = []
        for start in range(0, len(texts), _AT_ONCE):
            seqs += self._add(space, texts[start : start + _AT_ONCE])
        self._queue.send("reconcile.space", {"tenant": TENANT}, queue="reconcile")
        return seqs

    def _add(self, space: str, texts: Sequence[str]) -> list[int]:
        scope, at = Scope(tenant=TENANT, spaces=(space,)), system_clock()
        vectors = word_vectors(texts, DIMENSION)
        seqs: list[int] = []
        with self._store.write(TENANT) as tx:
            space_id = spaces.ensure(scope, tx, at=at)
            generation = generations.serving(tx)
            if generation is None:
                raise RuntimeError("there is no vector in the store yet; write something first")
            for text, vector in zip(texts, vectors, strict=True):
                name = uuid4().hex
                session, job, episode = f"ses_{name}", f"job_{name}", f"ep_{name}"
                sessions.ensure(scope, tx, session_id=session, space_id=space_id, conversation_id=name, at=at)
                message = episodes.NewEpisode(
                    id=episode, message=Message(role="user", content=text), tokens=1, salt=b"s" * 16
                )
                episodes.append(tx, session, [message], at=at)
                ledger.add_job(tx, id=job, space_id=space_id, kind="conversation", session_id=session, at=at)
                one = candidates.Candidate(
                    space_id=space_id, job_id=job, statement=text, quote=text, start=0, end=len(text), position=0,
                    kind="fact", confidence=0.8, model="benchmark", equality_key=equality_key(text, None),
                    episode_id=episode,
                )  # fmt: skip
                (seq,) = candidates.add(tx, [one], at=at)
                candidates.set_vector(tx, seq, vector=vector.astype("<f4").tobytes(), generation_id=generation.id)
                seqs.append(seq)
        return seqs

    def settled(self, seqs: Sequence[int]) -> list[Micros]:
        """Return when each of a run of candidates that is settled was, in order."""
        query = "SELECT settled_at FROM candidate WHERE seq BETWEEN ? AND ? AND state = 'settled' ORDER BY settled_at"
        with self._store.read(TENANT) as db:
            return [int(row["settled_at"]) for row in db.execute(query, (seqs[0], seqs[-1])).fetchall()]

    def await_settled(self, seqs: Sequence[int], *, seconds: float) -> None:
        """Wait until all of a run of candidates are settled."""
        what = f"{len(seqs)} candidates are settled"
        wait_until(lambda: len(self.settled(seqs)) == len(seqs), seconds=seconds, what=what)

    def state(self, space: str) -> list[tuple[str, str]]:
        """Return what a space's candidates came to, in words that do not depend on when: statement and outcome."""
        query = """
            SELECT statement, outcome FROM candidate JOIN space ON space.id = candidate.space_id
            WHERE space.name = ? AND state = 'settled' ORDER BY statement, outcome
        """
        with self._store.read(TENANT) as db:
            return [(row["statement"], row["outcome"]) for row in db.execute(query, (space,)).fetchall()]

    def questions(self, space: str) -> int:
        """Return how many questions the judges have answered about a space."""
        query = "SELECT count(*) FROM decision JOIN space ON space.id = decision.space_id WHERE space.name = ?"
        with self._store.read(TENANT) as db:
            return int(db.execute(query, (space,)).fetchone()[0])

    def out(self) -> int:
        """Return how many items are with the nodes, or in the broker for them."""
        with self._store.read(TENANT) as db:
            return sendings.count_out(db, "background")

    def waiting(self) -> int:
        """Return how many candidates are ready and not settled."""
        query = "SELECT count(*) FROM candidate WHERE state <> 'settled' AND state = 'ready'"
        with self._store.read(TENANT) as db:
            return int(db.execute(query).fetchone()[0])
