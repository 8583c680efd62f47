"""The profile through the official client: sections, buckets, filters, and a search beside it."""

from __future__ import annotations

from typing import Any

import pytest
from supermemory import BadRequestError, NotFoundError, Supermemory


@pytest.fixture
def filled(client: Supermemory, space: str) -> Supermemory:
    facts = [
        {"content": "Ann prefers short answers.", "isStatic": True, "metadata": {"topic": "style"}},
        {"content": "Ann eats pizza and pasta.", "metadata": {"topic": "food"}},
        {"content": "Ann owns a red boat.", "metadata": {"topic": "boats"}},
    ]
    client.post("/v4/memories", body={"containerTag": space, "memories": facts}, cast_to=object)
    body = {"profileBuckets": [{"key": "food", "description": "Pizza, pasta and other food."}]}
    client.patch(f"/v3/container-tags/{space}", body=body, cast_to=object)
    return client


def test_a_profile_has_its_sections_and_results(filled: Supermemory, space: str) -> None:
    found = filled.profile(container_tag=space, q="What boat does Ann own?")

    assert set(found.profile.static or ()) == {
        "Ann prefers short answers.", "Ann eats pizza and pasta.", "Ann owns a red boat.",
    }  # fmt: skip
    assert found.profile.static is not None
    assert found.profile.static[0] == "Ann prefers short answers."
    assert found.profile.buckets == {"food": ["Ann eats pizza and pasta."]}
    assert found.search_results is not None
    best = found.search_results.results[0]
    assert (best.memory, best.version, best.metadata) == ("Ann owns a red boat.", 1, {"topic": "boats"})
    assert (found.search_results.total, found.search_results.timing >= 0) == (len(found.search_results.results), True)
    assert best.updated_at


def test_only_what_is_asked_for_is_returned(filled: Supermemory, space: str) -> None:
    buckets = filled.profile(container_tag=space, include=["buckets"], buckets=["food"])
    assert buckets.profile.buckets == {"food": ["Ann eats pizza and pasta."]}
    assert not buckets.profile.static
    assert buckets.search_results is None
    listed: Any = filled.post("/v4/profile/buckets", body={"containerTag": space}, cast_to=object)
    assert listed == {"buckets": [{"key": "food", "description": "Pizza, pasta and other food."}]}
    with pytest.raises(NotFoundError):
        filled.profile(container_tag=space, include=["buckets"], buckets=["boats"])
    with pytest.raises(BadRequestError):
        filled.profile(container_tag=space, include=["everything"])


def test_filters_hold_for_the_profile_and_the_search(filled: Supermemory, space: str) -> None:
    found = filled.profile(
        container_tag=space,
        q="Ann",
        filters={"OR": [{"key": "topic", "value": "food"}, {"key": "topic", "value": "x"}]},
    )

    assert found.profile.static == ["Ann eats pizza and pasta."]
    assert found.search_results is not None
    assert [one.memory for one in found.search_results.results] == ["Ann eats pizza and pasta."]
    none = filled.profile(container_tag=space, filters={"AND": [{"key": "topic", "value": "x"}]})
    assert (none.profile.static, none.profile.buckets) == ([], {"food": []})


def test_a_tag_that_nothing_was_told_to_has_an_empty_profile(client: Supermemory, space: str) -> None:
    found = client.profile(container_tag=space, q="anything")
    assert (found.profile.static, found.profile.dynamic, found.profile.buckets) == ([], [], {})
    assert found.search_results is not None
    assert found.search_results.results == []
