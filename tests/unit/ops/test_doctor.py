"""What doctor says of reranking depends on who does it; settings without an effect and broken merges have a line."""

import pytest

from memory.records import Actor, Scope
from memory.settings import Settings
from ops.doctor import examine, reranking
from store import merges, spaces, tag_settings
from store.connection import Store

LOCAL = Actor(kind="person", id="local")

NODE = '[[node]]\nname = "a"\nembed_port = 8080\n'


def test_a_service_that_tells_nothing_without_a_key_is_not_called_whole(tmp_path, monkeypatch):
    class Answer:
        def json(self):
            return {"status": "ok"}

    monkeypatch.setattr("ops.doctor.requests.get", lambda *_, **__: Answer())
    found = examine(Settings(data_dir=str(tmp_path)), "http://x")

    assert any(one.state == "warning" and "MEMLANE_API_KEY" in one.sentence for one in found)
    assert not any(one.area == "models" and "None" in one.sentence for one in found)


def test_one_machine_reranks_with_the_embedding_model_unless_it_has_a_server():
    assert "late interaction" in reranking(Settings()).sentence
    assert reranking(Settings(rerank_url="http://x:8081")).sentence == "Reranking: the server at http://x:8081."


@pytest.mark.parametrize(
    ("table", "state", "words"),
    [
        (NODE, "warning", "nothing, and searches say so; 0 of 1 nodes have one"),
        (f"{NODE}rerank_port = 8081\n", "ok", "the rerank servers of the nodes; 1 of 1 nodes have one"),
        ("[[node]]\n", "warning", "not known"),
    ],
)
def test_a_fleet_reranks_with_the_servers_of_its_inventory(tmp_path, table, state, words):
    file = tmp_path / "inventory.toml"
    file.write_text(table, encoding="utf-8")

    found = reranking(Settings(nodes=str(file)))

    assert found.state == state
    assert words in found.sentence


def test_settings_that_lost_their_language_model_and_merges_that_broke_are_named(tmp_path):
    store = Store(tmp_path, clock=lambda: 1)
    store.ensure_tenant("default")
    with store.write("default") as tx:
        tag_settings.set_of_tenant(tx, {"should_llm_filter": True}, actor=LOCAL, at=1)
        space_id = spaces.ensure(Scope(tenant="default", spaces=("lab",)), tx, at=1)
        tag_settings.change(tx, space_id, {"entity_context": "Papers."}, at=1)
        merges.add(tx, merge_id="mrg_1", space_id=space_id, sources={}, actor=LOCAL, at=1)
        merges.end(tx, "mrg_1", state="failed", reason="It broke.", at=2)
    store.close()
    nowhere = "http://127.0.0.1:1"

    without = [one.sentence for one in examine(Settings(data_dir=str(tmp_path)), nowhere) if one.state == "warning"]
    having = Settings(data_dir=str(tmp_path), llm_url=nowhere)
    with_one = [one.sentence for one in examine(having, nowhere) if one.state == "warning"]

    for words in ("`shouldLLMFilter` has no effect", "`entityContext` of 1 spaces", "Merge mrg_1 failed: It broke."):
        assert any(words in sentence for sentence in without), words
    assert not any("no effect" in sentence for sentence in with_one)
