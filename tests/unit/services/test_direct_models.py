import pytest

from memory.errors import ModelUnavailable
from memory.fleet import FleetNode, NodeReport
from memory.ports import FleetSight
from memory.settings import Settings
from services.direct_models import DirectModels

COOL, HOT = (FleetNode(name=name, embed_port=port, rerank_port=port) for name, port in (("a1", 1), ("a2", 2)))


def models(*nodes, too_hot=()):
    reports = {name: NodeReport(node=name, at=10, celsius=99.0, thermal="too_hot") for name in too_hot}
    sight = FleetSight(at=10, nodes=nodes, broker=True, reports=reports)
    return DirectModels(Settings(interactive_timeout=0.2), lambda *, fresh=False: sight)


def test_a_node_that_is_too_hot_for_any_work_is_not_asked_directly_either():
    with pytest.raises(ModelUnavailable) as failed:
        models(COOL, HOT, too_hot=["a2"]).embed(["a"], seconds=1.0)

    assert "127.0.0.1:1" in str(failed.value.details) + failed.value.message
    assert "127.0.0.1:2" not in str(failed.value.details) + failed.value.message


def test_when_all_are_too_hot_that_is_the_reason():
    with pytest.raises(ModelUnavailable, match="a2: too hot for any work"):
        models(HOT, too_hot=["a2"]).rerank("q", ["a"], None, seconds=1.0)
