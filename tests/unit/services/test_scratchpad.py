"""The notes of a session: whose they are, how long they stay, and that no erasure leaves any."""

from dataclasses import replace

import pytest

from memory.errors import BrokerDown, InvalidInput, OneSpace
from memory.records import NewMemory, Scope
from services import erasure, memories, scratchpad
from tests.pipeline import HOME, PERSON

TALK = replace(HOME, session="talk")


@pytest.fixture
def host(pipeline):
    return pipeline.host


def texts(host, scope=TALK):
    return [note.text for note in scratchpad.read(scope, host).notes]


def test_notes_stay_as_long_as_the_settings_say_or_shorter(pipeline, host):
    scratchpad.write(TALK, host, "long", append=True)
    scratchpad.write(replace(TALK, session="brief"), host, "brief", append=True, seconds=10)
    pipeline.clock.advance(11)

    assert (texts(host), texts(host, replace(TALK, session="brief"))) == (["long"], [])
    pipeline.clock.advance(host.settings.scratchpad_seconds)
    assert texts(host) == []
    with pytest.raises(InvalidInput) as refused:
        scratchpad.write(TALK, host, "x", append=True, seconds=host.settings.scratchpad_seconds + 1)
    assert refused.value.details["field"] == "ttl_seconds"


def test_a_session_and_one_space_are_named(host):
    with pytest.raises(InvalidInput) as refused:
        scratchpad.read(HOME, host)
    assert refused.value.details["field"] == "session_id"
    with pytest.raises(OneSpace):
        scratchpad.write(replace(TALK, spaces=("home", "work")), host, "x", append=True)


def test_nobody_reads_anothers_notes(host):
    scratchpad.write(replace(TALK, user="ann"), host, "of ann", append=True)

    assert texts(host, replace(TALK, user="ann")) == ["of ann"]
    assert texts(host, replace(TALK, user="bob")) == texts(host) == []


@pytest.mark.parametrize("kind", ["subject", "memory", "document", "space", "tenant"])
def test_no_erasure_leaves_a_note_of_the_tenant(pipeline, host, kind):
    # given notes, which may quote anything, and a neighbour's
    memory = memories.remember(HOME, host, PERSON, [NewMemory(content="Ada likes tea.")]).memories[0]
    pipeline.add("The depot opens at seven.", custom_id="depot")
    neighbour = Scope(tenant="other", spaces=("home",), session="talk")
    for scope in (TALK, replace(TALK, spaces=("work",)), replace(TALK, user="ann"), neighbour):
        scratchpad.write(scope, host, "Ada likes tea.", append=True)
    named = {"subject": "ann", "memory": memory.id, "document": "depot", "space": "home", "tenant": None}[kind]
    target = erasure.find_target(HOME, host, kind, named)

    # when
    confirm = "default" if kind == "tenant" else None
    asked = erasure.request(HOME, host, PERSON, target, confirm=confirm)
    pipeline.settle()

    # then
    receipt = erasure.get(HOME, host, asked.id)
    assert (receipt.state, receipt.counts["scratchpads"]) == ("finished", 3)
    assert texts(host) == texts(host, replace(TALK, user="ann")) == []
    assert texts(host, neighbour) == ["Ada likes tea."]


def test_an_erasure_waits_for_a_broker_that_is_away(pipeline, host):
    scratchpad.write(TALK, host, "Ada likes tea.", append=True)
    memory = memories.remember(HOME, host, PERSON, [NewMemory(content="Ada likes tea.")]).memories[0]
    host.scratchpads.down = True
    asked = erasure.request(HOME, host, PERSON, erasure.find_target(HOME, host, "memory", memory.id))
    pipeline.settle()

    assert erasure.get(HOME, host, asked.id).state == "purging"
    host.scratchpads.down = False
    pipeline.clock.advance(3600)
    pipeline.writer.renew()
    pipeline.queue.send("reconcile.space", {"tenant": "default"}, queue="reconcile")
    pipeline.settle()
    assert erasure.get(HOME, host, asked.id).state == "finished"
    assert texts(host) == []


def test_without_a_broker_nothing_is_kept_and_that_is_said(host):
    host.scratchpads.down = True

    with pytest.raises(BrokerDown, match="nothing was kept"):
        scratchpad.write(TALK, host, "x", append=True)
    with pytest.raises(BrokerDown, match="broker does not answer"):
        scratchpad.read(TALK, host)
