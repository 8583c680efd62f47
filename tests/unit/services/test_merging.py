"""Spaces merge with ids, windows and sources; what says the same becomes one, the rest is judged; nothing is lost."""

from dataclasses import replace

import pytest

from memory.errors import Forbidden, InvalidInput, NotFound, StateConflict, StoreError
from memory.records import Actor, Message, NewMemory, Scope, SearchQuery
from services import bucket_changes, container_tags, documents, erasure, memories, merging, reconcile, search, spaces
from store import merging as moving
from tests.pipeline import PERSON, Pipeline

NEW, OLD, BOTH = (Scope(tenant="default", spaces=names) for names in (("new",), ("old",), ("old", "new")))


def merge(pipeline: Pipeline, *sources: str, target: str = "new", actor: Actor = PERSON) -> merging.Merge:
    scope = Scope(tenant="default", spaces=(*sources, target))
    found = merging.merge(scope, pipeline.host, actor, sources, target)
    pipeline.settle()
    return merging.get(scope, pipeline.host, found.id, every=True)


def write(pipeline: Pipeline, scope: Scope, *texts: str) -> list[str]:
    facts = [NewMemory(content=text) for text in texts]
    written = memories.remember(scope, pipeline.host, PERSON, facts)
    pipeline.settle()
    return [one.id for one in written.memories]


def texts(pipeline: Pipeline, scope: Scope) -> set[str]:
    return {one.statement for one in memories.listing(scope, pipeline.host, limit=100).rows}


def found(pipeline: Pipeline, scope: Scope, words: str, mode: str = "memories") -> list[str]:
    hits = search.search(scope, pipeline.host, SearchQuery(q=words, mode=mode)).hits  # type: ignore[arg-type]
    return [one.id for one in hits]


def test_everything_is_found_in_the_target_under_its_ids_and_nothing_in_the_source(pipeline):
    document = pipeline.add("# Boats\n\nAnn owns a red boat.", scope=OLD, custom_id="boats")
    talk = pipeline.say(Message(role="user", content="I moved to Oslo."), scope=OLD)
    (direct,) = write(pipeline, OLD, "Bob plays chess.")
    chunks = [one.id for one in documents.chunks(OLD, pipeline.host, document.id)]
    before = {one.id: one for one in memories.listing(OLD, pipeline.host, limit=100).rows}
    write(pipeline, NEW, "Cid keeps bees.")

    done = merge(pipeline, "old")

    assert (done.state, done.progress["documents"], done.progress["sessions"]) == ("completed", 1, 1)
    after = {one.id: one for one in memories.listing(NEW, pipeline.host, limit=100).rows}
    assert set(before) < set(after)
    for one in before.values():
        assert (after[one.id].windows, after[one.id].sources) == (one.windows, one.sources)
    assert documents.get(NEW, pipeline.host, "boats").id == document.id
    assert [one.id for one in documents.chunks(NEW, pipeline.host, document.id)] == chunks
    assert found(pipeline, NEW, "red boat", "documents") == chunks
    assert direct in found(pipeline, NEW, "Bob chess")
    assert pipeline.rows("SELECT count(*) FROM session WHERE id = ? AND space_id = ?", talk.id, done.space_id) == [(1,)]
    assert texts(pipeline, OLD) == set()
    assert found(pipeline, BOTH, "Bob chess").count(direct) == 1
    assert spaces.names(pipeline.host, "default") == ("new",)


def test_readers_that_hold_both_spaces_see_every_step(pipeline):
    (one,) = write(pipeline, OLD, "Ann owns a red boat.")
    write(pipeline, NEW, "Bob plays chess.")
    assert found(pipeline, OLD, "red boat") == [one]
    assert one not in found(pipeline, NEW, "red boat")

    merge(pipeline, "old")

    assert found(pipeline, OLD, "red boat") == []
    assert found(pipeline, NEW, "red boat")[0] == one


def test_what_says_the_same_becomes_a_further_source(pipeline):
    pipeline.add("Ann lives in Rome.", scope=OLD, title="A")
    (kept,) = write(pipeline, NEW, "Ann lives in Rome.")
    (gone,) = [one.id for one in memories.listing(OLD, pipeline.host, limit=10).rows if one.statement.startswith("Ann")]

    done = merge(pipeline, "old")

    assert done.progress["duplicates"] == 1
    live = memories.get(NEW, pipeline.host, kept)
    assert live.support == 2
    assert {source.kind for source in live.sources} == {"direct", "document"}
    (window,) = memories.get(NEW, pipeline.host, gone).windows
    assert window.reason == f"{kept} says the same since old was merged into new"
    assert texts(pipeline, NEW) == {"Ann lives in Rome."}


def test_what_contradicts_is_judged_as_if_it_had_just_been_written(pipeline):
    write(pipeline, OLD, "Ann's phone number is 4711.")
    pipeline.clock.advance(5)
    write(pipeline, NEW, "Ann's phone number is 4712.")

    done = merge(pipeline, "old")

    assert done.progress["judged"] == 1
    assert done.job_id is not None
    live = [one.statement for one in memories.listing(NEW, pipeline.host, limit=10).rows]
    waiting = pipeline.rows("SELECT count(*) FROM review WHERE state = 'open'")[0][0]
    assert len(live) == 1 or waiting == 1, "Both are current and nobody is asked."


def test_only_what_comes_to_stand_beside_something_strange_is_judged(pipeline, monkeypatch):
    monkeypatch.setattr(moving, "BATCH", 2)
    write(pipeline, NEW, "Bob keeps nine red hens.")
    for number in range(6):
        write(pipeline, OLD, f"The lamp of pier {number} is lit at {number} o'clock.")
    write(pipeline, OLD, "Bob keeps nine red hens near Graz.")

    done = merge(pipeline, "old")

    assert done.progress["judged"] == 1
    assert len(texts(pipeline, NEW)) >= 7


def test_a_version_chain_moves_whole_and_its_past_stays_readable(pipeline):
    (first,) = write(pipeline, OLD, "Ann lives in Rome.")
    pipeline.clock.advance(5)
    second = memories.update(OLD, pipeline.host, PERSON, memory_id=first, new_content="Ann lives in Oslo.")

    merge(pipeline, "old")

    assert [one.id for one in memories.history(NEW, pipeline.host, second.id)] == [first, second.id]
    assert texts(pipeline, NEW) == {"Ann lives in Oslo."}


def test_names_that_both_have_keep_the_target_and_lengthen_what_comes_in(pipeline):
    kept = pipeline.add("Ann lives in Rome.", scope=NEW, custom_id="one")
    came = pipeline.add("Bob lives in Oslo.", scope=OLD, custom_id="one")
    for scope in (NEW, OLD):
        pipeline.say(Message(role="user", content=f"I work at {scope.space}."), scope=scope, conversation="talk")

    done = merge(pipeline, "old")

    assert documents.get(NEW, pipeline.host, "one").id == kept.id
    assert documents.get(NEW, pipeline.host, "one~old").id == came.id
    assert done.progress["renamed"] == 2
    names = pipeline.rows("SELECT conversation_id FROM session ORDER BY 1")
    assert names == [("talk",), ("talk~old",)]


def test_a_longer_name_that_the_source_has_already_is_not_given_twice(pipeline):
    kept = pipeline.add("Ann lives in Rome.", scope=NEW, custom_id="c").id
    contents = {"c": "Bob lives in Oslo.", "c~old": "Cid lives in Graz.", "c~old~2": "Dan lives in Bern."}
    came = {name: pipeline.add(text, scope=OLD, custom_id=name).id for name, text in contents.items()}
    pipeline.say(Message(role="user", content="I keep bees."), scope=NEW, conversation="c")
    for name in ("c", "c~old"):
        pipeline.say(Message(role="user", content=f"I like {name}."), scope=OLD, conversation=name)

    done = merge(pipeline, "old")

    assert done.state == "completed", done.reason
    names = dict(pipeline.rows("SELECT custom_id, id FROM document"))
    assert names == {"c": kept, "c~old": came["c~old"], "c~old~2": came["c~old~2"], "c~old~3": came["c"]}
    conversations = pipeline.rows("SELECT conversation_id FROM session ORDER BY 1")
    assert conversations == [("c",), ("c~old",), ("c~old~2",)]


def test_several_sources_and_many_rows_go_in_batches(pipeline, monkeypatch):
    monkeypatch.setattr(moving, "BATCH", 3)
    third = replace(OLD, spaces=("third",))
    for number in range(7):
        write(pipeline, OLD, f"Ship number {number} is called Vessel{number}.")
        write(pipeline, third, f"Town number {number} is called Place{number}.")

    done = merge(pipeline, "old", "third", "new")

    assert (done.state, done.sources, done.progress["memories"]) == ("completed", ("old", "third"), 14)
    assert len(texts(pipeline, NEW)) == 14
    assert spaces.names(pipeline.host, "default") == ("new",)


def test_work_under_way_ends_in_the_target(pipeline):
    pipeline.held = lambda message: message.task == "embed.texts"
    accepted = pipeline.add("Ann lives in Rome.", scope=OLD)
    merge(pipeline, "old")
    pipeline.held = lambda message: False
    pipeline.settle()

    assert documents.get(NEW, pipeline.host, accepted.id).status == "done"
    assert texts(pipeline, NEW) == {"Ann lives in Rome."}


def test_a_later_write_under_the_name_of_a_source_makes_a_new_space(pipeline):
    write(pipeline, OLD, "Ann lives in Rome.")
    merge(pipeline, "old")

    write(pipeline, OLD, "Bob plays chess.")

    assert texts(pipeline, OLD) == {"Bob plays chess."}
    assert texts(pipeline, NEW) == {"Ann lives in Rome."}


def test_what_was_forgotten_or_erased_in_a_source_does_not_come_back_in_the_target(pipeline):
    facts = {"Ann lives in Rome.": "forgotten", "Bob plays chess.": "erased"}
    ids = dict(zip(facts, write(pipeline, OLD, *facts), strict=True))
    memories.forget(OLD, pipeline.host, PERSON, memory_id=ids["Ann lives in Rome."])
    target = erasure.find_target(OLD, pipeline.host, "memory", ids["Bob plays chess."])
    erasure.request(OLD, pipeline.host, PERSON, target)
    pipeline.settle()
    write(pipeline, OLD, "Cid keeps bees.")
    merge(pipeline, "old")

    pipeline.add("Ann lives in Rome. Bob plays chess.", scope=NEW, document_date=1)

    assert texts(pipeline, NEW) == {"Cid keeps bees."}


def test_buckets_and_settings_that_the_target_lacks_come_along(pipeline):
    container_tags.update(OLD, pipeline.host, PERSON, {"entity_context": "A sailing club."}, [("boats", "Boats.")])
    container_tags.update(NEW, pipeline.host, PERSON, {"display_name": "The new one"})

    merge(pipeline, "old")

    after = container_tags.get(NEW, pipeline.host)
    assert (after.display_name, after.entity_context) == ("The new one", "A sailing club.")
    assert [one.key for _, one in bucket_changes.listing(NEW, pipeline.host)] == ["boats"]


def test_what_cannot_be_merged_is_refused(pipeline):
    write(pipeline, OLD, "Ann lives in Rome.")
    with pytest.raises(NotFound):
        merge(pipeline, "nowhere")
    with pytest.raises(InvalidInput):
        merge(pipeline, "old", target="old")
    with pytest.raises(Forbidden):
        merge(pipeline, "old", actor=Actor(kind="agent", id="key_1"))
    assert spaces.names(pipeline.host, "default") == ("old",)


def test_a_space_has_part_in_one_merge_at_a_time_and_is_not_deleted_meanwhile(pipeline):
    write(pipeline, OLD, "Ann lives in Rome.")
    pipeline.queue.down = True
    merging.merge(BOTH, pipeline.host, PERSON, ["old"], "new")
    with pytest.raises(StateConflict):
        merging.merge(BOTH, pipeline.host, PERSON, ["new"], "old")
    with pytest.raises(StateConflict):
        container_tags.delete(OLD, pipeline.host, PERSON)


def test_a_step_that_breaks_ends_the_merge_with_its_reason_and_moves_nothing(pipeline, monkeypatch):
    write(pipeline, OLD, "Ann lives in Rome.")
    monkeypatch.setattr(moving, "move_chains", lambda move, root_ids: 1 / 0)

    done = merge(pipeline, "old")

    assert done.state == "failed"
    assert "ZeroDivisionError" in str(done.reason)
    assert texts(pipeline, OLD) == {"Ann lives in Rome."}
    assert done.remaining["memories"] == 1


@pytest.mark.parametrize("again", [False, True])
def test_after_a_merge_that_breaks_facts_are_in_the_space_of_their_document(pipeline, monkeypatch, again):
    pipeline.held = lambda message: message.task == "embed.texts"
    monkeypatch.setattr(moving, "BATCH", 1)
    for name in ("Ann", "Bob", "Cid"):
        pipeline.add(f"{name} lives in Rome.", scope=OLD, custom_id=name)
        pipeline.clock.advance(1)
    moved, steps = moving.move_documents, []

    def cut_off(move):
        steps.append(move)
        if len(steps) == 2:
            raise ValueError("It breaks.")
        return moved(move)

    monkeypatch.setattr(moving, "move_documents", cut_off)
    done = merge(pipeline, "old")
    assert (done.state, done.remaining["documents"], done.remaining["jobs"]) == ("failed", 2, 2)
    if again:
        assert merge(pipeline, "old").state == "completed"
    pipeline.held = lambda message: False
    pipeline.settle()

    names = ("Ann", "Bob", "Cid")
    first = names if again else names[:1]
    assert texts(pipeline, NEW) == {f"{name} lives in Rome." for name in first}
    assert texts(pipeline, OLD) == {f"{name} lives in Rome." for name in names if name not in first}
    for table in ("job", "candidate"):
        apart = f"SELECT count(*) FROM {table} AS one JOIN document ON document.id = document_id WHERE "
        assert pipeline.rows(f"{apart} one.space_id <> document.space_id") == [(0,)]


@pytest.mark.parametrize(("where", "breaks"), [(OLD, "move_chains"), (NEW, "move_documents")])
def test_what_was_forgotten_in_one_space_is_not_learned_in_the_other_before_all_has_moved(
    pipeline, monkeypatch, where, breaks
):
    pipeline.held = lambda message: message.task == "embed.texts" and "Ann lives in Rome." in message.payload["texts"]
    pipeline.add("Ann lives in Rome.", scope=OLD)
    (one,) = write(pipeline, where, "Ann lives in Rome.")
    memories.forget(where, pipeline.host, PERSON, memory_id=one, reason="wrong")
    write(pipeline, OLD, "Bob plays chess.")
    monkeypatch.setattr(moving, breaks, lambda *_: 1 / 0)
    assert merge(pipeline, "old").state == "failed"

    pipeline.held = lambda message: False
    pipeline.settle()

    assert pipeline.rows("SELECT count(*) FROM candidate WHERE outcome = 'suppressed'") == [(1,)]
    assert texts(pipeline, BOTH) == {"Bob plays chess."}


def test_a_writer_that_ends_between_two_batches_goes_on_where_it_stopped(pipeline, monkeypatch):
    for number in range(5):
        write(pipeline, OLD, f"Ship number {number} is called Vessel{number}.")
    monkeypatch.setattr(moving, "BATCH", 2)
    moved, steps = moving.move_chains, []

    def cut_off(move, root_ids):
        steps.append(root_ids)
        moved(move, root_ids)
        if len(steps) == 2:
            raise StoreError("The disk is away.")

    monkeypatch.setattr(moving, "move_chains", cut_off)
    with pytest.raises(StoreError):
        merge(pipeline, "old")
    assert len(texts(pipeline, OLD)) == 3
    assert len(texts(pipeline, BOTH)) == 5

    reconcile.run(pipeline.host, pipeline.writer, "default")

    assert len(texts(pipeline, NEW)) == 5
    assert spaces.names(pipeline.host, "default") == ("new",)


def test_every_table_of_a_space_is_moved_or_stays_for_a_reason(pipeline):
    with pipeline.host.store.read("default") as db:
        rows = db.execute(
            """
            SELECT tables.name FROM pragma_table_list AS tables JOIN pragma_table_info (tables.name) AS columns
            WHERE tables.type = 'table' AND columns.name = 'space_id'
            """
        ).fetchall()

    assert {row["name"] for row in rows} == {*moving.WHOLES, *moving.LOOSE, *moving.STAY}


def test_no_step_reads_a_whole_table(pipeline, monkeypatch):
    pipeline.add("# Boats\n\nAnn owns a red boat.", scope=OLD, custom_id="boats")
    pipeline.say(Message(role="user", content="I moved to Oslo."), scope=OLD)
    write(pipeline, OLD, "Bob plays chess.", "Cid keeps bees.")
    write(pipeline, NEW, "Bob plays chess.", "Cid keeps red bees.")
    said, step = set(), merging.step

    def traced(host, tx, tenant, asked):
        tx.set_trace_callback(said.add)
        try:
            return step(host, tx, tenant, asked)
        finally:
            tx.set_trace_callback(None)

    monkeypatch.setitem(reconcile.REQUESTS, "merge.step", traced)
    assert merge(pipeline, "old").progress["duplicates"] == 1

    asked = [sql for sql in said if sql.split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")]
    assert len(asked) > 50
    with pipeline.host.store.write("default") as tx:
        plans = {sql: [row["detail"] for row in tx.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()] for sql in asked}
    large = ("memory", "document", "chunk", "session", "episode", "candidate", "decision", "review", "source", "job",
             "search_row", "validity", "vector", "change", "request", "tombstone")  # fmt: skip
    scans = tuple(f"SCAN {table} " for table in large)
    assert not {sql: plan for sql, plan in plans.items() if any(f"{step} ".startswith(scans) for step in plan)}
    taken = [plan for sql, plan in plans.items() if "WHERE +space_id = " in sql]
    assert len(taken) > 10
    assert not [plan for plan in taken if any("(space_id=?" in step for step in plan)]
    # The planner prefers the order of time, which is all of a space, to the few that say the same.
    equal = [plan for sql, plan in plans.items() if "equality_key = '" in sql and "ORDER BY memory.recorded_at" in sql]
    assert equal
    assert all("memory_equality" in plan[0] for plan in equal)
