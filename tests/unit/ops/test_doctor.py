"""What doctor says of reranking depends on who does it."""

import pytest

from memory.settings import Settings
from ops.doctor import reranking

NODE = '[[node]]\nname = "a"\nembed_port = 8080\n'


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
