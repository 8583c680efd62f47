"""Whatever happens to messages and results, each item is applied once and each tally fires once."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.settings import Settings
from services import ledger
from services.fakes import RecordingQueue, fake_host
from store import ledger as rows

ITEMS = 5
WORKER = "background@a1"
STATUS = st.sampled_from(["done", "done", "done", "unavailable", "failed"])
PICK = st.integers(0, 10_000)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("work"), PICK, STATUS),  # a node takes any waiting message and reports
        st.tuples(st.just("replay"), PICK),  # any result so far comes once more
        st.tuples(st.just("lose"), PICK),  # a waiting message is lost
        st.tuples(st.just("double"), PICK),
        st.tuples(st.just("die"), PICK),  # a node takes a message, starts it and dies
        st.tuples(st.just("flush")),
        st.tuples(st.just("outage")),
        st.tuples(st.just("sweep"), st.sampled_from([0.5, 6.0, 130.0])),
    ),
    max_size=40,
)


def completion(host, tx, item, result):
    tx.execute("INSERT INTO generation (model, dimension, state, created_at) VALUES (?, 1, 'retired', 1)", (item.id,))


def continuation(host, tx, job, payload):
    tx.execute("INSERT INTO space (name, created_at) VALUES ((SELECT 'fired ' || count(*) FROM space), 1)")


class World:
    """A ledger, a queue and the results that nodes have sent."""

    def __init__(self, folder):
        self.queue = RecordingQueue()
        self.host = fake_host(
            Path(folder),
            queue=self.queue,
            settings=Settings(background_slots=1),
            completions={"embed.texts": completion},
            continuations={"next": continuation},
        )
        self.results = []
        self.marks = {}
        with self.host.store.write("default") as tx:
            tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
            rows.add_job(tx, id="job_1", space_id=1, kind="document", at=1)
            payloads = [{}] * ITEMS
            rows.add_items(
                tx, job_id="job_1", task="embed.texts", queue="background", payloads=payloads, continuation="next", at=1
            )
        ledger.dispatch(self.host, "default")

    def take(self, pick):
        waiting = [message for message in self.queue.waiting if message.queue == "background"]
        if not waiting:
            return None
        message = waiting[pick % len(waiting)]
        self.queue.waiting.remove(message)
        return message

    def step(self, name, *values):
        getattr(self, f"do_{name}")(*values)

    def do_work(self, pick, status):
        message = self.take(pick)
        if message is not None:
            result = (message.held, {"status": status, "reason": "because"})
            self.results.append(result)
            self.report(result)

    def do_replay(self, pick):
        if self.results:
            self.report(self.results[pick % len(self.results)])

    def do_lose(self, pick):
        self.take(pick)

    def do_double(self, pick):
        message = self.take(pick)
        if message is not None:
            self.queue.waiting += [message, message]

    def do_die(self, pick):
        message = self.take(pick)
        if message is not None:
            self.marks[message.held] = WORKER

    def do_flush(self):
        self.queue.flush()
        self.marks.clear()

    def do_outage(self):
        self.queue.down = not self.queue.down

    def do_sweep(self, seconds):
        self.host.clock.advance(seconds)
        if not self.queue.down:
            ledger.sweep(self.host, self.queue.facts(at=self.host.clock(), started=self.marks))
            for message in self.queue.take("reconcile"):
                self.report((message.held, message.payload["result"]))

    def report(self, result):
        ledger.complete(self.host, *result[0], result[1], token=1)

    def drain(self):
        self.queue.down = False
        for _ in range(60):
            self.do_sweep(40.0)
            while any(message.queue == "background" for message in self.queue.waiting):
                self.do_work(0, "done")
            if not self.ask("SELECT id FROM work_item WHERE state IN ('ready', 'leased')"):
                break

    def ask(self, query):
        with self.host.store.read("default") as db:
            return [row[0] for row in db.execute(query).fetchall()]


@settings(max_examples=50, deadline=None)
@given(steps=STEPS)
def test_each_item_is_applied_once_and_each_tally_fires_once(steps):
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder)
        for step in steps:
            world.step(*step)
        world.drain()
        for result in [*world.results, *reversed(world.results)]:
            world.report(result)

        applied = world.ask("SELECT CAST(model AS INTEGER) FROM generation ORDER BY 1")
        done = world.ask("SELECT id FROM work_item WHERE state = 'done' ORDER BY id")
        failed = world.ask("SELECT id FROM work_item WHERE state = 'failed' ORDER BY id")
        assert applied == done
        assert sorted(done + failed) == list(range(1, ITEMS + 1))
        assert world.ask("SELECT remaining FROM tally") == [0]
        assert len(world.ask("SELECT id FROM space WHERE id > 1")) == 1
        assert all(count >= 3 for count in world.ask("SELECT failures FROM work_item WHERE state = 'failed'"))
        world.host.store.close()
