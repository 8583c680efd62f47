"""The official client's documents: what it sends is kept, and what comes back is what its models expect."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import datetime

import httpx
import pytest
from supermemory import AsyncSupermemory, NoneType, NotFoundError, Supermemory
from supermemory.types import DocumentGetResponse

from ops.launched import Launched

Settle = Callable[[str], DocumentGetResponse]
NOTE = "# Crane 4\n\nCrane 4 lifts 55 kg. Ana inspected it in Oslo."


def test_a_document_comes_back_as_it_was_sent(client: Supermemory, settle: Settle, space: str) -> None:
    # given a document with every field there is
    metadata = {"team": "infra", "priority": 3.5, "open": True, "tags": ["a", "b"]}
    added = client.add(
        content=NOTE, container_tag=space, custom_id=f"{space}/crane 4", metadata=metadata, document_date="2026-05-04",
        filepath="/yard/crane-4.md", dreaming="instant", entity_context="A yard in Oslo.",
        filter_by_metadata={"team": "infra"}, task_type="memory",
    )  # fmt: skip
    # when it has been processed
    found = settle(added.id)
    # then each field is there, and each is of the type that the client promises
    assert found.status == "done"
    assert client.documents.get(f"{space}/crane 4").id == added.id
    assert (found.custom_id, found.content, found.metadata) == (f"{space}/crane 4", NOTE, metadata)
    assert (found.filepath, found.container_tags, found.title) == ("/yard/crane-4.md", [space], "Crane 4")
    assert (found.task_type, found.dreaming_status, found.type, found.latest_revision) == ("memory", "done", "text", 1)
    assert found.summary == "Crane 4 lifts 55 kg. Ana inspected it in Oslo."
    assert found.connection_id is found.og_image is found.source is found.tombstoned_at is None
    assert datetime.fromisoformat(found.created_at) <= datetime.fromisoformat(found.updated_at)
    assert {one.is_latest for one in found.memories or ()} == {True}
    assert any("55 kg" in one.memory and one.source_count == 1 for one in found.memories or ())


def test_a_document_is_found_by_its_custom_id_and_revised_by_it(
    client: Supermemory, settle: Settle, space: str
) -> None:
    first = client.documents.add(content="The limit is 40 kg.", container_tags=[space], custom_id=f"{space}-hb")
    settle(first.id)
    second = client.documents.add(content="The limit is 55 kg.", container_tag=space, custom_id=f"{space}-hb")
    assert second.id == first.id
    found = settle(f"{space}-hb")
    assert (found.id, found.content, found.latest_revision) == (first.id, "The limit is 55 kg.", 2)


def test_a_batch_takes_objects_and_texts_and_says_what_became_of_each(
    client: Supermemory, settle: Settle, space: str
) -> None:
    # given documents of which one says where it belongs and what it is
    answer = client.documents.batch_add(
        documents=[
            {"content": "Pump 1 is green.", "custom_id": f"{space}-1", "metadata": {"n": 1}},
            {"content": "Pump 2 is red.", "container_tag": f"{space}-other"},
        ],
        container_tag=space, metadata={"team": "pumps"}, filepath="/pumps/a.md",
    )  # fmt: skip
    texts = client.documents.batch_add(documents=["Pump 3 is blue.", "Pump 4 is grey."], container_tag=space)
    # then each has an id of its own, in the order sent
    assert (answer.success, answer.failed, texts.success) == (2, 0, 2)
    one, two = (settle(result.id) for result in answer.results)
    assert (one.content, one.custom_id, one.metadata) == ("Pump 1 is green.", f"{space}-1", {"team": "pumps", "n": 1})
    assert (two.content, two.container_tags, two.metadata) == ("Pump 2 is red.", [f"{space}-other"], {"team": "pumps"})
    assert one.filepath == two.filepath == "/pumps/a.md"
    assert [settle(result.id).content for result in texts.results] == ["Pump 3 is blue.", "Pump 4 is grey."]


def test_what_is_said_of_a_document_changes_at_once_and_only_another_text_is_read_again(
    client: Supermemory, settle: Settle, space: str
) -> None:
    added = client.add(content=NOTE, container_tag=space, metadata={"a": 1}, custom_id=f"{space}-a")
    before = settle(added.id)
    # when everything but the text changes
    changed = client.documents.update(
        added.id, metadata={"b": 2}, custom_id=f"{space}-b", filepath="/new.md", container_tag=space,
        filter_by_metadata={"x": "y"},
    )  # fmt: skip
    # then nothing is processed for it
    assert (changed.id, changed.status) == (added.id, "done")
    found = client.documents.get(f"{space}-b")
    assert (found.id, found.metadata, found.filepath) == (added.id, {"b": 2}, "/new.md")
    assert found.latest_revision == before.latest_revision
    # and when the text does, it is
    assert client.documents.update(added.id, content="Crane 4 lifts 60 kg.").status == "queued"
    assert client.documents.update(added.id, content="Crane 4 lifts 60 kg.").status != "failed"
    after = settle(added.id)
    assert (after.content, after.latest_revision, after.metadata) == ("Crane 4 lifts 60 kg.", 2, {"b": 2})
    assert [one.memory for one in after.memories or () if "60 kg" in one.memory]


def test_a_document_for_search_alone_teaches_nothing_until_it_is_wanted(
    client: Supermemory, settle: Settle, space: str
) -> None:
    added = client.add(content="Gate 7 opens at 6 in the morning.", container_tag=space, task_type="superrag")
    found = settle(added.id)
    assert (found.task_type, found.memories) == ("superrag", [])
    assert client.search.execute(q="When does gate 7 open?", container_tag=space).results[0].document_id == added.id
    # when facts are wanted after all
    client.documents.update(added.id, task_type="memory")
    taught = settle(added.id)
    assert (taught.task_type, len(taught.memories or ())) == ("memory", 1)
    # and when they no longer are
    client.documents.update(added.id, task_type="superrag")
    assert settle(added.id).memories == []
    assert client.search.memories(q="When does gate 7 open?", container_tag=space).results == []


def test_a_later_date_reads_the_text_again(client: Supermemory, settle: Settle, space: str) -> None:
    added = client.add(content="Ana moved to Oslo yesterday.", container_tag=space, document_date="2026-05-04")
    assert any("2026-05-03" in one.memory for one in settle(added.id).memories or ())
    client.documents.update(added.id, document_date="2026-06-11")
    memories = [one.memory for one in settle(added.id).memories or ()]
    assert any("2026-06-10" in one for one in memories), memories
    assert not any("2026-05-03" in one for one in memories), memories


def test_a_deleted_document_is_gone(client: Supermemory, settle: Settle, space: str) -> None:
    added = client.add(content="Crane 9 is rented.", container_tag=space)
    settle(added.id)
    assert client.documents.delete(added.id) is None
    with pytest.raises(NotFoundError):
        client.documents.get(added.id)
    assert client.search.memories(q="Crane 9", container_tag=space, search_mode="hybrid").results == []


def test_many_are_deleted_by_id_and_what_is_not_there_is_told(client: Supermemory, space: str) -> None:
    answer = client.documents.batch_add(documents=["a b c", "d e f", "g h i"], container_tag=space)
    one, two, three = (result.id for result in answer.results)
    deleted = client.documents.delete_bulk(ids=[one, "doc_nobody", two])
    assert (deleted.success, deleted.deleted_count) == (False, 2)
    assert [error.id for error in deleted.errors or ()] == ["doc_nobody"]
    assert [row.id for row in client.documents.list(container_tags=[space]).memories] == [three]


def test_a_folder_or_a_whole_space_is_deleted_and_nothing_beside_it(client: Supermemory, space: str) -> None:
    other = f"{space}-other"
    for tag in (space, other):
        client.documents.batch_add(
            documents=[
                {"content": f"In {tag} a", "filepath": "/notes/a.md"},
                {"content": f"In {tag} b", "filepath": "/notes/deep/b.md"},
                {"content": f"In {tag} c", "filepath": "/notesbook.md"},
                {"content": f"In {tag} d"},
            ],
            container_tag=tag,
        )
    folder = client.documents.delete_bulk(filepath="/notes/", container_tags=[space])
    assert (folder.success, folder.deleted_count, folder.container_tags) == (True, 2, [space])
    assert {row.filepath for row in client.documents.list(container_tags=[space]).memories} == {"/notesbook.md", None}
    rest = client.documents.delete_bulk(container_tags=[space])
    assert (rest.success, rest.deleted_count) == (True, 2)
    assert client.documents.list(container_tags=[space]).pagination.total_items == 0
    assert client.documents.list(container_tags=[other]).pagination.total_items == 4


def test_processing_shows_what_is_unfinished_and_what_failed(client: Supermemory, settle: Settle, space: str) -> None:
    # given a document that is done and one whose processing was cancelled
    done = client.add(content="Done soon.", container_tag=space)
    settle(done.id)
    added = client.add(content="Crane 5. " * 20_000, container_tag=space)
    active = client.documents.list_processing(container_tags=f"{space},nobody", limit=10, page=1)
    stack_job = added.model_extra["jobId"] if added.model_extra else None
    client.post(f"/v1/jobs/{stack_job}/cancel", body={}, cast_to=object)
    settle(added.id)
    # then it shows as failed, with a reason, where failures are shown
    assert [one.id for one in active.documents] in ([added.id], [])
    assert client.documents.list_processing(container_tags=space, view="pending").total_count == 0
    everything = client.documents.list_processing(container_tags=space, view="all")
    (failed,) = everything.documents
    assert (failed.id, failed.status, failed.error_code, failed.stuck) == (added.id, "failed", "cancelled", False)
    assert failed.error_message


def test_a_file_is_kept_with_every_field_that_the_client_has(client: Supermemory, settle: Settle, space: str) -> None:
    sent = client.documents.upload_file(
        file=("crane.md", NOTE.encode()), container_tag=space, custom_id=f"{space}-file", dreaming="instant",
        entity_context="A yard.", filepath="/yard/crane.md", file_type="text", mime_type="text/markdown",
        filter_by_metadata=json.dumps({"a": "b"}), metadata=json.dumps({"n": 1, "tags": ["a"]}),
        task_type="superrag", use_advanced_processing="false",
    )  # fmt: skip
    found = settle(sent.id)
    assert (found.status, found.content, found.task_type, found.memories) == ("done", NOTE, "superrag", [])
    assert (found.metadata, found.custom_id) == ({"n": 1, "tags": ["a"]}, f"{space}-file")
    assert (found.filepath, found.title, found.container_tags) == ("/yard/crane.md", "crane.md", [space])


def test_the_file_behind_a_document_has_an_address(client: Supermemory, settle: Settle, space: str) -> None:
    sent = client.documents.upload_file(file=("crane.md", NOTE.encode()), container_tag=space)
    settle(sent.id)
    found = client.get(f"/v3/documents/{sent.id}/file-url", cast_to=object)
    assert httpx.get(found["url"]).text == NOTE
    text = client.add(content=NOTE, container_tag=space)
    with pytest.raises(NotFoundError):
        client.get(f"/v3/documents/{text.id}/file-url", cast_to=object)


def test_the_older_addresses_still_answer(client: Supermemory, space: str) -> None:
    added = client.post("/v3/memories", body={"content": "Old but good.", "containerTag": space}, cast_to=object)
    assert isinstance(added, dict)
    found = client.get(f"/v3/memories/{added['id']}", cast_to=object)
    assert isinstance(found, dict)
    assert (found["id"], found["content"]) == (added["id"], "Old but good.")
    client.patch(f"/v3/memories/{added['id']}", body={"title": "Older"}, cast_to=object)
    listed = client.post("/v3/memories/list", body={"containerTags": [space]}, cast_to=object)
    assert isinstance(listed, dict)
    assert [row["title"] for row in listed["memories"]] == ["Older"]
    client.delete(f"/v3/memories/{added['id']}", cast_to=NoneType, options={"headers": {"Accept": "*/*"}})
    assert client.documents.list(container_tags=[space]).memories == []


def test_the_asynchronous_client_and_raw_answers_work_alike(
    stack: Launched, async_client: AsyncSupermemory, client: Supermemory, space: str
) -> None:
    async def add_many() -> list[str]:
        async with async_client as one:
            added = await asyncio.gather(
                *(one.add(content=f"Note number {number}.", container_tag=space) for number in range(8))
            )
            return [document.id for document in added]

    ids = asyncio.run(add_many())
    assert len(set(ids)) == 8
    raw = client.documents.with_raw_response.list(container_tags=[space], limit=100)
    assert raw.headers["X-Request-Id"]
    assert json.loads(raw.text())["pagination"]["totalItems"] == 8
    assert {row.id for row in raw.parse().memories} == set(ids)
    with client.documents.with_streaming_response.list(container_tags=[space], limit=100) as streamed:
        assert {row.id for row in streamed.parse().memories} == set(ids)
