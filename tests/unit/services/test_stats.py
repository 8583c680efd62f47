"""Statistics count what a scope may see, by whichever door it came."""

from dataclasses import replace

from memory.records import Message, NewMemory, Scope
from services import memories, stats
from tests.pipeline import PERSON

HOME = Scope(tenant="default", spaces=("home",))
ANA, BOB = replace(HOME, user="ana"), replace(HOME, user="bob")


def test_a_fact_counts_by_whichever_door_it_came(pipeline):
    pipeline.add("Ann owns a red boat.", scope=HOME)
    pipeline.say(Message(role="user", content="I moved to Oslo."), scope=HOME)
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Bob plays chess.")])
    pipeline.settle()
    assert stats.stats(HOME, pipeline.host)["candidates"] == {"added": 3}


def test_facts_of_another_user_are_not_counted(pipeline):
    memories.remember(ANA, pipeline.host, PERSON, [NewMemory(content="Ana plays chess.")])
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="The gate is blue.")])
    pipeline.settle()
    counted = [stats.stats(one, pipeline.host)["candidates"] for one in (HOME, ANA, BOB)]
    assert counted == [{"added": 2}, {"added": 2}, {"added": 1}]
