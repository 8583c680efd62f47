import pytest

from memory.records import FOREVER
from services.fakes import fake_host
from store.hydration import chunks_by_row, load_memories, memories_by_row, source_tokens
from tests.rows import put_conversation, put_document, put_memories


@pytest.fixture
def host(tmp_path):
    return fake_host(tmp_path)


def test_a_memory_comes_with_its_windows_and_where_it_was_said(host):
    # given a memory from a message
    episodes = put_conversation(host, "home", "chat", ["Hello.", "I like tea."])
    (row_id,) = put_memories(host, "home", ["I like tea."], speaker="Ann", episode=episodes[1], window=(5, FOREVER))
    # when
    with host.store.read("default") as db:
        memory = memories_by_row(db, [row_id])[row_id]
    # then
    assert (memory.statement, memory.speaker, memory.space, memory.version) == ("I like tea.", "Ann", "home", 1)
    assert [(window.valid_from, window.valid_to, window.retired_at) for window in memory.windows] == [
        (5, FOREVER, None)
    ]
    (source,) = memory.sources
    assert (source.kind, source.id, source.conversation_id, source.message_index) == ("episode", episodes[1], "chat", 1)
    assert memory.is_latest
    assert not memory.is_forgotten


def test_a_chunk_comes_with_what_is_shown_of_its_document(host):
    (row_id,) = put_document(host, "home", "doc_1", ["Boil water."], title="Tea")
    with host.store.read("default") as db:
        chunk = chunks_by_row(db, [row_id])[row_id]
    assert (chunk.title, chunk.text, chunk.metadata, chunk.space) == (
        "Tea",
        "Tea\nBoil water.",
        {"team": "docs"},
        "home",
    )


def test_ids_that_are_unknown_are_left_out(host):
    put_memories(host, "home", ["Ann likes tea."])
    with host.store.read("default") as db:
        assert load_memories(db, ["mem_unknown"]) == {}
        assert chunks_by_row(db, [1, 2]) == {}


def test_each_whole_document_and_conversation_is_counted_once(host):
    # given two memories of one conversation and one of a document
    episodes = put_conversation(host, "home", "chat", ["one two three", "four five"])
    put_document(host, "home", "doc_1", ["six seven eight nine"])
    row_ids = [
        *put_memories(host, "home", ["one two"], episode=episodes[0]),
        *put_memories(host, "home", ["four"], episode=episodes[1]),
        *put_memories(host, "home", ["six"], document="doc_1"),
        *put_memories(host, "home", ["direct"]),
    ]
    # when
    with host.store.read("default") as db:
        sources = [source for memory in memories_by_row(db, row_ids).values() for source in memory.sources]
        tokens = source_tokens(db, sources)
    # then
    assert tokens == 5 + 4
