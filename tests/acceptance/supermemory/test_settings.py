"""Settings through the official client: they act on what comes in, and what would not act is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from supermemory import BadRequestError, Supermemory

from ops.launched import wait_until


@pytest.fixture(autouse=True)
def taken_back(client: Supermemory) -> Iterator[None]:
    """Settings are of the tenant that all tests share."""
    yield
    client.settings.update(
        chunk_size=None, exclude_items=None, include_items=None, filter_prompt=None, should_llm_filter=None,
        extra_body={"profileBuckets": None},
    )  # fmt: skip


def test_settings_are_parsed_as_the_client_reads_them(client: Supermemory) -> None:
    updated = client.settings.update(
        chunk_size=500, exclude_items=["payroll"], profile_buckets=[{"key": "boats", "description": "Boats."}]
    )
    assert (updated.org_id, updated.updated.chunk_size, updated.updated.exclude_items) == ("default", 500, ["payroll"])
    shown = client.settings.get()
    assert (shown.chunk_size, shown.filter_prompt, shown.should_llm_filter) == (500, None, None)
    assert [one.key for one in shown.profile_buckets or ()] == ["boats"]


def test_settings_act_on_what_comes_in(client: Supermemory, space: str, settle: Callable[[str], Any]) -> None:
    client.settings.update(
        chunk_size=300, exclude_items=["payroll"], profile_buckets=[{"key": "boats", "description": "Boats and ships."}]
    )
    # Facts of a document bear its title, which is the first heading.
    text = "# Notes\n\nThe payroll of Ann is handled in Bonn.\n\nAnn lives in Rome.\n\n" + "\n\n".join(
        f"Ship number {number} carries a load of apples from the harbour of Bergen to market." for number in range(9)
    )  # fmt: skip
    added = client.add(content=text, container_tag=space)
    settle(added.id)

    memories = [str(one.memory) for one in client.documents.get(added.id).memories]
    chunks = client.get(f"/v3/documents/{added.id}/chunks", cast_to=object)["chunks"]

    assert any("Rome" in one for one in memories)
    assert not any("payroll of Ann" in one for one in memories)
    assert len(chunks) > 2

    def shared() -> Any:
        return "boats" in (client.profile(container_tag=space).profile.buckets or {})

    wait_until(shared, seconds=60, what="the beat gives the new space the buckets of the settings")


def test_what_would_have_no_effect_is_refused(client: Supermemory) -> None:
    with pytest.raises(BadRequestError, match="No language model"):
        client.settings.update(should_llm_filter=True, filter_prompt="Only what people eat.")
    with pytest.raises(BadRequestError, match="githubClientId"):
        client.settings.update(github_client_id="x")
    assert client.settings.get().should_llm_filter is None
