from memory.fleet import FleetNode
from memory.settings import Settings
from services.fakes import fake_host
from services.health import health


def test_an_llm_of_a_setting_or_of_any_node_makes_models_decide(tmp_path):
    settings = Settings(data_dir=str(tmp_path))
    without = fake_host(tmp_path / "a")
    of_setting = fake_host(
        tmp_path / "b", settings=Settings(data_dir=str(tmp_path), llm_url="http://llm", llm_model="m")
    )
    nodes = (FleetNode(name="n1", embed_port=1), FleetNode(name="n2", embed_port=1, llm_port=2))
    of_node = fake_host(tmp_path / "c", settings=settings, nodes=nodes)

    assert [host.has_llm for host in (without, of_setting, of_node)] == [False, True, True]
    told = [health(host)["models"]["llm"] for host in (without, of_setting, of_node)]
    assert told == [None, "m", "an LLM server that tells no name"]
    for host in (without, of_setting, of_node):
        host.store.close()
