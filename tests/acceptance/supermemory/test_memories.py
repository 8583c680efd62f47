"""Memories through the official client: updated, forgotten, and what the parsed models hold."""

from __future__ import annotations

from typing import Any

import pytest
from supermemory import BadRequestError, ConflictError, NotFoundError, Supermemory


def write(client: Supermemory, space: str, text: str, **fields: Any) -> str:
    body = {"containerTag": space, "memories": [{"content": text, **fields}]}
    written: Any = client.post("/v4/memories", body=body, cast_to=object)
    assert written["documentId"] is None
    return str(written["memories"][0]["id"])


def listed(client: Supermemory, space: str, **fields: Any) -> list[Any]:
    answer: Any = client.post("/v4/memories/list", body={"containerTags": [space], **fields}, cast_to=object)
    return list(answer["memoryEntries"])


def test_a_memory_is_updated_by_id_and_by_its_text(client: Supermemory, space: str) -> None:
    first = write(client, space, "Ann lives in Rome.", metadata={"topic": "home"})

    second = client.memories.update_memory(container_tag=space, id=first, new_content="Ann lives in Oslo.")
    third = client.memories.update_memory(
        container_tag=space, content="Ann lives in Oslo.", new_content="Ann lives in Bonn.", metadata={"topic": "town"}
    )

    assert (second.memory, second.version, second.parent_memory_id, second.root_memory_id) == (
        "Ann lives in Oslo.", 2, first, first,
    )  # fmt: skip
    assert second.metadata == {"topic": "home"}
    assert (third.version, third.metadata, third.parent_memory_id) == (3, {"topic": "town"}, second.id)
    assert third.created_at
    assert [one["memory"] for one in listed(client, space)] == ["Ann lives in Bonn."]


def test_a_planned_forgetting_is_set_kept_and_cleared(client: Supermemory, space: str) -> None:
    one = write(client, space, "Ann rents a car.")

    planned = client.memories.update_memory(
        container_tag=space, id=one, new_content="Ann rents a red car.", forget_after="2099-01-01T00:00:00Z",
        forget_reason="The lease ends.",
    )  # fmt: skip
    kept = client.memories.update_memory(container_tag=space, id=planned.id, new_content="Ann rents a blue car.")
    cleared = client.memories.update_memory(
        container_tag=space, id=kept.id, new_content="Ann rents a green car.", forget_after=None
    )

    for told in (planned, kept):
        assert (str(told.forget_after)[:10], told.forget_reason) == ("2099-01-01", "The lease ends.")
    assert (cleared.forget_after, cleared.forget_reason) == (None, None)
    with pytest.raises(BadRequestError, match="forgetAfter"):
        client.memories.update_memory(
            container_tag=space, id=cleared.id, new_content="Ann rents no car.", forget_reason="It is over."
        )


def test_temporal_context_is_kept_among_the_metadata(client: Supermemory, space: str) -> None:
    one = write(client, space, "Ann works at Acme.")

    dated = client.memories.update_memory(
        container_tag=space, id=one, new_content="Ann works at Bolt.", metadata={"a": "b"},
        temporal_context={"document_date": "2026-02-03T00:00:00Z", "event_date": ["2026-02-01T00:00:00Z"]},
    )  # fmt: skip
    kept = client.memories.update_memory(
        container_tag=space, id=dated.id, new_content="Ann works at Coil.", metadata={"c": "d"}
    )

    dates = {"documentDate": "2026-02-03T00:00:00Z", "eventDate": ["2026-02-01T00:00:00Z"]}
    assert dated.metadata == {"a": "b", **dates}
    assert kept.metadata == {"c": "d", **dates}


def test_a_memory_is_forgotten_by_id_or_text_and_errors_have_their_classes(client: Supermemory, space: str) -> None:
    one = write(client, space, "Ann lives in Rome.")
    write(client, space, "Bob plays chess.")

    gone = client.memories.forget(container_tag=space, id=one, reason="She moved.")
    other = client.memories.forget(container_tag=space, content="Bob plays chess.")

    assert (gone.id, gone.forgotten, other.forgotten) == (one, True, True)
    assert listed(client, space) == []
    assert {entry["forgetReason"] for entry in listed(client, space, includeForgotten=True)} >= {"She moved."}
    with pytest.raises(ConflictError):
        client.memories.forget(container_tag=space, id=one)
    with pytest.raises(NotFoundError):
        client.memories.forget(container_tag=space, id="mem_none")
    with pytest.raises(BadRequestError):
        client.memories.forget(container_tag=space)
    with pytest.raises(NotFoundError):
        client.memories.update_memory(container_tag=f"{space}-other", id=one, new_content="Ann lives in Oslo.")


def test_forgetting_by_a_phrase_is_tried_first(client: Supermemory, space: str) -> None:
    for text in ("Ann likes green tea.", "Ann likes black tea.", "Bob plays chess."):
        write(client, space, text)
    body = {"containerTag": space, "query": "tea", "threshold": 0.0}

    tried: Any = client.post("/v4/memories/forget-matching", body={**body, "dryRun": True}, cast_to=object)
    done: Any = client.post("/v4/memories/forget-matching", body=body, cast_to=object)

    assert (tried["dryRun"], tried["count"], tried["forgetBatchId"]) == (True, 2, None)
    assert {one["memory"] for one in tried["candidates"]} == {"Ann likes green tea.", "Ann likes black tea."}
    assert (done["count"], len(done["forgotten"])) == (2, 2)
    assert [one["memory"] for one in listed(client, space)] == ["Bob plays chess."]


def test_older_address_of_forgetting(client: Supermemory, space: str) -> None:
    one = write(client, space, "Ann lives in Rome.")
    gone: Any = client.post("/v3/memories/forget", body={"containerTag": space, "id": one}, cast_to=object)
    assert gone == {"id": one, "forgotten": True}
