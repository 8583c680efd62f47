"""A space is merged while a host task works on what is in it, and nothing is left behind."""

import pytest

from memory.records import Message, Scope
from services import documents, ledger, merging
from tests.pipeline import PERSON

OLD, NEW, BOTH = (Scope(tenant="default", spaces=names) for names in (("old",), ("new",), ("old", "new")))
# What was read for a task is told to the store: of a document its chunks, then its facts.
FACTS = """
    SELECT memory.statement FROM memory JOIN space ON space.id = memory.space_id
        JOIN vector ON vector.row_id = memory.row_id WHERE space.name = 'new'
"""


def merge_before_commit(pipeline, monkeypatch, number):
    """Have the spaces merged between the reading and the writing of the host task of a number."""
    commit, merged = ledger.host_commit, []
    left = iter(range(number, -1, -1))

    def late(host, item):
        if next(left, None) == 0:
            monkeypatch.setattr(ledger, "host_commit", commit)
            merged.append(merging.merge(BOTH, host, PERSON, ["old"], "new"))
        return commit(host, item)

    monkeypatch.setattr(ledger, "host_commit", late)
    return merged


@pytest.mark.parametrize("task", range(2))
def test_a_document_that_is_being_read_goes_along(pipeline, monkeypatch, task):
    merged = merge_before_commit(pipeline, monkeypatch, task)
    accepted = pipeline.add("# Boats\n\nAnn owns a red boat.", scope=OLD)

    assert len(merged) == 1
    assert documents.get(NEW, pipeline.host, accepted.id).status == "done"
    assert [one[0] for one in pipeline.rows(FACTS)] == ["Ann owns a red boat."]


def test_facts_are_decided_in_the_space_of_their_source_wherever_they_wait(pipeline):
    pipeline.held = lambda message: message.task == "embed.texts"
    pipeline.add("Ann owns a red boat.", scope=NEW)
    pipeline.say(Message(role="user", content="I keep bees."), scope=NEW)
    with pipeline.host.store.write("default") as tx:
        tx.execute("INSERT INTO space (name, created_at) VALUES ('old', 0)")
        tx.execute("UPDATE candidate SET space_id = (SELECT id FROM space WHERE name = 'old')")
    pipeline.held = lambda message: False
    pipeline.settle()

    assert {one[0] for one in pipeline.rows(FACTS)} == {"Ann owns a red boat.", "I keep bees."}


def test_a_message_that_is_being_read_goes_along(pipeline, monkeypatch):
    merged = merge_before_commit(pipeline, monkeypatch, 0)
    pipeline.say(Message(role="user", content="I keep bees."), scope=OLD)

    assert len(merged) == 1
    assert [one[0] for one in pipeline.rows(FACTS)] == ["I keep bees."]
