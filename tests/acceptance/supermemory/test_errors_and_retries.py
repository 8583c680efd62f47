"""Refusals reach the client as the class it has for them, and what may pass is tried again without harm."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from supermemory import (
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    Supermemory,
)

from ops.launched import Launched, running
from services import control, keys
from services.clock import system_clock
from services.identifiers import TimeSortedIds
from tests.acceptance.supermemory.failing_proxy import FailingProxy, failing_proxy

Call = Callable[[Supermemory], Any]

WRONG: dict[str, tuple[Call, type[APIStatusError], str | None]] = {
    "a blank text": (lambda c: c.add(content="  "), BadRequestError, "content"),
    "an unknown field": (lambda c: c.add(content="a", extra_body={"contanerTag": "b"}), BadRequestError, "contanerTag"),
    "two spaces": (lambda c: c.add(content="a", container_tags=["a", "b"]), BadRequestError, "containerTags"),
    "a nested metadata value": (
        lambda c: c.add(content="a", metadata={"a": {"b": 1}}), BadRequestError, "metadata.a",
    ),
    "no date": (lambda c: c.add(content="a", document_date="yesterday"), BadRequestError, "documentDate"),
    "one blank text of a batch": (lambda c: c.documents.batch_add(documents=["a", ""]), BadRequestError,
                                  "documents[1].content"),
    "an empty batch": (lambda c: c.documents.batch_add(documents=[]), BadRequestError, "documents"),
    "a change of nothing": (lambda c: c.documents.update("doc_1"), BadRequestError, "body"),
    "a deletion of nothing": (lambda c: c.documents.delete_bulk(), BadRequestError, "ids"),
    "a deletion in two ways": (
        lambda c: c.documents.delete_bulk(ids=["a"], filepath="/a"), BadRequestError, "filepath",
    ),
    "101 ids": (lambda c: c.documents.delete_bulk(ids=["a"] * 101), BadRequestError, "ids"),
    "a page before the first": (lambda c: c.documents.list(page=0), BadRequestError, "page"),
    "half a page": (lambda c: c.documents.list(page=1.5), BadRequestError, "page"),
    "201 rows": (lambda c: c.documents.list(limit="201"), BadRequestError, "limit"),
    "an unknown order": (lambda c: c.documents.list(sort="title"), BadRequestError, "sort"),
    "a filter without a key": (
        lambda c: c.documents.list(filters={"AND": [{"value": "a"}]}),
        BadRequestError, "filters.AND[0].key",
    ),
    "a filter that is no JSON": (lambda c: c.documents.list(filters="{"), BadRequestError, "filters"),
    "an unknown view": (lambda c: c.documents.list_processing(view="old"), BadRequestError, "view"),
    "categories": (lambda c: c.search.execute(q="a", categories_filter=["b"]), BadRequestError, "categoriesFilter"),
    "too high a threshold": (lambda c: c.search.execute(q="a", chunk_threshold=1.1), BadRequestError, "chunkThreshold"),
    "101 results": (lambda c: c.search.memories(q="a", limit=101), BadRequestError, "limit"),
    "an unknown wish": (
        lambda c: c.search.memories(q="a", include={"document": True}), BadRequestError,
        "include.document",
    ),
    "an unknown document": (lambda c: c.documents.get("doc_nobody"), NotFoundError, "id"),
    "a change of an unknown one": (lambda c: c.documents.update("doc_nobody", content="a"), NotFoundError, "id"),
    "a deletion of an unknown one": (lambda c: c.documents.delete("doc_nobody"), NotFoundError, "id"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_is_refused_in_the_class_for_it_and_names_the_field(client: Supermemory, name: str) -> None:
    call, kind, field = WRONG[name]
    with pytest.raises(kind) as refused:
        call(client)
    body = refused.value.body
    assert isinstance(body, dict)
    assert set(body) == {"error", "code", "details"}
    assert body["error"].endswith(".")
    assert field is None or body["details"]["field"] == field, body
    assert refused.value.response.headers["X-Request-Id"]


def test_a_taken_custom_id_is_a_conflict_and_another_space_is_refused(client: Supermemory, space: str) -> None:
    client.add(content="First.", container_tag=space, custom_id=f"{space}-1")
    second = client.add(content="Second.", container_tag=space, custom_id=f"{space}-2")
    with pytest.raises(ConflictError) as taken:
        client.documents.update(second.id, custom_id=f"{space}-1")
    assert taken.value.body["details"]["field"] == "customId"
    with pytest.raises(BadRequestError) as elsewhere:
        client.documents.update(second.id, container_tag=f"{space}-other", metadata={"a": 1})
    assert elsewhere.value.body["details"]["field"] == "containerTag"
    assert client.documents.get(second.id).metadata == {}


@pytest.fixture
def key_of(stack: Launched) -> Callable[..., str]:
    """Make a key of the stack and return its secret."""

    def make(**limits: Any) -> str:
        with control.opened(stack.data_dir, clock=system_clock, new_id=TimeSortedIds(system_clock)) as opened:
            return keys.create(opened, label="test", **limits).secret

    return make


def test_a_key_opens_what_it_may_and_nothing_else(stack: Launched, key_of: Callable[..., str], space: str) -> None:
    def with_key(secret: str) -> Supermemory:
        return Supermemory(api_key=secret, base_url=stack.url, max_retries=0, timeout=60)

    with pytest.raises(AuthenticationError):
        with_key("mlk_nobody").documents.list()
    reader = with_key(key_of(spaces=[space], read_only=True))
    assert reader.documents.list(container_tags=[space]).memories == []
    for call in (
        lambda: reader.add(content="a", container_tag=space),
        lambda: reader.documents.batch_add(documents=["a"], container_tag=space),
        lambda: reader.documents.update("doc_1", content="a"),
        lambda: reader.documents.delete_bulk(container_tags=[space]),
        lambda: reader.documents.delete("doc_1"),
        lambda: reader.documents.list(container_tags=[f"{space}-other"]),
        lambda: reader.search.execute(q="a", container_tags=[space, f"{space}-other"]),
    ):
        with pytest.raises(PermissionDeniedError):
            call()


def ask_again_and_again(client: Supermemory) -> None:
    for _ in range(100):
        client.documents.list()


def test_a_caller_that_asks_too_often_is_slowed_down_and_loses_nothing(tmp_path: Path) -> None:
    # given a server that takes five requests a second from one caller
    with running(tmp_path / "data", {"MEMLANE_LOCAL_RATE": "5", "MEMLANE_LOCAL_BURST": "5"}) as slow:
        impatient = Supermemory(api_key="local", base_url=slow.url, max_retries=0, timeout=60)
        with pytest.raises(RateLimitError) as refused:
            ask_again_and_again(impatient)
        assert int(refused.value.response.headers["Retry-After"]) >= 1
        # when the client follows what it is told
        patient = Supermemory(api_key="local", base_url=slow.url, max_retries=5, timeout=60)
        ids = {patient.add(content=f"Note {number}.").id for number in range(15)}
        # then everything arrives
        assert {row.id for row in patient.documents.list(limit=50).memories} == ids


@pytest.fixture
def proxy(stack: Launched) -> Iterator[FailingProxy]:
    with failing_proxy(stack.url) as one:
        yield one


@pytest.fixture
def retrying(proxy: FailingProxy) -> Iterator[Supermemory]:
    """The client with the two retries that it has by itself."""
    with Supermemory(api_key="local", base_url=proxy.url, timeout=60) as one:
        yield one


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again(retrying: Supermemory, proxy: FailingProxy, space: str, status: int) -> None:
    for call in (
        lambda: retrying.documents.list(container_tags=[space]),
        lambda: retrying.search.execute(q="crane", container_tag=space),
        lambda: retrying.documents.list_processing(container_tags=space),
    ):
        proxy.fail(2, status)
        call()
        assert len(proxy.seen) == 3


@pytest.mark.parametrize(("status", "kind"), [(429, RateLimitError), (503, InternalServerError)])
def test_what_goes_on_failing_is_told_after_two_retries(
    retrying: Supermemory, proxy: FailingProxy, status: int, kind: type[APIStatusError]
) -> None:
    proxy.fail(3, status)
    with pytest.raises(kind) as refused:
        retrying.documents.list()
    assert refused.value.body["code"] == "busy"
    assert len(proxy.seen) == 3


def test_what_would_be_refused_again_is_not_tried_again(retrying: Supermemory, proxy: FailingProxy, space: str) -> None:
    retrying.add(content="Taken.", container_tag=space, custom_id="taken")
    other = retrying.add(content="Other.", container_tag=space)
    for call, kind in (
        (lambda: retrying.add(content=" "), BadRequestError),
        (lambda: retrying.documents.get("doc_nobody"), NotFoundError),
        # The client takes a conflict for a lock and would try again, were it not told.
        (lambda: retrying.documents.update(other.id, custom_id="taken"), ConflictError),
    ):
        proxy.fail(0, 503)
        with pytest.raises(kind):
            call()
        assert len(proxy.seen) == 1


def test_what_is_over_a_limit_is_told_with_its_field(client: Supermemory) -> None:
    for call, field in (
        (lambda: client.documents.batch_add(documents=["a"] * 501), "documents"),
        (lambda: client.add(content="a" * 5_000_001), "content"),
        (lambda: client.add(content="a", metadata={"a": "b" * 20_000}), "metadata"),
    ):
        with pytest.raises(APIStatusError) as refused:
            call()
        assert refused.value.status_code == 413
        assert refused.value.body["details"]["field"] == field


def test_the_client_waits_as_long_as_it_is_told(retrying: Supermemory, proxy: FailingProxy) -> None:
    proxy.fail(1, 429, headers={"Retry-After": "1"})
    began = time.monotonic()
    retrying.documents.list()
    assert time.monotonic() - began >= 1


@pytest.mark.parametrize("how", ["customId", "key", "batch-under-a-key"])
def test_a_write_whose_answer_was_lost_is_not_done_twice(
    retrying: Supermemory, proxy: FailingProxy, client: Supermemory, space: str, how: str
) -> None:
    key = {"Idempotency-Key": f"{space}-key"}
    proxy.fail(2, 503, lost=True)
    if how == "customId":
        ids = [retrying.add(content="Once.", container_tag=space, custom_id=f"{space}-once").id]
    elif how == "key":
        ids = [retrying.add(content="Once.", container_tag=space, extra_headers=key).id]
    else:
        answer = retrying.documents.batch_add(documents=["One.", "Two."], container_tag=space, extra_headers=key)
        ids = [one.id for one in answer.results]
    assert len(proxy.seen) == 3
    listed = client.documents.list(container_tags=[space], order="asc")
    assert sorted(row.id for row in listed.memories) == sorted(ids)
    assert {client.documents.get(one).latest_revision for one in ids} == {1}


def test_a_change_whose_answer_was_lost_is_one_revision(
    retrying: Supermemory, proxy: FailingProxy, client: Supermemory, space: str
) -> None:
    added = client.add(content="One.", container_tag=space)
    proxy.fail(2, 503, lost=True)
    retrying.documents.update(added.id, content="Two.", metadata={"a": 1})
    assert len(proxy.seen) == 3
    found = client.documents.get(added.id)
    assert (found.content, found.metadata, found.latest_revision) == ("Two.", {"a": 1}, 2)


def test_a_deletion_whose_answer_was_lost_is_no_failure(
    retrying: Supermemory, proxy: FailingProxy, client: Supermemory, space: str
) -> None:
    answer = client.documents.batch_add(documents=["One.", "Two.", "Three."], container_tag=space)
    ids = [one.id for one in answer.results]
    proxy.fail(1, 503, lost=True)
    again = retrying.documents.delete_bulk(ids=ids[:2])
    assert len(proxy.seen) == 2
    assert (again.success, again.deleted_count, again.errors) == (True, 0, None)
    assert [row.id for row in client.documents.list(container_tags=[space]).memories] == ids[2:]


def test_a_key_used_for_another_batch_is_a_conflict(client: Supermemory, space: str) -> None:
    key = {"Idempotency-Key": f"{space}-key"}
    client.documents.batch_add(documents=["One."], container_tag=space, extra_headers=key)
    with pytest.raises(ConflictError):
        client.documents.batch_add(documents=["Two."], container_tag=space, extra_headers=key)


def test_a_server_that_does_not_answer_is_a_timeout(stack: Launched) -> None:
    with httpx.Client(transport=httpx.MockTransport(_never)) as transport:
        silent = Supermemory(api_key="local", base_url=stack.url, max_retries=1, timeout=0.1, http_client=transport)
        with pytest.raises(APITimeoutError):
            silent.documents.list()


def _never(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("nothing came", request=request)
