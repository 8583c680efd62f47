"""Container tags through the official client, by its raw calls: it has no methods for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from supermemory import BadRequestError, ConflictError, NotFoundError, Supermemory

from ops.launched import wait_until

NAMES = ("断路器", "大语言模型", "مشروع", "A b", "a-b", "a b", "a/b")
REFUSED = ("🎩", "a b ")

Call = Callable[..., Any]


@pytest.fixture
def call(client: Supermemory) -> Call:
    """Call an address as the client would, with its retries and errors."""

    def send(method: str, path: str, body: object = None) -> Any:
        request = getattr(client, method)
        return request(path, cast_to=object) if method == "get" else request(path, body=body, cast_to=object)

    return send


def at(tag: str, rest: str = "") -> str:
    return f"/v3/container-tags/{quote(tag, safe='')}{rest}"


def write(call: Call, tag: str, text: str) -> str:
    written = call("post", "/v4/memories", {"containerTag": tag, "memories": [{"content": text}]})
    return str(written["memories"][0]["id"])


def found(client: Supermemory, tag: str, words: str) -> list[str]:
    return [str(one.memory) for one in client.search.memories(q=words, container_tag=tag).results]


def test_names_of_any_script_are_boundaries_or_refused_by_one_rule(client: Supermemory, call: Call, space: str) -> None:
    tags = {name: f"{space} {name}" for name in NAMES}
    for name, tag in tags.items():
        write(call, tag, f"The keeper of {name} is Ann.")
    for name, tag in tags.items():
        shown = call("get", at(tag))
        assert (shown["containerTag"], shown["memoryCount"]) == (tag, 1)
        assert found(client, tag, "Who is the keeper?") == [f"The keeper of {name} is Ann."]
    for name in REFUSED:
        with pytest.raises(BadRequestError):
            write(call, name, "This is kept nowhere.")
        with pytest.raises(BadRequestError):
            call("get", at(name))
        with pytest.raises(BadRequestError):
            client.search.memories(q="x", container_tag=name)


def test_a_tag_is_described_merged_deleted_and_restored(
    client: Supermemory, call: Call, space: str, settle: Callable[[str], Any]
) -> None:
    old, new = f"{space}-old", f"{space}-new"
    added = client.add(content="# Boats\n\nAnn owns a red boat called Swan.", container_tag=old, custom_id="boats")
    settle(added.id)
    fact = write(call, old, "Bob plays chess on Mondays.")
    write(call, new, "Cid keeps bees in Graz.")
    described = call("patch", at(old), {"name": "Old", "profileBuckets": [{"key": "boats", "description": "Boats."}]})
    assert (described["name"], described["profileBuckets"][0]["key"]) == ("Old", "boats")

    merge = call("post", "/v3/container-tags/merge", {"containerTags": [old, new], "targetContainerTag": new})

    def ended() -> Any:
        state = call("get", f"/v3/container-tags/merge/{merge['mergeId']}")
        return state if state["status"] in ("completed", "failed") else None

    done = wait_until(ended, seconds=60, what="the merge ends")
    assert (done["status"], done["sourceTags"], done["progress"]["documents"]) == ("completed", [old], 1)
    assert client.documents.get(added.id).container_tags == [new]
    assert fact in [one.id for one in client.search.memories(q="Bob chess", container_tag=new).results]
    assert found(client, old, "Bob chess") == []
    with pytest.raises(NotFoundError):
        call("get", at(old))

    gone = call("delete", at(new))
    assert (gone["success"], gone["deletedDocumentsCount"]) == (True, 1)
    assert found(client, new, "Bob chess") == []
    with pytest.raises(NotFoundError):
        client.documents.get(added.id)
    back = call("post", f"/v1/deletions/{gone['deletionId']}/restore", {})
    assert back["containerTag"] == new
    assert client.documents.get("boats").id == added.id
    assert fact in [one.id for one in client.search.memories(q="Bob chess", container_tag=new).results]
    with pytest.raises(ConflictError):
        call("post", f"/v1/deletions/{gone['deletionId']}/restore", {})


def test_nothing_inferred_waits_in_a_tag_that_nothing_was_derived_in(call: Call, space: str) -> None:
    write(call, space, "Ann lives in Rome.")
    listed = call("get", at(space, "/inferred"))
    assert (listed["memories"], listed["total"]) == ([], 0)
