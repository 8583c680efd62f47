import pytest

from memory.fleet import FleetNode
from memory.server_addresses import server_url, server_urls
from memory.settings import Settings
from services import node_servers

OWN = {"embed": "http://elsewhere:1"}
NODE = FleetNode(name="a1", host="10.0.0.1", embed_port=8080, llm_port=8082)
EVERYWHERE = FleetNode(name="a2", host="0.0.0.0", embed_port=8080)
LOCAL = FleetNode(name="local", host="0.0.0.0", embed_port=8080)


def test_servers_are_where_the_inventory_says():
    assert server_urls(NODE, OWN) == {"embed": "http://10.0.0.1:8080", "llm": "http://10.0.0.1:8082"}
    assert server_urls(FleetNode(name="six", host="fe80::1", rerank_port=1), {}) == {"rerank": "http://[fe80::1]:1"}


def test_a_server_that_listens_everywhere_is_asked_on_this_machine():
    assert server_urls(EVERYWHERE, {}) == {"embed": "http://127.0.0.1:8080"}


def test_the_settings_name_the_servers_of_a_node_without_ports_and_win_for_the_local_one():
    assert server_urls(FleetNode(name="a1"), OWN) == OWN
    assert server_urls(LOCAL, OWN) == OWN
    assert server_urls(LOCAL, {"embed": ""}) == {"embed": "http://127.0.0.1:8080"}


@pytest.mark.parametrize("node", [NODE, EVERYWHERE, LOCAL, FleetNode(name="local"), FleetNode(name="a1")], ids=str)
@pytest.mark.parametrize("url", ["", "http://elsewhere:1"])
def test_a_nodes_worker_and_its_agent_agree(node, url):
    worker = node_servers.server_url(node, "embed", Settings(embed_url=url))

    assert worker == server_urls(node, {"embed": url}).get("embed", "") == server_url(node, "embed", {"embed": url})
