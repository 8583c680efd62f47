"""A state machine over everything that changes what is believed, at random times.

What a list answered at a time is noted; asked for that time later, it must answer the same, whatever happened since,
but for what was erased. That is the naive model of the two clocks: a log of answers.
"""

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory.errors import AlreadyKnown, NotFound, StateConflict
from memory.records import Actor, Clocks
from services import erasure, memories, provenance, review
from services.versions import end
from store import memories as stored
from store import rows
from tests.reconciling import AGENT, DAY, HOME, PERSON, Reconciling, vector

SUBJECTS, VALUES = ("Ana", "Ben", "Cleo"), ("Oslo", "Bergen", "Moss", "Narvik")
TEXTS = st.builds("{} lives in {}".format, st.sampled_from(SUBJECTS), st.sampled_from(VALUES))
RESOLUTIONS = st.sampled_from(("keep_incumbent", "take_candidate", "keep_both", "edit"))
REFUSED = (AlreadyKnown, NotFound, StateConflict)
DREAM = Actor(kind="dream", id="dream_1")
# Tables that hold what memories say.
TOLD = ("memory.statement", "candidate.statement", "candidate.quote", "source.quote", "decision.inputs",
        "request.payload", "search_row.shadow")  # fmt: skip


def judge(old, new):
    """Know the sentences; doubt what is said of Narvik, and flatly deny what is said of Moss."""
    if old.split()[0] != new.split()[0]:
        return "distinct"
    if old.rstrip("!") == new.rstrip("!"):
        return "duplicate"
    if new.endswith("Narvik"):
        return {"update": 0.5, "distinct": 0.5}
    return "contradiction" if new.endswith("Moss") else "update"


def vec(text):
    return vector(SUBJECTS.index(text.split()[0]), own=sum(map(ord, text)))


class Truth(RuleBasedStateMachine):
    known = Bundle("known")

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        self.writer = Reconciling(Path(self.folder.name), judge)
        self.start = self.writer.clock()
        self.log = []
        self.erased = set()

    def teardown(self):
        if hasattr(self, "folder"):
            self.writer.host.store.close()
            self.folder.cleanup()

    def attempt(self, does):
        """Do something that the present state may not allow; then nothing changes."""
        self.writer.clock.advance(3600)
        self.writer.writer.renew()
        before = self.writer.final()
        try:
            done = self.writer.carried(does)
        except REFUSED:
            assert self.writer.final() == before
            return None
        self.writer.run()
        self.writer.answer_all()
        return done

    def live(self):
        return memories.listing(HOME, self.writer.host, limit=100).rows

    def pick(self, which, *, live=True):
        listed = self.live() if live else memories.listing(HOME, self.writer.host, limit=100, history=True).rows
        return listed[which % len(listed)] if listed else None

    @rule(text=TEXTS, days=st.integers(0, 40), pending=st.booleans())
    def say(self, text, days, pending):
        self.writer.clock.advance(3600)
        self.writer.writer.renew()
        self.erased.discard(text)
        self.writer.propose(text, vec(text), said_at=self.start - days * DAY)
        if not pending:
            self.writer.answer_all()

    @rule(which=st.integers(0, 5))
    @precondition(lambda self: self.writer.asked)
    def judged(self, which):
        self.writer.answer(which % len(self.writer.asked))

    @rule(text=TEXTS, actor=st.sampled_from((PERSON, AGENT)), days=st.one_of(st.none(), st.integers(0, 40)))
    def remember(self, text, actor, days):
        since = None if days is None else self.start - days * DAY
        done = self.attempt(lambda: self.writer.remember(text, vec(text), actor, valid_from=since))
        if done is not None:
            self.erased.discard(text)

    @rule(text=TEXTS, which=st.integers(0, 9), correction=st.booleans())
    def revise(self, text, which, correction):
        old = self.pick(which)
        if old is None:
            return
        host = self.writer.host
        done = self.attempt(
            lambda: memories.update(HOME, host, PERSON, memory_id=old.id, new_content=text, correction=correction)
        )
        if done is not None:
            self.erased.discard(text)
            assert done.version > old.version or text == old.statement

    @rule(which=st.integers(0, 9))
    def forget_and_think_better_of_it(self, which):
        old, host = self.pick(which), self.writer.host
        if old is None:
            return
        self.attempt(lambda: memories.forget(HOME, host, PERSON, memory_id=old.id))
        assert old.id not in {one.id for one in self.live()}
        back = self.attempt(lambda: provenance.undo(HOME, host, PERSON, old.id))
        if back is not None:
            assert old.statement in {one.statement for one in self.live()}

    @rule(which=st.integers(0, 9))
    def forget(self, which):
        old = self.pick(which)
        if old is not None:
            self.attempt(lambda: memories.forget(HOME, self.writer.host, PERSON, memory_id=old.id))

    @rule(which=st.integers(0, 30))
    def restore(self, which):
        gone = [one for one in memories.listing(HOME, self.writer.host, limit=100, history=True, forgotten=True).rows
                if one.is_forgotten]  # fmt: skip
        if gone:
            chosen = gone[which % len(gone)].id
            self.attempt(lambda: memories.restore(HOME, self.writer.host, PERSON, chosen))

    @rule(which=st.integers(0, 30))
    def undo(self, which):
        old = self.pick(which, live=False)
        if old is not None:
            self.attempt(lambda: provenance.undo(HOME, self.writer.host, PERSON, old.id))

    @rule(which=st.integers(0, 9), resolution=RESOLUTIONS, text=TEXTS)
    def resolve(self, which, resolution, text):
        waiting = review.listing(HOME, self.writer.host, limit=50).rows
        if not waiting:
            return
        one, words = waiting[which % len(waiting)], text if resolution == "edit" else None
        done = self.attempt(lambda: review.resolve(HOME, self.writer.host, PERSON, one.id, resolution, text=words))
        if done is not None and words is not None:
            self.erased.discard(words)

    @rule(first=st.integers(0, 9), second=st.integers(0, 9))
    def merge(self, first, second):
        kept, other = self.pick(first), self.pick(second)
        if kept is None or kept.root_id == other.root_id:
            return
        self.writer.clock.advance(3600)
        self.writer.writer.renew()
        host, at = self.writer.host, self.writer.clock()
        with host.store.fenced("default", self.writer.writer.token) as tx:
            version = stored.by_id(tx, other.id)
            until = max(at, rows.valid_from(tx, version.row_id) + 1)
            end(tx, version, by=kept.id, until=until, at=at, actor=DREAM)
        self.writer.answer_all()

    @rule(which=st.integers(0, 9))
    def erase(self, which):
        old, host = self.pick(which), self.writer.host
        if old is None:
            return
        chain = memories.history(HOME, host, old.id)
        gone, ids = {one.statement for one in chain}, {one.id for one in chain}
        target = erasure.find_target(HOME, host, "memory", old.id)
        self.attempt(lambda: erasure.request(HOME, host, PERSON, target))
        assert old.id not in {one.id for one in memories.listing(HOME, host, limit=100, history=True).rows}
        left = {one.statement for one in memories.listing(HOME, host, limit=100, history=True, forgotten=True).rows}
        self.erased |= gone - left
        self.log = [
            (known_at, {as_of: [one for one in said if one[0] not in ids] for as_of, said in answers.items()})
            for known_at, answers in self.log
        ]

    @invariant()
    def at_most_one_version_of_a_chain_is_live_and_windows_do_not_overlap(self):
        if not hasattr(self, "writer"):
            return
        spans = {}
        for root, begins, ends in self.writer.rows(
            """
            SELECT root_id, valid_from, valid_to FROM memory JOIN validity ON validity.row_id = memory.row_id
            WHERE retired_at IS NULL ORDER BY root_id, valid_from, valid_to
            """
        ):
            assert begins >= spans.get(root, begins), "two windows of a chain overlap"
            spans[root] = ends

    @invariant()
    def of_two_facts_judged_contradictory_one_is_flagged_or_a_person_put_it_there(self):
        if not hasattr(self, "writer") or self.writer.asked:
            return
        live = sorted(self.live(), key=lambda one: one.recorded_at)
        for place, old in enumerate(live):
            for new in live[place + 1 :]:
                verdict = judge(old.statement, new.statement)
                if verdict == "distinct" or old.statement == new.statement:
                    continue
                flagged = any(one.is_unjudged or one.is_disputed or one.actor.kind == "person" for one in (old, new))
                assert flagged, f"{old.statement} and {new.statement} are both current"

    @invariant()
    def what_was_answered_is_answered_again(self):
        if not hasattr(self, "writer"):
            return
        host, now = self.writer.host, self.writer.clock()
        self.log.append((now, {as_of: self.answer(as_of, now) for as_of in (now, self.start - 20 * DAY)}))
        self.writer.clock.advance(1)
        for known_at, answers in (*self.log[-1:], self.log[len(self.log) // 2], self.log[0]):
            for as_of, said in answers.items():
                assert self.answer(as_of, known_at) == said
        assert host.clock() > now

    def answer(self, as_of, known_at):
        clocks = Clocks(as_of=as_of, known_at=known_at)
        listed = memories.listing(HOME, self.writer.host, clocks, limit=100).rows
        return sorted((one.id, one.statement, round(one.confidence, 6), one.support) for one in listed)

    @invariant()
    def nothing_erased_is_readable(self):
        for place in TOLD if getattr(self, "erased", None) else ():
            table, _, column = place.partition(".")
            told = " ".join(str(row[0]) for row in self.writer.rows(f"SELECT {column} FROM {table}"))
            for text in self.erased:
                assert text not in told, f"{text} is still in {place}"


TestTruth = Truth.TestCase
TestTruth.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
