"""Erasure: what goes, what stays, what cannot come back, and a run that is cut off."""

from dataclasses import replace

import pytest

from memory.errors import Erased, Fenced, InvalidInput, NotFound, PersonOnly
from memory.records import Actor, Idempotency, Message, NewMemory, SearchQuery
from memory.vectors import encode_vectors
from services import conversations, documents, erasure, memories, purging, reconcile, verifying
from services.search import search
from store import integrity, requests
from tests.pipeline import HOME, PERSON

AGENT = Actor(kind="agent", id="key_1")
ANN, BOB = replace(HOME, user="ann"), replace(HOME, user="bob")
SENTINEL = "DELME-31"
DEPOT = "The depot opens at seven every day."


def remember(pipeline, text, scope=HOME, actor=PERSON, **more):
    made = memories.remember(scope, pipeline.host, actor, [NewMemory(content=text, **more)]).memories[0]
    pipeline.settle()
    return made


def erase(pipeline, kind, named=None, *, scope=HOME, verify=True, **more):
    target = erasure.find_target(scope, pipeline.host, kind, named)
    asked = erasure.request(scope, pipeline.host, PERSON, target, verify=verify, **more)
    pipeline.settle()
    return erasure.get(scope, pipeline.host, asked.id)


def found(pipeline, q, scope=HOME, mode="hybrid"):
    return [hit.text for hit in search(scope, pipeline.host, SearchQuery(q=q, mode=mode)).hits]


def problems(pipeline):
    with pipeline.host.store.read("default") as db:
        rows = integrity.problems(db)
    with pipeline.host.store.write("default") as tx:
        return rows + integrity.check_full_text(tx)


def bytes_of_files(pipeline):
    folder = pipeline.host.store.path(None).parent
    return b"\n".join(path.read_bytes() for path in verifying.files(folder, "default"))


def test_a_document_goes_with_what_rests_on_it_alone(pipeline):
    pipeline.add(
        f"The vault code {SENTINEL} opens the north door.\n\nThe depot opens at seven every day.", custom_id="d"
    )
    pipeline.add("The depot opens at seven every day.", custom_id="other")
    kept = pipeline.rows("SELECT id FROM memory WHERE statement LIKE 'The depot%'")

    receipt = erase(pipeline, "document", "d")

    assert (receipt.state, receipt.counts["documents"], receipt.counts["memories_kept"]) == ("finished", 1, 1)
    assert receipt.verification["found"] == 0
    assert receipt.verification["looked_for"] > 0
    assert pipeline.rows("SELECT id FROM memory") == kept
    assert pipeline.rows("SELECT support FROM memory") == [(1,)]
    assert set(found(pipeline, "vault code depot")) == {
        "The depot opens at seven every day.",
    }
    assert SENTINEL.encode() not in bytes_of_files(pipeline)
    assert b"delme" not in bytes_of_files(pipeline)
    assert problems(pipeline) == []


def test_an_erased_document_can_be_handed_in_again(pipeline):
    text = f"The vault code {SENTINEL} opens the north door."
    first = pipeline.add(text, custom_id="d")
    erase(pipeline, "document", first.id)

    again = pipeline.add(text, custom_id="d")

    assert again.id != first.id
    assert documents.get(HOME, pipeline.host, "d").status == "done"
    assert SENTINEL in found(pipeline, "vault code", mode="memories")[0]


def test_a_document_that_was_only_deleted_can_still_be_erased(pipeline):
    sent = pipeline.add(f"The vault code {SENTINEL} opens the north door.")
    documents.delete(HOME, pipeline.host, PERSON, sent.id)
    pipeline.settle()
    assert SENTINEL.encode() in bytes_of_files(pipeline)

    assert erase(pipeline, "document", sent.id).verification["found"] == 0


def test_a_subject_goes_from_every_space_and_the_ledger_stays_whole(pipeline):
    remember(pipeline, f"Ann keeps {SENTINEL} in a drawer.", scope=ANN)
    remember(pipeline, f"Ann keeps {SENTINEL} at work.", scope=replace(ANN, spaces=("work",)))
    remember(pipeline, "Bob keeps bees in the garden.", scope=BOB)
    pipeline.add(f"Ann wrote {SENTINEL} on the wall.", scope=ANN)
    pipeline.say(Message(role="user", name="Ann", content=f"I hid {SENTINEL} well."), scope=ANN)
    pipeline.say(Message(role="user", name="Bob", content="I like my bees."), scope=BOB, conversation="bees")

    receipt = erase(pipeline, "subject", "ann")

    assert receipt.state == "finished"
    assert (receipt.counts["conversations"], receipt.counts["messages"], receipt.counts["documents"]) == (1, 1, 1)
    assert receipt.verification["found"] == 0
    assert pipeline.rows("SELECT count(*) FROM episode") == [(2,)]
    assert pipeline.rows("SELECT DISTINCT user_id FROM memory") == [("bob",)]
    assert b"DELME" not in bytes_of_files(pipeline)
    assert problems(pipeline) == []


def test_an_erased_conversation_that_is_sent_again_is_refused(pipeline):
    said = [Message(role="user", content=f"I hid {SENTINEL} well.")]
    key = Idempotency(route="POST /v4/conversations", key="k", body_hash="h")
    conversations.append(ANN, pipeline.host, PERSON, "talk", said, idempotency=key)
    pipeline.settle()
    erase(pipeline, "subject", "ann")

    with pytest.raises(Erased):
        conversations.append(ANN, pipeline.host, PERSON, "talk", said)
    with pytest.raises(Erased):
        conversations.append(ANN, pipeline.host, PERSON, "talk", said, idempotency=key)
    conversations.append(ANN, pipeline.host, PERSON, "talk 2", [Message(role="user", content="Hello again.")])


def test_a_memory_goes_with_all_its_versions_and_is_not_taught_by_what_was_said_before(pipeline):
    sent = pipeline.add(f"The vault code {SENTINEL} opens the north door.", custom_id="d")
    (memory_id,) = pipeline.rows("SELECT id FROM memory")[0]
    memories.update(HOME, pipeline.host, PERSON, memory_id=memory_id, new_content="The vault code is secret.")
    pipeline.settle()

    receipt = erase(pipeline, "memory", memory_id)

    # the source still says it, and the receipt tells so
    assert receipt.counts["memories"] == 2
    assert (receipt.verification["found"], receipt.verification["still_said"] > 0) == (0, True)
    with pytest.raises(NotFound):
        memories.history(HOME, pipeline.host, memory_id)
    # a copy of what was said before does not teach it again
    pipeline.add(f"The vault code {SENTINEL} opens the north door.", custom_id="copy")
    assert pipeline.rows("SELECT count(*) FROM memory") == [(0,)]
    # and nothing of it is left once the sources are gone too
    erase(pipeline, "document", sent.id)
    assert erase(pipeline, "document", "copy").verification["found"] == 0
    assert b"DELME" not in bytes_of_files(pipeline)


def test_a_space_goes_with_its_name(pipeline):
    attic = replace(HOME, spaces=("attic",))
    pipeline.add(f"The vault code {SENTINEL} opens the north door.", scope=attic)
    pipeline.say(Message(role="user", content=f"I hid {SENTINEL} well."), scope=attic)
    remember(pipeline, "The cellar is dry.")

    receipt = erase(pipeline, "space", "attic", scope=attic)

    assert (receipt.state, receipt.verification["found"]) == ("finished", 0)
    assert pipeline.rows("SELECT name FROM space") == [("home",)]
    assert b"attic" not in bytes_of_files(pipeline)
    assert found(pipeline, "cellar") == ["The cellar is dry."]
    remember(pipeline, "The attic is warm.", scope=attic)
    assert found(pipeline, "attic", scope=attic) == ["The attic is warm."]
    assert problems(pipeline) == []


def test_a_tenant_is_emptied_once_its_name_is_confirmed(pipeline):
    pipeline.add(f"The vault code {SENTINEL} opens the north door.")
    remember(pipeline, f"Ann keeps {SENTINEL} in a drawer.", scope=ANN)
    with pytest.raises(InvalidInput):
        erase(pipeline, "tenant", confirm="defualt")

    receipt = erase(pipeline, "tenant", confirm="default")

    assert (receipt.state, receipt.verification["found"]) == ("finished", 0)
    for table in ("space", "document", "memory", "search_row", "vector", "candidate", "decision"):
        assert pipeline.rows(f"SELECT count(*) FROM {table}") == [(0,)], table
    remember(pipeline, "The cellar is dry.")
    assert found(pipeline, "cellar") == ["The cellar is dry."]


def test_only_a_person_erases(pipeline):
    target = erasure.find_target(HOME, pipeline.host, "subject", "ann")
    with pytest.raises(PersonOnly):
        erasure.request(HOME, pipeline.host, AGENT, target)


def test_a_preview_counts_and_changes_nothing(pipeline):
    pipeline.add("The depot opens at seven every day.", custom_id="d")
    target = erasure.find_target(HOME, pipeline.host, "document", "d")

    counts = erasure.count(HOME, pipeline.host, target)

    assert (counts["documents"], counts["memories"], counts["memories_kept"]) == (1, 1, 0)
    assert documents.get(HOME, pipeline.host, "d").status == "done"


@pytest.mark.parametrize("task", ["embed.texts", "document.prepare", "extract.group"])
def test_work_under_way_about_what_was_erased_changes_nothing(pipeline, task):
    pipeline.held = lambda message: message.task == task
    sent = pipeline.add(f"The vault code {SENTINEL} opens the north door.")
    held = list(pipeline.queue.waiting)

    receipt = erase(pipeline, "document", sent.id)
    dropped = receipt.counts.get("queue_messages", 0)
    pipeline.held = lambda message: False
    pipeline.queue.waiting += held
    pipeline.settle()

    assert dropped == len(held) > 0
    for table in ("document", "revision", "chunk", "memory", "search_row", "candidate", "job", "work_item"):
        assert pipeline.rows(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_a_late_result_is_refused(pipeline):
    pipeline.held = lambda message: message.task == "embed.texts"
    sent = pipeline.add(f"The vault code {SENTINEL} opens the north door.")
    (late,) = [one for one in pipeline.queue.waiting if one.task == "embed.texts"]
    erase(pipeline, "document", sent.id)

    tenant, item, attempt = late.held
    result = {"status": "done", "vectors": encode_vectors(pipeline.host.models.embed(["x"]).vectors)}
    reconcile.item_done(pipeline.host, pipeline.writer, tenant, item, attempt, result)

    assert pipeline.rows("SELECT count(*) FROM search_row") == [(0,)]


def test_an_erasure_that_is_cut_off_goes_on_with_the_next_writer(pipeline):
    for start in range(0, 600, 100):
        texts = [NewMemory(content=f"Shelf {n} of {SENTINEL} holds part {n * 7}.") for n in range(start, start + 100)]
        memories.remember(ANN, pipeline.host, PERSON, texts)
    pipeline.settle()
    pipeline.queue.down = True
    target = erasure.find_target(HOME, pipeline.host, "subject", "ann")
    asked = erasure.request(HOME, pipeline.host, PERSON, target, verify=True)

    # when one batch is committed and the process ends
    with pipeline.host.store.fenced("default", pipeline.writer.token) as tx:
        request = requests.next_waiting(tx)
        result = erasure.erase(pipeline.host, tx, "default", request)
        requests.settle(tx, request.id, state="done", result=result, at=pipeline.clock())
    half = erasure.get(HOME, pipeline.host, asked.id)
    left = pipeline.rows("SELECT count(*) FROM memory")
    pipeline.host.erased_texts.clear()
    reconcile.run(pipeline.host, pipeline.writer, "default")

    # then the next one does the rest, and the receipt says what could not be compared
    assert (half.state, half.finished_at, left) == ("erasing", None, [(100,)])
    receipt = erasure.get(HOME, pipeline.host, asked.id)
    assert (receipt.state, receipt.counts["memories"]) == ("finished", 600)
    assert receipt.verification == {"not_possible": verifying.LOST}
    assert b"DELME" not in bytes_of_files(pipeline)


def test_an_erasure_is_not_finished_while_the_broker_is_away(pipeline):
    sent = pipeline.add("The depot opens at seven every day.")
    pipeline.host.traces.down = True

    receipt = erase(pipeline, "document", sent.id)
    assert (receipt.state, receipt.finished_at) == ("purging", None)
    assert "queue cannot be reached" in receipt.waits_for

    pipeline.host.traces.down = False
    pipeline.clock.advance(10)
    reconcile.run(pipeline.host, pipeline.writer, "default")
    assert erasure.get(HOME, pipeline.host, receipt.id).state == "finished"
    assert pipeline.host.traces.rewritten == 1


def test_a_writer_that_was_replaced_meanwhile_writes_no_receipt(pipeline):
    sent = pipeline.add("The depot opens at seven every day.")
    pipeline.host.traces.down = True
    receipt = erase(pipeline, "document", sent.id)
    pipeline.host.traces.down = False
    pipeline.clock.advance(10)

    # when another writer takes over while the files are cleaned
    token = pipeline.writer.token
    with pipeline.host.store.fenced("default", token + 1):
        pass
    with pytest.raises(Fenced):
        purging.purge(pipeline.host, "default", token)

    assert erasure.get(HOME, pipeline.host, receipt.id).state == "purging"
    purging.purge(pipeline.host, "default", token + 1)
    assert erasure.get(HOME, pipeline.host, receipt.id).state == "finished"


def test_what_the_broker_refuses_is_in_the_receipt(pipeline):
    sent = pipeline.add("The depot opens at seven every day.")
    pipeline.host.traces.refusal = "the broker keeps no append-only file"

    receipt = erase(pipeline, "document", sent.id)

    assert (receipt.state, receipt.note) == ("finished", "the broker keeps no append-only file")


def test_an_erasure_is_not_finished_while_somebody_reads_old_pages(pipeline):
    sent = pipeline.add("The depot opens at seven every day.")
    with pipeline.host.store.read("default") as db:
        db.execute("SELECT count(*) FROM memory").fetchone()
        target = erasure.find_target(HOME, pipeline.host, "document", sent.id)
        asked = _in_another_thread(lambda: erase_in(pipeline, target))
    assert (asked.state, "Somebody reads" in asked.waits_for) == ("purging", True)

    pipeline.clock.advance(10)
    reconcile.run(pipeline.host, pipeline.writer, "default")
    assert erasure.get(HOME, pipeline.host, asked.id).state == "finished"


def erase_in(pipeline, target):
    asked = erasure.request(HOME, pipeline.host, PERSON, target)
    reconcile.run(pipeline.host, pipeline.writer, "default")
    return erasure.get(HOME, pipeline.host, asked.id)


def _in_another_thread(work):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def test_copies_made_before_an_upgrade_go_too(pipeline, tmp_path):
    sent = pipeline.add("The depot opens at seven every day.")
    folder = tmp_path / "backups"
    folder.mkdir(exist_ok=True)
    for name in ("default.v0001.1.db", "control.v0001.1.db", "other.v0001.1.db"):
        (folder / name).write_bytes(SENTINEL.encode())

    receipt = erase(pipeline, "document", sent.id)

    assert receipt.counts["backups"] == 2
    assert [one.name for one in folder.iterdir()] == ["other.v0001.1.db"]


def test_the_receipt_and_what_is_remembered_say_nothing_of_the_content(pipeline):
    remember(pipeline, f"Ann keeps {SENTINEL} in a drawer.", scope=ANN)
    erase(pipeline, "subject", "ann")

    assert pipeline.rows("SELECT kind FROM erased WHERE kind = 'subject'") == [("subject",)]
    kept = repr(pipeline.rows("SELECT * FROM erasure")) + repr(pipeline.rows("SELECT * FROM erased"))
    assert "ann" not in kept.replace("scanned", "")
    assert SENTINEL not in kept
