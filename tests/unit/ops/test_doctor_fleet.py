import pytest

from memory.fleet import FleetNode, ModelReport, NodeReport
from memory.settings import Settings
from ops.doctor_fleet import agents, broker, examine_fleet

WELL = {"maxmemory_policy": "noeviction", "aof_enabled": 1, "aof_last_write_status": "ok", "redis_version": "7.4.7"}


def states(told):
    return [finding.state for finding in broker({**WELL, **told})]


def test_a_broker_that_is_set_right_is_one_line():
    (finding,) = broker(WELL)

    assert finding.state == "ok"
    assert "Redis 7.4.7" in finding.sentence


@pytest.mark.parametrize(
    ("told", "state", "word"),
    [
        ({"maxmemory_policy": "allkeys-lru"}, "problem", "allkeys-lru"),
        ({"aof_enabled": 0}, "warning", "append-only"),
        ({"aof_last_write_status": "err"}, "problem", "disk"),
        ({"maxmemory": 100 << 20, "used_memory": 90 << 20}, "warning", "90 of 100 MB"),
    ],
)
def test_a_setting_that_costs_messages_is_found(told, state, word):
    (finding,) = broker({**WELL, **told})

    assert finding.state == state
    assert word in finding.sentence


def test_a_broker_without_a_limit_is_not_full():
    assert states({"maxmemory": 0, "used_memory": 1 << 40}) == ["ok"]


def test_silent_and_unknown_agents_are_named():
    nodes = (FleetNode(name="a"), FleetNode(name="b"))

    found = list(agents(nodes, {"a": NodeReport(node="a", at=0), "x": NodeReport(node="x", at=0)}))

    assert [finding.state for finding in found] == ["warning"]
    assert "1 of 2" in found[0].sentence
    assert "silent: b" in found[0].sentence
    assert "not in the inventory: x" in found[0].sentence


def test_what_agents_complain_of_is_passed_on():
    models = (
        ModelReport(role="embed", healthy=True),
        ModelReport(role="rerank", healthy=False, reason="it answers with zeros."),
    )
    report = NodeReport(node="a", at=0, models=models, celsius=93.0, thermal="hot", problems=("a worker stands still",))

    sentences = [finding.sentence for finding in agents((FleetNode(name="a"),), {"a": report})][1:]

    assert sentences == [
        "rerank: it answers with zeros.", "93.0 degrees Celsius, work is held back.", "a worker stands still.",
    ]  # fmt: skip


def test_a_bad_inventory_is_a_problem_and_the_broker_is_looked_at_all_the_same(tmp_path):
    file = tmp_path / "fleet.toml"
    file.write_text('[[node]]\nname = "a"\nlane = "slow"\n', encoding="utf-8")

    found = {one.area: one for one in examine_fleet(Settings(nodes=str(file), data_dir=str(tmp_path)))}

    assert found["inventory"].state == "problem"
    assert "lane" in found["inventory"].sentence
    assert found["broker"].state == "warning"


def test_a_real_broker_that_is_away_is_a_problem(tmp_path):
    away = Settings(redis_url=f"unix://{tmp_path}/none.sock", data_dir=str(tmp_path))

    assert {one.area: one.state for one in examine_fleet(away)}["broker"] == "problem"
