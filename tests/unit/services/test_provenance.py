from dataclasses import replace
from itertools import pairwise

import pytest

from memory.errors import AlreadyKnown, InvalidInput, NotFound, PersonOnly, StateConflict
from memory.records import Actor, Clocks, Message, NewMemory, Owner, SearchQuery
from services import documents, memories, provenance
from services.search import search
from store import decisions, reviews
from store.decisions import Decision
from store.reviews import NewReview
from tests.pipeline import HOME, PERSON

AGENT = Actor(kind="agent", id="key_1")


def remember(pipeline, text, scope=HOME, actor=PERSON, **more):
    pipeline.clock.advance(1)
    return memories.remember(scope, pipeline.host, actor, [NewMemory(content=text, **more)]).memories[0]


def change(pipeline, old, text, **more):
    pipeline.clock.advance(1)
    return memories.update(HOME, pipeline.host, PERSON, memory_id=old.id, new_content=text, **more)


def forget(pipeline, old, reason="wrong"):
    pipeline.clock.advance(1)
    return memories.forget(HOME, pipeline.host, PERSON, memory_id=old.id, reason=reason)


def undo(pipeline, old, actor=PERSON, scope=HOME, **more):
    pipeline.clock.advance(1)
    return provenance.undo(scope, pipeline.host, actor, old.id, **more)


def live(pipeline, **clocks):
    rows = memories.listing(HOME, pipeline.host, Clocks(**clocks), limit=50).rows
    return sorted(one.statement for one in rows)


def told(pipeline, scope=HOME, **between):
    page = provenance.changes(scope, pipeline.host, limit=50, **between)
    return [(one.kind, one.memory, one.other_id, one.reason) for one in page.rows]


def windows_of_chain(pipeline, one):
    return sorted(
        (window.valid_from, window.valid_to)
        for version in memories.history(HOME, pipeline.host, one.id)
        for window in version.windows
        if window.retired_at is None
    )


def assert_windows_apart(pipeline, one):
    windows = windows_of_chain(pipeline, one)
    assert all(before[1] <= after[0] for before, after in pairwise(windows))


def test_a_superseded_memory_is_live_again_and_its_successor_is_not(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    between = pipeline.clock()
    new = change(pipeline, old, "Ann lives in Oslo.")

    back = undo(pipeline, old, reason="it was another Ann")

    assert live(pipeline) == ["Ann lives in Rome."]
    assert live(pipeline, as_of=between) == ["Ann lives in Rome."]
    assert (back.root_id, back.version, back.parent_id) == (old.id, 3, new.id)
    assert [hit.text for hit in search(HOME, pipeline.host, SearchQuery(q="Ann lives")).hits] == ["Ann lives in Rome."]
    assert_windows_apart(pipeline, old)
    (window,) = memories.get(HOME, pipeline.host, new.id).windows
    assert (window.reason, window.retired_by) == ("undone by person local: it was another Ann", PERSON)


def test_a_correction_is_undone_too(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    change(pipeline, old, "Ann lives in Oslo.", correction=True)

    undo(pipeline, old)

    assert live(pipeline) == ["Ann lives in Rome."]
    assert_windows_apart(pipeline, old)


def test_an_undo_is_undone_as_often_as_somebody_likes(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    new = change(pipeline, old, "Ann lives in Oslo.")

    third = undo(pipeline, old)
    fourth = undo(pipeline, new)
    fifth = undo(pipeline, third)

    assert [one.version for one in (third, fourth, fifth)] == [3, 4, 5]
    assert live(pipeline) == ["Ann lives in Rome."]
    assert_windows_apart(pipeline, old)


def test_what_was_before_the_undone_change_stays_what_it_was(pipeline):
    first = remember(pipeline, "Ann lives in Rome.")
    rome = pipeline.clock()
    second = change(pipeline, first, "Ann lives in Oslo.")
    oslo = pipeline.clock()
    change(pipeline, second, "Ann lives in Bern.")

    undo(pipeline, second)

    assert (live(pipeline, as_of=rome), live(pipeline)) == (["Ann lives in Rome."], ["Ann lives in Oslo."])
    assert live(pipeline, as_of=oslo) == ["Ann lives in Oslo."]
    assert_windows_apart(pipeline, first)


def test_a_forgotten_memory_is_restored_and_may_be_learned_again(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    forget(pipeline, old)

    back = undo(pipeline, old)
    again = remember(pipeline, "Ann lives in Rome.", actor=AGENT)

    assert live(pipeline) == ["Ann lives in Rome."]
    assert again.id == back.id


def test_what_lost_its_source_lives_again_on_the_word_of_a_person(pipeline):
    sent = pipeline.add("The valve is red.", title="Plan")
    (fact,) = memories.listing(HOME, pipeline.host, limit=5).rows
    documents.delete(HOME, pipeline.host, PERSON, sent.id, reason="thrown away")
    assert live(pipeline) == []

    back = undo(pipeline, fact)

    assert live(pipeline) == ["The valve is red."]
    assert [one.kind for one in back.sources] == ["direct"]
    walk = provenance.provenance(HOME, pipeline.host, back.id)
    assert walk.versions[-1].reason == f"undone by person local; {fact.id} had been retired: thrown away"
    assert [one.reason for one in walk.evidence] == ["thrown away", None]


def test_only_a_person_undoes(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    change(pipeline, old, "Ann lives in Oslo.")

    with pytest.raises(PersonOnly):
        undo(pipeline, old, actor=AGENT)

    assert live(pipeline) == ["Ann lives in Oslo."]


def test_nothing_is_undone_that_was_not_retired_or_that_the_chain_has_left_behind(pipeline):
    first = remember(pipeline, "Ann lives in Rome.")
    with pytest.raises(StateConflict, match="not retired"):
        undo(pipeline, first)
    second = change(pipeline, first, "Ann lives in Oslo.")
    change(pipeline, second, "Ann lives in Bern.")
    with pytest.raises(StateConflict, match="gone on"):
        undo(pipeline, first)
    with pytest.raises(NotFound):
        undo(pipeline, first, scope=replace(HOME, spaces=("elsewhere",)))

    assert live(pipeline) == ["Ann lives in Bern."]


def test_an_undo_to_what_another_live_memory_says_changes_nothing(pipeline):
    old = remember(pipeline, "The north door sticks.")
    new = change(pipeline, old, "A heron nests by the pond.")
    other = remember(pipeline, "The north door sticks.")

    with pytest.raises(AlreadyKnown) as refusal:
        undo(pipeline, old)

    assert refusal.value.details["id"] == other.id
    assert memories.get(HOME, pipeline.host, new.id).windows[0].retired_at is None


def test_changes_tell_what_was_learned_superseded_corrected_forgotten_and_restored(pipeline):
    rome = remember(pipeline, "Ann lives in Rome.")
    oslo = change(pipeline, rome, "Ann lives in Oslo.")
    bern = change(pipeline, oslo, "Ann lives in Bern.", correction=True)
    forget(pipeline, bern, reason="private")
    pipeline.clock.advance(1)
    back = memories.restore(HOME, pipeline.host, PERSON, bern.id)

    assert told(pipeline) == [
        ("learned", "Ann lives in Rome.", None, None),
        ("superseded", "Ann lives in Rome.", oslo.id, "changed"),
        ("corrected", "Ann lives in Oslo.", bern.id, "corrected"),
        ("forgotten", "Ann lives in Bern.", None, "private"),
        ("restored", "Ann lives in Bern.", bern.id, None),
    ]
    assert back.version == 4


def test_changes_tell_an_undo_as_a_supersession_with_its_reason(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    change(pipeline, old, "Ann lives in Oslo.")
    since = pipeline.clock() + 1

    back = undo(pipeline, old)

    assert [(one[0], one[1], one[2]) for one in told(pipeline, since=since)] == [
        ("restored", "Ann lives in Rome.", memories.history(HOME, pipeline.host, old.id)[1].id),
        ("superseded", "Ann lives in Oslo.", back.id),
    ]


def test_changes_tell_what_went_with_its_source(pipeline):
    sent = pipeline.add("The valve is red.", title="Plan")
    documents.delete(HOME, pipeline.host, PERSON, sent.id, reason="thrown away")

    assert [(one[0], one[3]) for one in told(pipeline)] == [("learned", None), ("retired", "thrown away")]


def test_changes_between_two_times_are_those_alone_and_pages_hold_each_once(pipeline):
    for number in range(7):
        remember(pipeline, f"Shelf {number} is full.")
    since, until = pipeline.clock() - 4_000_000, pipeline.clock() - 1_000_000
    assert len(told(pipeline, since=since, until=until)) == 3
    with pytest.raises(InvalidInput):
        told(pipeline, since=until, until=since)

    seen, cursor = [], None
    while True:
        page = provenance.changes(HOME, pipeline.host, limit=2, cursor=cursor)
        seen += [one.memory for one in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            break
        remember(pipeline, f"Late {len(seen)}.") if len(seen) < 5 else None

    assert page.total == len(seen) == len(set(seen)) == 9


def test_changes_tell_which_conflicts_were_opened_and_how_they_ended(pipeline):
    old = remember(pipeline, "Ann lives in Rome.", scope=replace(HOME, user="ann"))
    opened, resolved = pipeline.clock() + 1, pipeline.clock() + 2
    new = NewReview(id="con_1", space_id=1, owner=Owner(user="ann"), kind="contradiction", memory_id=old.id)
    with pipeline.host.store.write("default") as tx:
        reviews.open_review(tx, new, at=opened)
        tx.execute(
            """
            UPDATE review SET state = 'resolved', resolution = 'keep_both', actor_kind = 'person', actor_id = 'local',
                   reason = 'two homes', resolved_at = ?
            """,
            (resolved,),
        )

    page = provenance.changes(HOME, pipeline.host, since=opened, until=resolved + 1, limit=5)

    assert [(one.kind, one.id, one.memory, one.reason, one.actor) for one in page.rows] == [
        ("conflict_opened", "con_1", "Ann lives in Rome.", "contradiction", None),
        ("conflict_resolved", "con_1", "Ann lives in Rome.", "keep_both: two homes", PERSON),
    ]
    between = {"since": opened, "until": resolved + 1}
    assert told(pipeline, scope=replace(HOME, user="bob"), **between) == []
    assert len(told(pipeline, scope=replace(HOME, user="ann", session="run-1"), **between)) == 2


def test_nobody_is_told_of_the_changes_of_another_user(pipeline):
    remember(pipeline, "The pin is 4417.", scope=replace(HOME, user="ann"))

    assert told(pipeline, scope=replace(HOME, user="bob")) == []
    assert told(pipeline, scope=replace(HOME, spaces=("elsewhere",))) == []
    assert len(told(pipeline, scope=replace(HOME, user="ann"))) == 1


def test_a_memory_is_walked_back_to_the_message_the_job_and_the_model(pipeline):
    said = pipeline.say(Message(role="user", name="Ann", content="I own a red kite."))
    pipeline.say(Message(role="user", name="Ann", content="I own a red kite."), conversation="again")
    (fact,) = memories.listing(HOME, pipeline.host, limit=5).rows

    walk = provenance.provenance(HOME, pipeline.host, fact.id)

    first, second = walk.evidence
    assert (first.source.quote, first.source.conversation_id, first.source.message_index) == (
        "I own a red kite.", "talk", 0,
    )  # fmt: skip
    assert (first.role, first.speaker, first.making.job_id, first.outcome) == ("user", "Ann", said.job_id, "added")
    assert (second.source.conversation_id, second.outcome) == ("again", "reinforced")
    assert first.making.model == second.making.model == walk.versions[0].making.model
    assert walk.versions[0].memory.windows[0].actor.kind == "pipeline"


def test_decisions_of_every_version_are_told_with_their_probabilities(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    new = change(pipeline, old, "Ann lives in Oslo.")
    other = remember(pipeline, "Bob plays chess.")
    judged = {"judge": "pair", "space_id": 1, "inputs": {"old": "a"}, "model": "m", "prompt_version": "p"}
    with pipeline.host.store.write("default") as tx:
        for number, (one, two) in enumerate([(new.id, old.id), (other.id, new.id), (other.id, None)]):
            decisions.add(
                tx,
                Decision(id=f"dec_{number}", memory_id=one, other_id=two, verdict="update", at=number,
                         probabilities={"update": 0.9}, **judged),
            )  # fmt: skip

    walk = provenance.provenance(HOME, pipeline.host, old.id)

    assert [one.id for one in walk.decisions] == ["dec_0", "dec_1"]
    assert walk.decisions[0].probabilities == {"update": 0.9}
    assert [(one.memory.version, one.reason) for one in walk.versions] == [(1, None), (2, "changed")]
