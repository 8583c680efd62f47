"""Whatever the services do, a resident space kept fresh says of its rows what one loaded anew says."""

import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from inference.fake_words import word_vectors
from memory import filters
from memory.errors import NotFound
from memory.records import NewDocument
from memory.vectors import encode_vectors
from services import documents, ingest, ledger
from services.source_slots import SourceSlots
from store import segment_rows
from store.segments import SegmentCache
from tests.property.services.test_truth import Truth, judge, vec
from tests.reconciling import AGENT, DAY, HOME, PERSON, Reconciling

EDITIONS = ("# Lift\n\nThe lift carries 40 kg.\n", "# Lift\n\nThe lift carries 55 kg.\n", "The lift is in Oslo.\n")
# One subject and no common words: a judge says that each takes the place of the one before.
JUDGED = ("Ana plays the violin", "Ana sold her violin", "Ana bought a harp", "Ana gave music up")
CUSTOM_IDS = ("lift", "lift", "lift", "guide")
OF_DOCUMENTS = ("document.prepare", "embed.texts")
COLUMNS = ("row_ids", "kinds", "groups", "users", "agents", "sessions", "lengths", "questions", "text_keys",
           "reading_order", "vectors")  # fmt: skip


def equal_to(key, value):
    return filters.parse({"key": key, "value": value})


def windows(snapshot):
    held = snapshot.windows
    return sorted(zip(*(getattr(held, name).tolist() for name in held.__slots__), strict=True))


def linked(snapshot):
    names = {name for block in snapshot.name_blocks for name in block.terms}
    found = {name: snapshot.linked(name) for name in names}
    return {name: (one.slots.tolist(), one.counts.tolist()) for name, one in found.items()}


class Searched:
    """A space that somebody searches after every step."""

    def open(self):
        self.resident = SegmentCache(self.writer.host.store)
        self.look()

    def look(self, cache=None):
        return (cache or self.resident).segment("default", "home", facts=True, times=True)

    @invariant()
    def what_is_resident_is_what_is_stored(self):
        if not hasattr(self, "resident"):
            return
        kept, fresh = self.look(), self.look(SegmentCache(self.writer.host.store))
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(kept, name), getattr(fresh, name), err_msg=name)
        for name in ("said", "first", "after"):
            np.testing.assert_array_equal(getattr(kept.times, name), getattr(fresh.times, name), err_msg=name)
        assert windows(kept) == windows(fresh)
        assert linked(kept) == linked(fresh)
        assert self.described(kept) == self.described(fresh)

    def described(self, snapshot):
        """Return which rows pass each filter that one of them could, by what is stored of them."""
        with self.writer.host.store.read("default") as db:
            rows = segment_rows.facts_of_space(db, snapshot.space_id)
            told = {(key, value) for _, own, sent in rows for key, value in segment_rows.read_facts(own, sent).items()}
        asked = {(key, str(value)) for key, value in told}
        passing = {one: snapshot.facts.passing(equal_to(*one)).tolist() for one in asked}
        return passing, snapshot.facts.kinds.tolist(), np.nan_to_num(snapshot.facts.confidences, nan=-1).tolist()


class ResidentMemories(Searched, Truth):
    """Everything that changes what is believed."""

    # What else holds of it is asserted where it comes from.
    at_most_one_version_of_a_chain_is_live_and_windows_do_not_overlap = None
    of_two_facts_judged_contradictory_one_is_flagged_or_a_person_put_it_there = None
    what_was_answered_is_answered_again = None
    nothing_erased_is_readable = None

    @initialize()
    def begin(self):
        super().begin()
        self.writer.judge = self.judge
        self.open()

    def judge(self, old, new):
        """Have somebody search while a judge thinks, so that what follows is told of rows that are resident."""
        self.look()
        return judge(old, new)

    @rule(text=st.sampled_from(JUDGED), actor=st.sampled_from((PERSON, AGENT)))
    def remember_what_no_rule_decides(self, text, actor):
        self.attempt(lambda: self.writer.remember(text, vec(text), actor))


class ResidentDocuments(Searched, RuleBasedStateMachine):
    """Documents and their editions; their work is carried out one item at a time, and no facts are looked for."""

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        self.writer = Reconciling(Path(self.folder.name))
        self.open()

    def teardown(self):
        if hasattr(self, "folder"):
            self.writer.host.store.close()
            self.folder.cleanup()

    @rule(which=st.sampled_from(CUSTOM_IDS), content=st.sampled_from(EDITIONS), team=st.sampled_from((None, "a", "b")),
          title=st.sampled_from((None, "Lift", "Hoist")), days=st.sampled_from((None, 3, 9)))  # fmt: skip
    def send(self, which, content, team, title, days):
        new = NewDocument(
            content=content, custom_id=which, title=title, metadata=team and {"team": team},
            document_date=days and days * DAY,
        )  # fmt: skip
        self.writer.clock.advance(1)
        self.writer.writer.renew()
        documents.add(HOME, self.writer.host, PERSON, new)

    def waiting(self):
        return [one for one in self.writer.queue.waiting if one.task in OF_DOCUMENTS]

    @rule()
    @precondition(lambda self: self.waiting())
    def carry(self):
        """Carry out the work for documents up to where the writer goes on: new rows are staged, and not found yet."""
        while self.waiting():
            self.carry_out(self.waiting()[0])
            self.look()

    def carry_out(self, message):
        host = self.writer.host
        self.writer.queue.waiting.remove(message)
        tenant, item, attempt = message.held
        if message.task == "document.prepare":
            ingest.prepare_document(host, tenant, item_id=item, attempt=attempt, slots=SourceSlots(1))
        else:
            vectors = encode_vectors(word_vectors(message.payload["texts"], 384))
            result = {"status": "done", "vectors": vectors}
            ledger.complete(host, tenant, item, attempt, result, token=self.writer.writer.token)

    @rule()
    @precondition(lambda self: self.writer.rows("SELECT 1 FROM request WHERE state = 'waiting'"))
    def write(self):
        """Let the writer do what it was asked to."""
        self.writer.run()

    @rule(which=st.sampled_from(CUSTOM_IDS))
    @precondition(lambda self: self.writer.rows("SELECT 1 FROM document WHERE status = 'indexing'"))
    def delete(self, which):
        with suppress(NotFound):
            self.writer.carried(lambda: documents.delete(HOME, self.writer.host, PERSON, which))


TestMemories, TestDocuments = ResidentMemories.TestCase, ResidentDocuments.TestCase
TestMemories.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
TestDocuments.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
