"""The writer's work: what was asked first, then candidates in batches, until nothing is ready.

Runs in the one process that holds the lease; every commit carries the lease's token and is refused once a newer
writer has been seen. Nothing here waits for a model.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from memory.errors import Fenced, MemlaneError
from memory.judging import NEIGHBOUR_FLOOR, Judged
from memory.neighbourhoods import Unsettled
from memory.records import FOREVER, Micros
from services import (
    configured_model,
    deciding,
    dispatching,
    erasure,
    judging,
    ledger,
    purging,
    request_ids,
    resegmenting,
    revisions,
    written,
)
from services.deciding import Settled
from services.handlers import REQUESTS
from services.host import Host
from services.judging import Verdicts
from services.writer import WriterLease
from store import candidates, requests, sendings
from store.candidates import Candidate
from store.connection import Writer
from store.nearest import Near
from store.savepoints import attempt

log = logging.getLogger(__name__)

Floats = npt.NDArray[np.float32]

# Candidates of a pass that may be left for later, most of them because they touch one that is under judgement.
WINDOW = 64
# Judges asked at a time for each slot. Twice what is out keeps every slot busy; more would only stand before the
# embeddings of what is ingested meanwhile, because items are sent in their order.
ASKED_PER_SLOT = 4
# A person's request waits for at most one pass.
PASS_SECONDS = 0.02
# Read at a time: about as many as a pass settles, so that few are read in vain.
BATCH = 16
# After so many a candidate runs alone in its space, and after so many further ones it is settled without a verdict.
MOST_REJUDGEMENTS = 2
ROUNDS_ALONE = 2


def item_done(
    host: Host, writer: WriterLease, tenant: str, item_id: int, attempt: int, result: Mapping[str, Any]
) -> None:
    """Accept the result of a work item, then do what that made possible."""
    with request_ids.working_for(None):
        settle_requests(host, writer, tenant)
    ledger.complete(host, tenant, item_id, attempt, result, token=token(writer))
    with host.store.read(tenant) as db:
        more = sendings.writer_has_work(db, before=FOREVER)
    if more:
        run(host, writer, tenant)


def run(host: Host, writer: WriterLease, tenant: str) -> None:
    """Do everything that is decided for a tenant; requests go first, between any two commits."""
    # Whoever woke the writer has no part in most of what it finds to do.
    with request_ids.working_for(None):
        cutting = resegmenting.turn(host, tenant, token(writer))
        more = True
        while more:
            settle_requests(host, writer, tenant)
            more = settle_candidates(host, writer, tenant)
            more = bool(next(cutting, 0)) or more
        purging.purge(host, tenant, token(writer))
        ledger.dispatch(host, tenant)


def token(writer: WriterLease) -> int:
    """Return the fencing token.

    Raises:
        Fenced: this process does not hold the lease.
    """
    if writer.token is None:
        raise Fenced("This process does not hold the writer's lease.")
    return writer.token


def settle_requests(host: Host, writer: WriterLease, tenant: str) -> None:
    """Carry out the waiting requests one by one, each in a commit of its own with its outcome."""
    configured_model.begin(host, tenant, token(writer))
    while True:
        with host.store.read(tenant) as db:
            asked = requests.next_waiting(db)
        if asked is None:
            return
        with request_ids.working_for(asked.caused_by), _knowledge(host, writer, tenant) as tx:
            _settle_request(host, tx, tenant, asked)


@contextmanager
def _knowledge(host: Host, writer: WriterLease, tenant: str) -> Iterator[Writer]:
    """Open a fenced transaction; when it is rolled back, what the memory index has read of it goes too."""
    try:
        with host.store.fenced(tenant, token(writer)) as tx:
            yield tx
    except BaseException:
        host.near.forget()
        raise


def _settle_request(host: Host, tx: Writer, tenant: str, asked: requests.Request) -> None:
    result: Mapping[str, Any] = {}
    with attempt(tx) as tried:
        result = REQUESTS[asked.kind](host, tx, tenant, asked)
    if tried.error is None:
        requests.settle(tx, asked.id, state="done", result=result, at=host.clock())
        return
    host.near.forget()
    if isinstance(tried.error, MemlaneError):
        _refuse(host, tx, asked, tried.error)
    else:
        # One request that breaks must not stand before all others for ever.
        log.error("request %s (%s) of tenant %s failed", asked.id, asked.kind, tenant, exc_info=tried.error)
        _refuse(host, tx, asked, MemlaneError(ledger.words(tried.error)))


def _refuse(host: Host, tx: Writer, asked: requests.Request, error: MemlaneError) -> None:
    """Keep why a request was not carried out; a step of a job, which nobody waits for, ends the job with it."""
    said = {"code": error.code, "message": error.message, "details": error.details}
    requests.settle(tx, asked.id, state="refused", result=said, at=host.clock())
    if asked.actor.kind == "pipeline":
        ledger.end_job(host, tx, str(asked.payload["job"]), state="failed", reason=error.message)


def settle_candidates(host: Host, writer: WriterLease, tenant: str) -> bool:
    """Make one pass over the oldest ready candidates in one commit.

    Returns:
        Whether its time was over before it had looked at all of them; if not, nothing can be done until an answer
        comes.
    """
    with host.store.read(tenant) as db:
        if not candidates.ready(db, limit=1):
            return False
    most_asked = ASKED_PER_SLOT * dispatching.background_slots(host)
    with _knowledge(host, writer, tenant) as tx:
        return _Pass(host, tx, tenant, most_asked=most_asked).run()


class _Kind(Protocol):
    """How a kind of candidate is read and settled: `services.deciding` for what was found, `services.written`."""

    def stale(self, tx: Writer, one: Candidate, *, at: Micros) -> str | None: ...

    def around(self, tx: Writer, one: Candidate, *, at: Micros) -> Any: ...

    def carry_out(
        self,
        host: Host,
        tx: Writer,
        one: Candidate,
        found: Any,
        near: Sequence[Near],
        verdicts: Verdicts,
        *,
        at: Micros,
    ) -> Settled: ...


class _Pass:
    """One pass over the candidates: each is settled, asked about, or left for later, in its order."""

    def __init__(self, host: Host, tx: Writer, tenant: str, *, most_asked: int) -> None:
        self._host, self._tx, self._tenant = host, tx, tenant
        self._may_ask = most_asked
        self._at = host.clock()
        self._unsettled = Unsettled(NEIGHBOUR_FLOOR)
        self._standing: dict[tuple[object, ...], str | None] = {}
        self._jobs: set[str] = set()
        self._done = False

    def run(self) -> bool:
        """Return whether its time was over before it had looked at all candidates."""
        ended = self._look(until=time.monotonic() + PASS_SECONDS)
        for job_id in self._jobs:
            revisions.settle_job(self._host, self._tx, job_id)
        return not ended

    def _look(self, *, until: float) -> bool:
        """Look at candidates until enough are left for later or asked about; False when the time is over before."""
        room, after = WINDOW, 0
        while room > 0 and self._may_ask > 0:
            batch = candidates.ready(self._tx, limit=min(room, BATCH), after=after)
            if not batch:
                break
            awaited = judging.awaited(self._tx, batch)
            judging.expect(self._host, self._tx, self._tenant, [one for one in batch if one.seq not in awaited])
            for one in batch:
                after = one.seq
                room -= not self._step(one, awaited.get(one.seq))
                if self._done and time.monotonic() > until:
                    return False
                if self._may_ask <= 0:
                    break
        return True

    def _step(self, one: Candidate, awaited: Sequence[str] | None) -> bool:
        """Settle a candidate if that is possible; returns whether it is settled."""
        settled: Settled | None = None
        with attempt(self._tx) as tried:
            settled = self._settle(one, awaited)
        if tried.error is not None:
            # One that breaks is counted in its job's warning and lets the others pass.
            self._host.near.forget()
            log.error("candidate %d of job %s failed", one.seq, one.job_id, exc_info=tried.error)
            settled = Settled(outcome="failed", reason=ledger.words(tried.error))
        if settled is None:
            return False
        candidates.settle(
            self._tx, one.seq, outcome=settled.outcome, reason=settled.reason, memory_id=settled.memory_id,
            at=self._at, keep_vector=settled.keep_vector,
        )  # fmt: skip
        self._jobs.add(one.job_id)
        self._done = True
        return True

    def _settle(self, one: Candidate, awaited: Sequence[str] | None) -> Settled | None:
        """Return what becomes of a candidate; None when it is left for later."""
        host, tx, at = self._host, self._tx, self._at
        kind: _Kind = written if one.written_id else deciding
        dropped = self._stale(kind, one)
        if dropped:
            return Settled(outcome="dropped", reason=dropped)
        one = deciding.placed(tx, one)
        if awaited is not None:
            self._may_ask -= 1
            return self._leave(one, awaited)
        if erasure.is_erased(host, tx, self._tenant, one):
            return Settled(outcome="suppressed", reason=erasure.SUPPRESSED)
        found = kind.around(tx, one, at=at)
        near = judging.near(host, tx, self._tenant, one, found.owner, at=at)
        ids = [*(each.version.id for each in near), *found.touched]
        if self._unsettled.touches(one.space_id, _vector(one), ids):
            return self._leave(one, ids)
        if not found.needs_judges or deciding.is_past(one):
            near = []
        verdicts = self._verdicts(one, near)
        if verdicts is None:
            judging.ask(host, tx, one, near, at=at)
            self._may_ask -= 1
            self._done = True
            return self._leave(replace(one, round=one.round + 1), ids)
        return kind.carry_out(host, tx, one, found, near, verdicts, at=at)

    def _stale(self, kind: _Kind, one: Candidate) -> str | None:
        """Say why a candidate no longer counts; read once for all that share a source."""
        source = (one.written_id, one.job_id, one.document_id, one.revision)
        if source not in self._standing:
            self._standing[source] = kind.stale(self._tx, one, at=self._at)
        return self._standing[source]

    def _leave(self, one: Candidate, neighbours: Sequence[str]) -> Settled | None:
        """Leave a candidate for later; it holds back what touches it."""
        self._unsettled.add(one.space_id, _vector(one), neighbours)
        if one.round > MOST_REJUDGEMENTS:
            self._unsettled.close(one.space_id)
        return None

    def _verdicts(self, one: Candidate, near: Sequence[Near]) -> Verdicts | None:
        """Return the verdicts on what is near; None when a judge has to be asked for them first."""
        if not near:
            return {}
        if not self._host.has_llm:
            return judging.by_rules(self._host, self._tx, one, near, at=self._at)
        verdicts = judging.answered(self._tx, one, near)
        if verdicts is None and one.round > MOST_REJUDGEMENTS + ROUNDS_ALONE:
            return {each.version.id: Judged(verdict="undecided") for each in near}
        return verdicts


def _vector(one: Candidate) -> Floats:
    return np.frombuffer(one.vector or b"", dtype="<f4")
