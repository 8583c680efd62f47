import pytest

from memlane import Client


@pytest.fixture
def client(server):
    with Client() as opened:
        yield opened


def test_ids_are_quoted_in_paths(server, client):
    client.add_document("text", custom_id="file:a b/ü?.md")
    with pytest.raises(LookupError):
        client.document("file:a b/ü?.md")

    assert server.requests[-1].path == "/v3/documents/file%3Aa%20b%2F%C3%BC%3F.md"


def test_what_is_not_given_is_not_sent(server, client):
    client.search("tea")
    client.add_document("text")

    assert server.requests[0].body == {"q": "tea", "include": {"sources": True}}
    assert server.requests[1].body == {"content": "text"}


def test_every_memory_follows_the_cursors(server, client):
    server.page_rows = 3
    ids = [server.remember(f"fact {number}") for number in range(8)]

    assert [one["id"] for one in client.every_memory()] == ids
    assert [one["id"] for one in client.every_memory(limit=4)] == ids[:4]
    assert [one.body.get("cursor") for one in server.requests] == [None, "3", "6", None, "3"]


def test_what_comes_meanwhile_shifts_no_page(server, client):
    server.page_rows = 2
    ids = [server.remember(f"fact {number}") for number in range(4)]
    entries = client.every_memory()

    first = next(entries)
    server.remember("late")

    assert [first["id"], *(one["id"] for one in entries)][:4] == ids


def test_the_space_goes_where_each_plane_wants_it(server, client):
    memory = server.remember("fact")
    client.history(memory, space="team")
    client.remember(["other"], space="team")
    client.ask("fact", spaces=("a", "b"))

    assert server.requests[0].query == {"container_tag": "team"}
    assert server.requests[1].body["containerTag"] == "team"
    assert server.requests[2].body["container_tags"] == ["a", "b"]


def test_a_conversation_goes_out_with_its_messages_and_a_key_that_makes_a_repeat_harmless(server, client):
    said = [{"role": "user", "name": "Ines", "content": "I live in Porto.", "timestamp": "2026-05-04T09:00:00Z"}]
    accepted = {"id": "ses_1", "conversationId": "run", "status": "queued", "jobId": "job_1"}
    server.faults.append((202, accepted, {}))

    assert client.add_conversation("run", said, space="team", metadata={"source": "chat"}) == accepted

    (sent,) = server.sent("POST", "/v4/conversations")
    assert sent.body == {
        "conversationId": "run", "messages": said, "containerTag": "team", "metadata": {"source": "chat"}
    }  # fmt: skip
    assert sent.headers["idempotency-key"]
