"""The official client's searches: documents with their chunks, and memories with what they rest on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from supermemory import Supermemory
from supermemory.types import DocumentGetResponse

Settle = Callable[[str], DocumentGetResponse]

GUIDE = """# Yard

Ana looks after the yard.

## Crane 4

Crane 4 lifts 55 kg. It stands by the northern gate and was painted yellow in May. It is inspected every spring.

## Crane 5

Crane 5 lifts 90 kg. It stands by the southern gate and was painted blue in June. It is inspected every autumn.

## Pumps

The pumps move 300 litres a minute. They are stored in the shed behind the office, next to the hoses.
"""


@pytest.fixture(scope="module")
def yard() -> str:
    return "supermemory-yard"


@pytest.fixture
def filled(client: Supermemory, settle: Settle, yard: str) -> dict[str, str]:
    """Three documents of one space, by name; made once."""
    sent = {
        "guide": {"content": GUIDE, "filepath": "/yard/guide.md", "metadata": {"kind": "guide", "year": 2026}},
        "menu": {"content": "The canteen serves soup on Mondays and fish on Fridays.", "filepath": "/menu.md",
                 "metadata": {"kind": "menu", "year": 2025}},
        "rules": {"content": "Nobody enters the yard without a helmet.", "filepath": "/yard/rules/safety.md",
                  "metadata": {"kind": "rules", "tags": ["safety", "yard"]}},
    }  # fmt: skip
    answer = client.documents.batch_add(
        documents=[{"custom_id": f"{yard}-{name}", **fields} for name, fields in sent.items()],
        container_tag=yard,
    )
    for one in answer.results:
        assert settle(one.id).status == "done"
    return dict(zip(sent, (one.id for one in answer.results), strict=True))


@pytest.mark.parametrize("call", ["documents", "execute"])
def test_documents_are_found_by_their_chunks(client: Supermemory, filled: dict[str, str], yard: str, call: str) -> None:
    answer = getattr(client.search, call)(q="How much does crane 4 lift?", container_tag=yard, limit=2)
    first = answer.results[0]
    assert (first.document_id, first.title, first.type) == (filled["guide"], "Yard", "text")
    assert first.metadata == {"kind": "guide", "year": 2026}
    assert "55 kg" in first.chunks[0].content
    assert all(chunk.is_relevant for chunk in first.chunks)
    assert first.score == first.chunks[0].score == max(chunk.score for chunk in first.chunks)
    assert (first.content, first.summary) == (None, None)
    assert answer.total == len(answer.results) == 2
    assert [one.score for one in answer.results] == sorted((one.score for one in answer.results), reverse=True)


def test_the_whole_text_and_its_summary_come_when_asked(client: Supermemory, filled: dict[str, str], yard: str) -> None:
    (found,) = client.search.execute(
        q="crane", container_tag=yard, limit=1, include_full_docs=True, include_summary=True, doc_id=filled["guide"]
    ).results
    assert found.content == GUIDE
    assert found.summary is not None
    assert found.summary.startswith("Ana looks after the yard. Crane 4 lifts 55 kg.")


def test_each_match_may_come_with_the_chunks_around_it(client: Supermemory, settle: Settle, space: str) -> None:
    # given a document of several chunks of which one alone is near the question
    parts = [f"## Part {n}\n\n" + f"Part {n} speaks of item {n}. " * 60 for n in range(6)]
    parts[3] = "## Flood\n\n" + "The river flooded the cellar in March. " * 30
    added = client.add(content="\n\n".join(parts), container_tag=space)
    settle(added.id)
    asked = {"q": "When did the river flood the cellar?", "container_tag": space, "chunk_threshold": 0.6}
    # when it is searched with and without them
    (alone,) = client.search.execute(**asked).results
    (with_them,) = client.search.execute(**asked, only_matching_chunks=False).results
    # then they are beside it, and marked
    matches = {chunk.position for chunk in alone.chunks}
    around = {chunk.position for chunk in with_them.chunks if not chunk.is_relevant}
    assert all("flooded" in chunk.content for chunk in alone.chunks)
    assert {chunk.position for chunk in with_them.chunks if chunk.is_relevant} == matches
    assert around
    assert around == {near for one in matches for near in (one - 1, one + 1)} - matches


FILTERS = {
    "the client's own spelling": (
        {"and_": [{"key": "kind", "value": "RULES", "filter_type": "metadata", "ignore_case": True}]}, {"rules"},
    ),
    "an object": ({"AND": [{"key": "kind", "value": "rules"}]}, {"rules"}),
    "JSON text": ('{"AND": [{"key": "kind", "value": "rules"}]}', {"rules"}),
    "a choice": ({"OR": [{"key": "kind", "value": "rules"}, {"key": "kind", "value": "menu"}]}, {"rules", "menu"}),
    "a number": (
        {"AND": [{"key": "year", "value": "2025", "filterType": "numeric", "numericOperator": ">"}]}, {"guide"},
    ),
    "a list": ({"AND": [{"key": "tags", "value": "safety", "filterType": "array_contains"}]}, {"rules"}),
    "a part of a text, any case": (
        {"AND": [{"key": "kind", "value": "UID", "filterType": "string_contains", "ignoreCase": "true"}]}, {"guide"},
    ),
    "a negation as text": ({"AND": [{"key": "kind", "value": "guide", "negate": "true"}]}, {"menu", "rules"}),
    "nested": (
        {"AND": [{"OR": [{"key": "kind", "value": "guide"}, {"key": "kind", "value": "menu"}]},
                 {"key": "year", "value": "2026", "filterType": "numeric"}]}, {"guide"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_means_the_same_in_lists_and_searches(
    client: Supermemory, filled: dict[str, str], yard: str, name: str
) -> None:
    filters, wanted = FILTERS[name]
    ids = {filled[one] for one in wanted}
    asked = {"q": "yard", "container_tag": yard, "filters": filters}
    listed = client.documents.list(container_tags=[yard], filters=filters)
    assert {row.id for row in listed.memories} == ids
    assert listed.pagination.total_items == len(ids)
    found = client.search.execute(**asked)
    assert {one.document_id for one in found.results} == ids
    chunks = client.search.memories(**asked, search_mode="documents", include={"documents": True})
    assert {document.id for one in chunks.results for document in one.documents or ()} == ids


PATHS = {"/yard/": {"guide", "rules"}, "/yard/guide.md": {"guide"}, "/yard": set(), "/yard/rules/": {"rules"}}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_means_the_same_in_lists_and_searches(
    client: Supermemory, filled: dict[str, str], yard: str, path: str
) -> None:
    ids = {filled[one] for one in PATHS[path]}
    listed = client.documents.list(container_tags=[yard], filepath=path)
    assert {row.id for row in listed.memories} == ids
    found = client.search.execute(q="yard", container_tag=yard, filepath=path)
    assert {one.document_id for one in found.results} == ids
    for mode in ("memories", "documents"):
        answer = client.search.memories(
            q="yard", container_tag=yard, filepath=path, search_mode=mode, include={"documents": True}, limit=50
        )
        assert {document.id for one in answer.results for document in one.documents or ()} == ids


def test_pages_show_each_document_once_in_either_way_of_counting(client: Supermemory, space: str) -> None:
    sent = [
        one.id
        for start in range(0, 45, 15)
        for one in client.documents.batch_add(
            documents=[f"Note {n}." for n in range(start, start + 15)], container_tag=space
        ).results
    ]
    for limit in (7, "7", 7.0):
        pages = [
            client.documents.list(container_tags=[space], limit=limit, page=page, sort="createdAt", order="asc")
            for page in ("1", 2, 3.0, 4, 5, 6, 7)
        ]
        assert [len(page.memories) for page in pages] == [7] * 6 + [3]
        assert sorted(row.id for page in pages for row in page.memories) == sorted(sent)
        assert {(page.pagination.total_items, page.pagination.total_pages) for page in pages} == {(45, 7)}
        assert [page.pagination.current_page for page in pages] == [1, 2, 3, 4, 5, 6, 7]
    assert client.documents.list(container_tags=[space], page=8, limit=7).memories == []
    content = client.documents.list(container_tags=[space], include_content=True, limit=1).memories[0].content
    assert content in {f"Note {n}." for n in range(45)}


def test_a_memory_tells_what_it_rests_on(client: Supermemory, filled: dict[str, str], yard: str) -> None:
    answer = client.search.memories(
        q="How much does crane 5 lift?", container_tag=yard, limit=3,
        include={"documents": True, "summaries": True, "chunks": True, "relatedMemories": True},
    )  # fmt: skip
    best = answer.results[0]
    assert best.memory is not None
    assert "90 kg" in best.memory
    (document,) = best.documents or ()
    assert (document.id, document.title, document.type) == (filled["guide"], "Yard", "text")
    assert document.summary is not None
    (chunk,) = best.chunks or ()
    assert (chunk.document_id, "90 kg" in chunk.content) == (filled["guide"], True)
    assert best.context is not None
    assert (best.context.parents, best.context.children) == ([], [])
    assert (best.version, best.is_aggregated) == (1, None)


def test_every_way_of_searching_returns_what_it_says(client: Supermemory, filled: dict[str, str], yard: str) -> None:
    asked = {"q": "crane 4", "container_tags": [yard], "limit": 20}
    kinds = {
        mode: {"memory" if one.memory is not None else "chunk" for one in client.search.memories(
            **asked, search_mode=mode
        ).results}
        for mode in ("memories", "documents", "hybrid")
    }  # fmt: skip
    assert kinds == {"memories": {"memory"}, "documents": {"chunk"}, "hybrid": {"memory", "chunk"}}
    chunk = client.search.memories(**asked, search_mode="documents").results[0]
    assert chunk.filepath == "/yard/guide.md"


def test_versions_and_what_was_forgotten_come_only_when_asked(client: Supermemory, space: str) -> None:
    # given a memory with three versions, and one that was forgotten
    made = client.post(
        "/v4/memories", body={"memories": [{"content": "Ana lives in Rome."}, {"content": "Ana owns a red boat."}],
                              "containerTag": space}, cast_to=object,
    )  # fmt: skip
    assert isinstance(made, dict)
    home, boat = (one["id"] for one in made["memories"])
    second = client.memories.update_memory(container_tag=space, id=home, new_content="Ana lives in Paris.")
    third = client.memories.update_memory(container_tag=space, id=second.id, new_content="Ana lives in Oslo.")
    client.memories.forget(container_tag=space, id=boat, reason="sold")
    # when it is asked about
    asked = {"q": "What about Ana, home and boat?", "container_tag": space, "limit": 10}
    plain = client.search.memories(**asked)
    full = client.search.memories(
        **asked, include={"related_memories": True, "forgotten_memories": True}
    )  # fmt: skip
    # then the live version alone is found, with those before it, and the forgotten one as such
    assert [one.id for one in plain.results] == [third.id]
    by_id = {one.id: one for one in full.results}
    assert set(by_id) == {third.id, boat}
    context = by_id[third.id].context
    assert context is not None
    assert [(one.memory, one.relation, one.version) for one in context.parents or ()] == [
        ("Ana lives in Paris.", "updates", -1), ("Ana lives in Rome.", "updates", -2),
    ]  # fmt: skip
    assert context.children == []
    assert (by_id[boat].model_extra or {})["isForgotten"] is True


def test_what_has_no_effect_is_said(client: Supermemory, filled: dict[str, str], yard: str) -> None:
    documents = client.search.execute(q="crane", container_tag=yard, rewrite_query=True, document_threshold=0.9)
    memories = client.search.memories(q="crane", container_tag=yard, rewrite_query=True, aggregate=True)
    assert ["rewrites" in one for one in (documents.model_extra or {})["degraded"]] == [True]
    assert len((memories.model_extra or {})["degraded"]) == 2
    assert documents.results
    assert memories.results


def test_a_space_that_is_not_named_is_the_default_and_never_all(
    client: Supermemory, filled: dict[str, str], yard: str
) -> None:
    assert client.search.execute(q="crane 4 lifts 55 kg", limit=50).results == []
    assert client.search.memories(q="crane 4 lifts 55 kg", limit=50).results == []
    assert not {row.id for row in client.documents.list(limit=200).memories} & set(filled.values())


def test_reranking_reads_the_best_again(client: Supermemory, filled: dict[str, str], yard: str) -> None:
    asked = {"q": "How many litres do the pumps move?", "container_tag": yard, "rerank": True}
    assert "300 litres" in client.search.execute(**asked).results[0].chunks[0].content
    memory = client.search.memories(**asked).results[0].memory
    assert memory is not None
    assert "300 litres" in memory
